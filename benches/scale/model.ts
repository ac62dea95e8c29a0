// Extrapolates from the cost of one ask to a hundred million people: simple arithmetic, every assumption named.

import type { AskCost } from './cost.ts'

/** Assumptions, not measured. Prices are rounded public cloud prices, without discounts. */
export const assumed = {
  people: 100_000_000,
  asksPerDay: 1_000_000_000,
  /** The busiest minute relative to the daily mean; the simulation gives less. */
  peakOverMean: 2,
  meanWaitSeconds: 150,
  /** The share of waiting calls that are held inside servers of the older revisions. */
  heldShare: 0.2,
  /** People who have the inbox open at the busiest moment. */
  watchingShare: 0.005,
  databaseCores: 32,
  databaseBusyMost: 0.5,
  /** Raised, answered, used. */
  commitsPerAsk: 3,
  /** Commits per second of one PostgreSQL server with fast disks and group commit; not measured here. */
  databaseCommitsPerSecond: 20_000,
  /** A larger database is slow to copy, vacuum and restore. */
  databaseTbMost: 8,
  gatewayCores: 4,
  gatewayBusyMost: 0.6,
  keptDays: 30,
  auditDays: 365,
  copies: 2,
  coreHourUsd: 0.045,
  diskGbMonthUsd: 0.1,
  archiveGbMonthUsd: 0.005,
} as const

/** From docs/relay.md and the relay bench: full runs on two cores. */
const relayMeasured = { cpuMsPerQuestion: 1.5, bytesPerOpen: 4_800, bytesPerHeld: 23_000 } as const

export interface Needs {
  readonly meanPerSecond: number
  readonly peakPerSecond: number
  readonly openAtPeak: number
  readonly shards: number
  /** The reason for this number. */
  readonly shardsBecause: string
  readonly gateways: number
  readonly gatewayBytes: number
  /** Inboxes that are open at the busiest moment. */
  readonly watching: number
  readonly logBytesPerShardSecond: number
  readonly keptTb: number
  readonly auditTb: number
  readonly usdPerMonth: number
  readonly usdPerMillion: number
}

const terabyte = 1e12
const daySeconds = 86_400
const monthHours = 730

export function needsOf(cost: AskCost): Needs {
  const meanPerSecond = assumed.asksPerDay / daySeconds
  const peakPerSecond = meanPerSecond * assumed.peakOverMean
  const openAtPeak = peakPerSecond * assumed.meanWaitSeconds
  const coreSecondsPerAsk = cost.nodeUs / 1e6 + relayMeasured.cpuMsPerQuestion / 1e3
  const gateways = Math.ceil((peakPerSecond * coreSecondsPerAsk) / (assumed.gatewayCores * assumed.gatewayBusyMost))
  const heldBytes = assumed.heldShare * relayMeasured.bytesPerHeld
  const openBytes = (1 - assumed.heldShare) * relayMeasured.bytesPerOpen
  const keptTb = (assumed.asksPerDay * assumed.keptDays * (cost.keptBytes - cost.auditBytes)) / terabyte
  const auditTb = (assumed.asksPerDay * assumed.auditDays * cost.auditBytes) / terabyte
  const byReason = {
    'processor time': (peakPerSecond * cost.databaseUs) / 1e6 / (assumed.databaseCores * assumed.databaseBusyMost),
    commits: (peakPerSecond * assumed.commitsPerAsk) / assumed.databaseCommitsPerSecond,
    disk: keptTb / assumed.databaseTbMost,
  }
  const [shardsBecause = '', most = 1] = Object.entries(byReason).sort(([, one], [, other]) => other - one)[0] ?? []
  const shards = Math.ceil(most)
  const cores = shards * assumed.databaseCores * assumed.copies + gateways * assumed.gatewayCores
  const usdPerMonth =
    cores * assumed.coreHourUsd * monthHours +
    keptTb * 1_000 * assumed.diskGbMonthUsd * assumed.copies +
    auditTb * 1_000 * assumed.archiveGbMonthUsd * assumed.copies
  return {
    meanPerSecond,
    peakPerSecond,
    openAtPeak,
    shards,
    shardsBecause,
    gateways,
    gatewayBytes: (openAtPeak * (heldBytes + openBytes)) / gateways,
    watching: assumed.people * assumed.watchingShare,
    logBytesPerShardSecond: (peakPerSecond * cost.logBytes) / shards,
    keptTb,
    auditTb,
    usdPerMonth,
    usdPerMillion: (usdPerMonth / ((assumed.asksPerDay * monthHours) / 24)) * 1e6,
  }
}

/**
 * The largest share of all asks that one tenant may have before its single audit chain is the limit. Everything else
 * scales by adding machines.
 */
export function largestTenantShare(oneTenant: AskCost, { peakPerSecond }: Needs): number {
  return oneTenant.perSecond / peakPerSecond
}
