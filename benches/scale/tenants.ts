// Sizes of tenants by Zipf's law, and what follows from them: the busiest database, and the work of the audit logs.

import { assumed } from './assumed.ts'

/** Tenants of about the same size. */
export interface TenantGroup {
  readonly tenants: number
  /** The share of all asks that each of them has. */
  readonly share: number
}

const single = 1_000
/** Ranks in a group differ by at most this. */
const groupTimes = 1.05

/** The largest tenants first, each in a group of its own; the small ones in groups. */
export function tenantGroups(tenants: number = assumed.tenants): TenantGroup[] {
  const sizeOf = (rank: number) => 1 / (rank + assumed.firstRank)
  const groups: TenantGroup[] = []
  for (let rank = 0; rank < tenants; ) {
    const next = rank < single ? rank + 1 : Math.min(tenants, Math.ceil(rank * groupTimes))
    groups.push({ tenants: next - rank, share: sizeOf((rank + next - 1) / 2) })
    rank = next
  }
  const total = groups.reduce((sum, { tenants: count, share }) => sum + count * share, 0)
  return groups.map(({ tenants: count, share }) => ({ tenants: count, share: share / total }))
}

/** The share of all asks in the busiest database, if each tenant is in a random one. */
export function busiestShare(groups: readonly TenantGroup[], databases: number, random: () => number): number {
  const load = new Float64Array(databases)
  for (const { tenants, share } of groups) {
    // Many small tenants are spread evenly.
    if (tenants > 1) for (let at = 0; at < databases; at++) load[at] = (load[at] ?? 0) + (tenants * share) / databases
    else {
      const at = Math.floor(random() * databases)
      load[at] = (load[at] ?? 0) + share
    }
  }
  return Math.max(...load)
}

/**
 * How often per second any log is extended, if each one is once per interval that has a new entry. Entries of a tenant
 * arrive independently of each other.
 */
export function logStepsPerSecond(
  groups: readonly TenantGroup[],
  entriesPerSecond: number,
  intervalSeconds: number,
): number {
  const perInterval = groups.reduce(
    (sum, { tenants, share }) => sum - tenants * Math.expm1(-share * entriesPerSecond * intervalSeconds),
    0,
  )
  return perInterval / intervalSeconds
}
