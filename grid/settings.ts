// Every timeout of the grid, and the settings that its processes get when they start.

import type { Address } from '../test-kit/mcp/address.ts'

export const waits = {
  /** How long a person may take. `long` is enough on a busy machine too. */
  askMs: { long: 90_000, short: 6_000 },
  /** The same in the comparisons, where some questions are never answered. */
  comparedAskMs: 25_000,
  /** When a late person answers, counted from the question: after the short ask timeout. */
  lateMs: 7_500,
  /** A server's own timeout behind a gateway, whose timeout must end first. */
  serverBehindGatewayMs: 110_000,
  /** Without a gateway only the server has a timeout. */
  serverAloneMs: 2_000,
  callMs: 150_000,
  cellMs: 60_000,
  crowdMs: 120_000,
  startMs: 120_000,
  /** A client must get an error for a dead server within this time, long before the question would expire. */
  newsMs: 20_000,
  /** How long a dead server may be down, and the interval of retries. */
  backMs: 60_000,
  againMs: 250,
  /** How long to watch for an end that no call waits for. */
  afterwardsMs: 60_000,
} as const

export type AskWait = keyof typeof waits.askMs

/** Settings of a server process, passed in the environment because its parent can be the grid, a client or a gateway. */
export interface ServerSettings {
  readonly journal: string
  readonly transport: 'stdio' | 'http'
  /** Where a 2025-11-25 server sends its questions: on the stream of the call or on that of the session. */
  readonly asksOn: 'call' | 'session'
  readonly patienceMs: number
  /** The same for all processes of a server, so that each accepts the state of the others. */
  readonly stateKey: string
  /** Zero picks one. */
  readonly port: number
}

export interface GatewaySettings {
  readonly transport: 'stdio' | 'http'
  readonly servers: Readonly<Record<string, Address>>
  readonly database: string
  readonly askWaitMs: number
}

/** What a server of the comparisons is started with. */
export interface ComparedSettings {
  /** For an imperfect server: the name of its quirk. */
  readonly name: string
  readonly transport: 'stdio' | 'http'
  /** The journal file. */
  readonly journal: string
}

const variable = 'GRID_SETTINGS'

type Settings = ServerSettings | GatewaySettings | ComparedSettings

export function inEnvironment(settings: Settings): Record<string, string> {
  return { [variable]: JSON.stringify(settings) }
}

export function ownSettings<T extends Settings>(): T {
  const text = process.env[variable]
  if (text === undefined) throw new Error('This process belongs to the grid: run it with `npm run grid`.')
  return JSON.parse(text) as T
}

/** The principal of a request, as the grid's own gateway reads it. */
export const personHeader = 'x-grid-person'
