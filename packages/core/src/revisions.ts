// The supported protocol revisions. Adapters are named by these dates.

export const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]
