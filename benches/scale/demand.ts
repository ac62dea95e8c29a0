// How much of each resource a situation needs, as a share of what the machines have. Above 1, it is not enough.

import { assumed } from './assumed.ts'
import type { AskCost } from './cost.ts'
import type { LogCost } from './log-cost.ts'
import { measured } from './measured.ts'
import { logStepsPerSecond, type TenantGroup } from './tenants.ts'

export interface Costs {
  readonly ask: AskCost
  readonly log: LogCost
}

export interface Machines {
  readonly databases: number
  readonly gateways: number
  readonly signalServers: number
}

/** One moment of a day, possibly during a failure. */
export interface Situation {
  readonly asksPerSecond: number
  /** Asks that wait for an answer. */
  readonly open: number
  /** Inbox pages that are open. */
  readonly pages: number
  /** Pages per second that connect again after a failure. */
  readonly reconnects: number
  /** The rate of the busiest database, relative to its usual one: more after it was away. */
  readonly busiestTimes: number
  readonly gatewaysUp: number
  readonly hasSignals: boolean
}

export const resources = [
  'database processors',
  'database commits',
  'database write-ahead log',
  'database connections',
  'gateway processors',
  'gateway memory',
  'gateway open files',
  'NATS messages',
] as const
export type Resource = (typeof resources)[number]
export type Demand = Readonly<Record<Resource, number>>

/** What depends on the sizes of tenants only. */
export interface Distribution {
  readonly groups: readonly TenantGroup[]
  /** The share of all asks in the busiest database. */
  readonly busiest: number
}

export function entriesPerSecond(asksPerSecond: number): number {
  const { inboxAskEntries, clientAskEntries } = measured
  return asksPerSecond * mixed(inboxAskEntries, clientAskEntries)
}

/** The mean of both kinds of asks. */
export function mixed(inbox: number, client: number): number {
  return assumed.inboxShare * inbox + (1 - assumed.inboxShare) * client
}

export function demandOf(costs: Costs, machines: Machines, spread: Distribution, now: Situation): Demand {
  const database = busiestDatabase(costs, machines, spread, now)
  const gateways = allGateways(costs, spread, now)
  const { gatewaysUp } = now
  return {
    'database processors': database.cores / assumed.databaseCores,
    'database commits': database.commits / assumed.databaseCommitsPerSecond,
    'database write-ahead log': database.logBytes / 1e6 / assumed.databaseLogMbPerSecond,
    'database connections': (machines.gateways * assumed.connectionsPerGateway) / assumed.databaseConnections,
    'gateway processors': gateways.cores / (gatewaysUp * assumed.gatewayCores),
    'gateway memory': gateways.bytes / (gatewaysUp * assumed.gatewayMemoryGb * 1e9),
    'gateway open files': gateways.files / (gatewaysUp * assumed.gatewayFiles),
    'NATS messages': now.hasSignals
      ? deliveredSignals(spread, now) / (machines.signalServers * assumed.signalsPerSecond)
      : 0,
  }
}

function busiestDatabase(
  { ask, log }: Costs,
  { gateways }: Pick<Machines, 'gateways'>,
  spread: Distribution,
  now: Situation,
) {
  const asks = now.asksPerSecond * spread.busiest * now.busiestTimes
  const entries = entriesPerSecond(asks)
  const steps = stepsOfLogs(spread, now) * spread.busiest * now.busiestTimes
  const pages = asks * assumed.inboxShare * assumed.pagesPerInboxAsk + now.reconnects * spread.busiest
  const leases = gateways / measured.leaseSeconds
  const small = leases + gateways / measured.pollSeconds + gateways / measured.sequencerSeconds
  const ms =
    asks * mixed(measured.inboxAsk.databaseMs, measured.clientAsk.databaseMs) +
    asks * assumed.announcedShare * measured.announcement.databaseMs +
    pages * measured.page.databaseMs +
    entries * gateways * measured.polledEntryMs +
    small * measured.smallStatementMs +
    (steps * log.stepDatabaseUs) / 1_000
  return {
    cores: ms / 1_000,
    commits: asks * mixed(measured.inboxAskCommits, measured.clientAskCommits) + steps + leases,
    logBytes: asks * mixed(ask.logBytes, measured.clientAskEntries * log.noteLogBytes) + steps * log.stepLogBytes,
  }
}

function allGateways({ log }: Costs, spread: Distribution, now: Situation) {
  const asks = now.asksPerSecond
  const held = now.open * assumed.heldShare
  const pages = asks * assumed.inboxShare * assumed.pagesPerInboxAsk + now.reconnects
  const ms =
    asks * mixed(measured.inboxAsk.gatewayMs, measured.clientAsk.gatewayMs) +
    asks * assumed.announcedShare * measured.announcement.gatewayMs +
    asks * assumed.inboxShare * measured.inboxAskSignals * measured.streamMessageMs +
    pages * measured.page.gatewayMs +
    (stepsOfLogs(spread, now) * log.stepNodeUs) / 1_000
  return {
    cores: ms / 1_000,
    bytes:
      held * measured.heldCallBytes + (now.open - held) * measured.openCallBytes + now.pages * measured.streamBytes,
    files: held * measured.heldCallFiles + now.pages,
  }
}

function stepsOfLogs({ groups }: Distribution, { asksPerSecond }: Situation): number {
  return logStepsPerSecond(groups, entriesPerSecond(asksPerSecond), measured.sequencerSeconds)
}

/** NATS delivers a signal to the gateways that wait for an ask of the tenant. */
function deliveredSignals({ groups }: Distribution, { asksPerSecond, open, gatewaysUp }: Situation): number {
  const signals = asksPerSecond * assumed.inboxShare * measured.inboxAskSignals
  const waiting = open * assumed.inboxShare
  return groups.reduce(
    (sum, { tenants, share }) =>
      sum - tenants * signals * share * gatewaysUp * Math.expm1((-waiting * share) / gatewaysUp),
    0,
  )
}
