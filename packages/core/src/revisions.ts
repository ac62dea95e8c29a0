// The protocol revisions we speak. Adapters are named by these dates, because "modern" expires.

export const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]
