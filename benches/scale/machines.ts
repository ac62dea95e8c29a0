// How many machines the peak needs, what they store and what they cost.

import { assumed } from './assumed.ts'
import {
  type Costs,
  type Distribution,
  demandOf,
  entriesPerSecond,
  type Machines,
  mixed,
  type Resource,
} from './demand.ts'
import { measured } from './measured.ts'
import { busiestShare, type TenantGroup } from './tenants.ts'

export interface Needs {
  readonly meanPerSecond: number
  readonly peakPerSecond: number
  readonly databases: number
  /** The resource that decides the number of databases, and of gateways. */
  readonly databasesBecause: string
  readonly gateways: number
  readonly gatewaysBecause: string
  readonly signalServers: number
  readonly spread: Distribution
  readonly keptTb: number
  readonly logTb: number
  readonly usdPerMonth: number
  readonly usdPerMillion: number
}

const terabyte = 1e12
const daySeconds = 86_400
const monthHours = 730
const mostMachines = 10_000

/** The share of each resource that may be used at the peak without a failure. */
const planned: Readonly<Record<Resource, number>> = {
  'database processors': assumed.databaseBusyMost,
  'database commits': assumed.databaseBusyMost,
  'database write-ahead log': assumed.databaseBusyMost,
  'database connections': 1,
  'gateway processors': assumed.gatewayBusyMost,
  'gateway memory': assumed.gatewayBusyMost,
  'gateway open files': assumed.gatewayBusyMost,
  'NATS messages': assumed.signalServerBusyMost,
}

export function needsOf(costs: Costs, groups: readonly TenantGroup[], random: () => number): Needs {
  const meanPerSecond = assumed.asksPerDay / daySeconds
  const peakPerSecond = meanPerSecond * assumed.peakOverMean
  const peak = {
    asksPerSecond: peakPerSecond,
    open: peakPerSecond * meanWaitSeconds(),
    pages: assumed.people * assumed.watchingShare,
    reconnects: 0,
    busiestTimes: 1,
    hasSignals: true,
  }
  const keptTb = (assumed.asksPerDay * assumed.answerDays * keptBytes(costs)) / terabyte
  const logTb = (entriesPerSecond(meanPerSecond) * daySeconds * assumed.logDays * measured.leafBytes) / terabyte
  const lacking = (machines: Machines, part: 'database' | 'gateway' | 'NATS') => {
    const spread = { groups, busiest: busiestShare(groups, machines.databases, random) }
    const demand = demandOf(costs, machines, spread, { ...peak, gatewaysUp: machines.gateways })
    const used = Object.entries(demand) as [Resource, number][]
    const short = used.filter(([name, share]) => name.startsWith(part) && share > planned[name]).map(([name]) => name)
    return part === 'database' && keptTb * spread.busiest > assumed.databaseTbMost ? [...short, 'disk'] : short
  }
  const many = { databases: mostMachines, gateways: mostMachines, signalServers: mostMachines }
  const gateways = fewest((count) => lacking({ ...many, gateways: count }, 'gateway'))
  const some = { ...many, gateways: gateways.count }
  const databases = fewest((count) => lacking({ ...some, databases: count }, 'database'))
  const signalServers = fewest((count) => lacking({ ...some, signalServers: count }, 'NATS'))
  const cores = databases.count * assumed.databaseCores * assumed.copies + gateways.count * assumed.gatewayCores
  const usdPerMonth =
    cores * assumed.coreHourUsd * monthHours +
    keptTb * 1_000 * assumed.diskGbMonthUsd * assumed.copies +
    logTb * 1_000 * assumed.objectGbMonthUsd
  return {
    meanPerSecond,
    peakPerSecond,
    databases: databases.count,
    databasesBecause: databases.because,
    gateways: gateways.count,
    gatewaysBecause: gateways.because,
    signalServers: signalServers.count,
    spread: { groups, busiest: busiestShare(groups, databases.count, random) },
    keptTb,
    logTb,
    usdPerMonth,
    usdPerMillion: (usdPerMonth / ((assumed.asksPerDay * monthHours) / 24)) * 1e6,
  }
}

/** The smallest number with which nothing is lacking, and what one fewer would lack. */
function fewest(lacking: (count: number) => readonly string[]): { count: number; because: string } {
  let because = ''
  for (let count = 1; count <= mostMachines; count++) {
    const short = lacking(count)
    if (short.length === 0) return { count, because }
    because = short.join(', ')
  }
  throw new Error(`More than ${mostMachines} machines would be needed because of ${because}.`)
}

/** Rows of asks with their texts, and the texts of the audit log. */
function keptBytes({ ask, log }: Costs): number {
  const inbox = ask.keptBytes - measured.inboxAskEntries * measured.leafBytes
  return mixed(inbox, measured.clientAskEntries * Math.max(0, log.noteLogBytes - measured.leafBytes))
}

/** The mean of the lognormal distribution of answer times. */
function meanWaitSeconds(): number {
  return assumed.answerMedianSeconds * Math.exp(assumed.answerSigma ** 2 / 2)
}
