// Every cell of the grid, as data: where it plays, who calls, what happens.
//
// A place is a server behind a route; the two clients visit it in turn. What ought to come out is in expect.ts.

import type { Generation, Manner } from './messages.ts'
import { onceFailed } from './once-failed.ts'
import type { Mode, Script } from './question.ts'

export type Transport = 'stdio' | 'http'
export type Route = 'direct' | 'gateway' | 'two gateways' | 'two upstreams'

/** A 2025 server asks on the stream of the call, or, as most do, on the session's own. On stdio there is one stream. */
export type ServerKind = '2025' | '2025 session' | '2026'

export interface Place {
  readonly route: Route
  /** Between the client and whatever it talks to. */
  readonly front: Transport
  readonly server: ServerKind
  /** Between the server and whatever talks to it. */
  readonly back: Transport
}

export interface Cell {
  readonly place: Place
  readonly client: Generation
  readonly act: ActName
  readonly mode: Mode
}

interface Act {
  readonly modes: readonly Mode[]
  readonly manner: Manner | Readonly<Record<Generation, Manner>> | Readonly<Record<Mode, Manner>>
  readonly script?: Script
  readonly via?: 'tool' | 'prompt' | 'resource'
  /** What spends its time waiting may do so beside others; what kills a server has it for itself, at the end. */
  readonly turn?: 'idle' | 'last'
  readonly quick?: true
  readonly when?: (place: Place, client: Generation) => boolean
}

const behindGateway = ({ route }: Place) => route !== 'direct'
const both: readonly Mode[] = ['form', 'url']
const form: readonly Mode[] = ['form']

/** In the order in which they are played, turn by turn. */
export const acts = {
  accept: { modes: both, manner: 'accepts', quick: true },
  decline: { modes: both, manner: 'declines', quick: true },
  cancel: { modes: both, manner: 'cancels' },
  malformed: { modes: both, manner: { form: 'misfits', url: 'says nonsense' }, when: behindGateway, quick: true },
  'unknown action': { modes: form, manner: 'says nonsense', when: behindGateway },
  'empty accept': { modes: form, manner: 'says nothing', when: behindGateway },
  error: { modes: both, manner: 'breaks', when: isPushed },
  undeclared: { modes: ['url'], manner: 'accepts', when: behindGateway },
  'in sequence': { modes: both, manner: 'accepts', script: 'in sequence' },
  'three at once': { modes: both, manner: 'accepts', script: 'three at once', quick: true },
  'in prompt': { modes: form, manner: 'accepts', via: 'prompt' },
  'in resource': { modes: form, manner: 'accepts', via: 'resource' },
  'refused first': {
    modes: ['url'],
    manner: 'accepts',
    script: 'refused first',
    when: ({ server }) => server !== '2026',
  },
  '2025-06-18': { modes: form, manner: 'accepts', when: (_place, client) => client === '2025' },
  crowd: { modes: form, manner: 'accepts', when: ({ front }) => front === 'http' },
  timeout: { modes: both, manner: { 2025: 'is silent', 2026: 'comes too late' }, turn: 'idle', when: someoneTimes },
  'client gone': { modes: both, manner: 'is silent', turn: 'idle' },
  'server gone': { modes: both, manner: 'waits', turn: 'last', when: someoneNotices },
  'server back': { modes: form, manner: 'accepts', turn: 'last', when: behindGateway },
} as const satisfies Readonly<Record<string, Act>>

export type ActName = keyof typeof acts
export const actOf = (name: ActName): Act => acts[name]

/** An SDK 2.x client whose person breaks gives up its call by itself. */
function isPushed(place: Place, client: Generation): boolean {
  return behindGateway(place) && client === '2025'
}

/** A 2026 server has no clock of its own for a question that it has already handed out. */
function someoneTimes({ route, server }: Place): boolean {
  return route !== 'direct' || server !== '2026'
}

/** The SDK 1.x client itself waits on after the stream of its call has broken off. */
function someoneNotices({ route, front, server }: Place): boolean {
  return route !== 'direct' || front === 'stdio' || server === '2026'
}

/** Where more than the server differs, a few acts tell enough. */
const actsOnRoute: Readonly<Partial<Record<Route, readonly ActName[]>>> = {
  'two gateways': [
    'accept',
    'decline',
    'malformed',
    'in sequence',
    'three at once',
    'timeout',
    'client gone',
    'server gone',
  ],
  'two upstreams': ['accept', 'decline', 'three at once'],
}

const transports: readonly Transport[] = ['http', 'stdio']
const servers: readonly (readonly [ServerKind, Transport])[] = [
  ['2025', 'http'],
  ['2025 session', 'http'],
  ['2025', 'stdio'],
  ['2026', 'http'],
  ['2026', 'stdio'],
]

function places(direct: boolean): Place[] {
  if (direct) return servers.map(([server, back]) => ({ route: 'direct', front: back, server, back }))
  return [
    ...transports.flatMap((front) =>
      servers.map(([server, back]): Place => ({ route: 'gateway', front, server, back })),
    ),
    ...servers.map(([server, back]): Place => ({ route: 'two gateways', front: 'http', server, back })),
    ...servers.map(([server, back]): Place => ({ route: 'two upstreams', front: 'http', server, back })),
  ]
}

export interface Choice {
  readonly direct: boolean
  readonly quick: boolean
  readonly only: string
}

/** The chosen cells, place by place in the order of playing. */
export function chooseCells({ direct, quick, only }: Choice, failedBefore: readonly string[] = onceFailed): Cell[][] {
  const isChosen = (cell: Cell) => !quick || isQuick(cell) || failedBefore.includes(nameOf(cell))
  return places(direct)
    .map((place) => cellsAt(place, direct).filter((cell) => isChosen(cell) && nameOf(cell).includes(only)))
    .filter((cells) => cells.length > 0)
}

/** Of these names, those that no cell has: a cell that is renamed must not leave the quick form unnoticed. */
export function unknownNames(names: readonly string[] = onceFailed): string[] {
  const all = [true, false].flatMap((direct) => places(direct).flatMap((place) => cellsAt(place, direct)))
  const known = new Set(all.map(nameOf))
  return names.filter((name) => !known.has(name))
}

function cellsAt(place: Place, direct: boolean): Cell[] {
  const generations: readonly Generation[] = ['2025', '2026']
  const visitors = generations.filter((client) => !direct || place.server.startsWith(client))
  return visitors.flatMap((client) =>
    (actsOnRoute[place.route] ?? (Object.keys(acts) as ActName[])).flatMap((act) => {
      const { modes, when = () => true } = actOf(act)
      return when(place, client) ? modes.map((mode) => ({ place, client, act, mode })) : []
    }),
  )
}

/** A few acts of every pairing; of the longer routes, one server of each generation. */
function isQuick({ act, mode, place: { route, server, back } }: Cell): boolean {
  const short = route === 'gateway' || route === 'direct'
  if (!short && (back === 'stdio' || server === '2025 session')) return false
  return actOf(act).quick === true && (mode === 'form' || act === 'accept')
}

const vias: Readonly<Record<Route, string>> = {
  direct: '',
  gateway: 'gateway → ',
  'two gateways': 'gateway → gateway → ',
  'two upstreams': 'gateway → two of ',
}

export function placeName({ client, place: { route, front, server, back } }: Pick<Cell, 'client' | 'place'>): string {
  return `${client} ${front} → ${vias[route]}${server} ${back}`
}

export function nameOf(cell: Cell): string {
  return `${placeName(cell)} · ${cell.act} · ${cell.mode}`
}
