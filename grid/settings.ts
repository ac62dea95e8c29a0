// Every wait of the grid, and what its processes are told when they start.

export const waits = {
  /** How long a person may take. At a patient gateway no busy machine makes an answer late. */
  askMs: { patient: 25_000, hasty: 2_000 },
  /** When a person comes too late for a hasty gateway, counted from the question. */
  lateMs: 3_500,
  /** A server's own patience behind a gateway: the gateway must have spoken long before. */
  serverBehindGatewayMs: 30_000,
  /** Without a gateway the server is the only one with a clock. */
  serverAloneMs: 2_000,
  callMs: 45_000,
  cellMs: 20_000,
  crowdMs: 50_000,
  startMs: 30_000,
  /** A client must hear of a dead server within this time. */
  newsMs: 5_000,
  /** A server that died may be away this long, and is tried again this often. */
  backMs: 15_000,
  againMs: 250,
  /** How long to look out for an ending that nobody waits for. */
  afterwardsMs: 8_000,
} as const

export type Pace = keyof typeof waits.askMs

/** What a server process is told, through its environment because its parent may be anyone. */
export interface ServerSettings {
  readonly journal: string
  readonly transport: 'stdio' | 'http'
  /** Where a 2025-11-25 server puts its questions: on the stream of the call, or on the session's own. */
  readonly asksOn: 'call' | 'session'
  readonly patienceMs: number
  /** The same for all processes of a server, so that any of them knows the state again. */
  readonly stateKey: string
  /** Zero picks one. */
  readonly port: number
}

export type Address =
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }

export interface GatewaySettings {
  readonly transport: 'stdio' | 'http'
  readonly servers: Readonly<Record<string, Address>>
  readonly database: string
  readonly askWaitMs: number
}

/** What a server of the comparisons is started with. */
export interface ComparedSettings {
  /** Of an imperfect server, how it differs from an ordinary one. */
  readonly name: string
  readonly transport: 'stdio' | 'http'
  /** Where it writes what happened. */
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
