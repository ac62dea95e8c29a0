// The two protocol revisions that tests use with real SDKs: 1.x has the first, 2.x the second.

export const revisions = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]
