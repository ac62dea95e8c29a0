// Every cell of the grid, as data: the topology it runs in, the client, and what happens.
//
// A topology is a server behind a route; the two clients use it in turn. The expected results are in expect.ts.

import type { Behaviour, Generation } from './messages.ts'
import { onceFailed } from './once-failed.ts'
import type { Mode, Script } from './question.ts'

export type Transport = 'stdio' | 'http'
export type Route = 'direct' | 'gateway' | 'two gateways' | 'two upstreams'

/** A 2025 server asks on the stream of the call, or, as most do, on the session's own. On stdio there is one stream. */
export type ServerKind = '2025' | '2025 session' | '2026'

export interface Topology {
  readonly route: Route
  /** Between the client and its next hop: the server or a gateway. */
  readonly front: Transport
  readonly server: ServerKind
  /** Between the server and its client or gateway. */
  readonly back: Transport
}

export interface Cell {
  readonly topology: Topology
  readonly client: Generation
  readonly act: ActName
  readonly mode: Mode
}

interface Act {
  readonly modes: readonly Mode[]
  readonly behaviour: Behaviour | Readonly<Record<Generation, Behaviour>> | Readonly<Record<Mode, Behaviour>>
  readonly script?: Script
  readonly via?: 'tool' | 'prompt' | 'resource'
  /** `idle`: mostly waits, so it runs in parallel with others. `last`: kills a server, so it runs alone at the end. */
  readonly turn?: 'idle' | 'last'
  readonly quick?: true
  readonly when?: (topology: Topology, client: Generation) => boolean
}

const behindGateway = ({ route }: Topology) => route !== 'direct'
const both: readonly Mode[] = ['form', 'url']
const form: readonly Mode[] = ['form']

/** In the order in which they run within a turn. */
export const acts = {
  accept: { modes: both, behaviour: 'accepts', quick: true },
  decline: { modes: both, behaviour: 'declines', quick: true },
  cancel: { modes: both, behaviour: 'cancels' },
  malformed: {
    modes: both,
    behaviour: { form: 'sends invalid content', url: 'sends an unknown action' },
    when: behindGateway,
    quick: true,
  },
  'unknown action': { modes: form, behaviour: 'sends an unknown action', when: behindGateway },
  'empty accept': { modes: form, behaviour: 'accepts without content', when: behindGateway },
  error: { modes: both, behaviour: 'fails', when: isPushed },
  undeclared: { modes: ['url'], behaviour: 'accepts', when: behindGateway },
  'in sequence': { modes: both, behaviour: 'accepts', script: 'in sequence' },
  'three at once': { modes: both, behaviour: 'accepts', script: 'three at once', quick: true },
  'in prompt': { modes: form, behaviour: 'accepts', via: 'prompt' },
  'in resource': { modes: form, behaviour: 'accepts', via: 'resource' },
  'refused first': {
    modes: ['url'],
    behaviour: 'accepts',
    script: 'refused first',
    when: ({ server }) => server !== '2026',
  },
  '2025-06-18': { modes: form, behaviour: 'accepts', when: (_topology, client) => client === '2025' },
  crowd: { modes: form, behaviour: 'accepts', when: ({ front }) => front === 'http' },
  timeout: {
    modes: both,
    behaviour: { 2025: 'never answers', 2026: 'answers too late' },
    turn: 'idle',
    when: hasQuestionTimeout,
  },
  'client gone': { modes: both, behaviour: 'never answers', turn: 'idle' },
  'server gone': { modes: both, behaviour: 'waits for release', turn: 'last', when: noticesDeadServer },
  'server back': { modes: form, behaviour: 'accepts', turn: 'last', when: behindGateway },
} as const satisfies Readonly<Record<string, Act>>

export type ActName = keyof typeof acts
export const actOf = (name: ActName): Act => acts[name]

/** An SDK 2.x client whose elicitation handler throws ends its call by itself. */
function isPushed(topology: Topology, client: Generation): boolean {
  return behindGateway(topology) && client === '2025'
}

/** A 2026 server has no timeout for a question that it has already returned. */
function hasQuestionTimeout({ route, server }: Topology): boolean {
  return route !== 'direct' || server !== '2026'
}

/** The SDK 1.x client continues to wait after the stream of its call has broken. */
function noticesDeadServer({ route, front, server }: Topology): boolean {
  return route !== 'direct' || front === 'stdio' || server === '2026'
}

/** On the longer routes a few acts are enough. */
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

function topologies(direct: boolean): Topology[] {
  if (direct) return servers.map(([server, back]) => ({ route: 'direct', front: back, server, back }))
  return [
    ...transports.flatMap((front) =>
      servers.map(([server, back]): Topology => ({ route: 'gateway', front, server, back })),
    ),
    ...servers.map(([server, back]): Topology => ({ route: 'two gateways', front: 'http', server, back })),
    ...servers.map(([server, back]): Topology => ({ route: 'two upstreams', front: 'http', server, back })),
  ]
}

export interface Choice {
  readonly direct: boolean
  readonly quick: boolean
  readonly only: string
}

/** The chosen cells, grouped by topology in the order in which they run. */
export function chooseCells({ direct, quick, only }: Choice, failedBefore: readonly string[] = onceFailed): Cell[][] {
  const isChosen = (cell: Cell) => !quick || isQuick(cell) || failedBefore.includes(nameOf(cell))
  return topologies(direct)
    .map((topology) => cellsAt(topology, direct).filter((cell) => isChosen(cell) && nameOf(cell).includes(only)))
    .filter((cells) => cells.length > 0)
}

/** Names that no cell has. Without this check, renaming a cell would silently remove it from the quick form. */
export function unknownNames(names: readonly string[] = onceFailed): string[] {
  const all = [true, false].flatMap((direct) => topologies(direct).flatMap((topology) => cellsAt(topology, direct)))
  const known = new Set(all.map(nameOf))
  return names.filter((name) => !known.has(name))
}

function cellsAt(topology: Topology, direct: boolean): Cell[] {
  const generations: readonly Generation[] = ['2025', '2026']
  const visitors = generations.filter((client) => !direct || topology.server.startsWith(client))
  return visitors.flatMap((client) =>
    (actsOnRoute[topology.route] ?? (Object.keys(acts) as ActName[])).flatMap((act) => {
      const { modes, when = () => true } = actOf(act)
      return when(topology, client) ? modes.map((mode) => ({ topology, client, act, mode })) : []
    }),
  )
}

/** A few acts of every pairing; on the longer routes, one server of each generation. */
function isQuick({ act, mode, topology: { route, server, back } }: Cell): boolean {
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

export function topologyName({
  client,
  topology: { route, front, server, back },
}: Pick<Cell, 'client' | 'topology'>): string {
  return `${client} ${front} → ${vias[route]}${server} ${back}`
}

export function nameOf(cell: Cell): string {
  return `${topologyName(cell)} · ${cell.act} · ${cell.mode}`
}
