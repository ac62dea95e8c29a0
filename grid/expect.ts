// The expected result of each cell.
//
// The main rule: an effect only after a valid accept, and then exactly one. Where the protocol leaves open what the
// server sees in the other cases, every allowed value is listed here with the reason.

import { actOf, type Cell } from './cells.ts'
import { scripts } from './question.ts'

export interface Expected {
  readonly effects: 0 | 1
  /** What the server may receive as the end of a question; `nothing` if it may receive no answer. */
  readonly sees: readonly string[]
  /** What the client gets for its call: the server's result, a JSON-RPC error, either of them; or it cannot be known. */
  readonly gets: 'result' | 'error' | 'either' | 'unknown'
  /** How often the client is shown each question. */
  readonly shown: 0 | 1
  readonly keys: readonly string[]
  /** How often the body ran. On 2026-07-28 that is once per round. */
  readonly runs: number
}

/** Only a valid accept is a yes; any other answer is treated as no choice (cancel). */
const malformedLooksLike = ['cancel']

/** An error instead of an answer may be forwarded if the server's revision can receive it. */
const errorLooksLike = ['cancel', 'error -32603']

/**
 * A mode that the client did not declare is never sent to it. The server gets an error from its own SDK or from the
 * gateway, or a cancel; or the call is refused before it asks again.
 */
const undeclaredLooksLike = ['nothing', 'cancel', 'error Error', 'error -32601', 'error -32602', 'error -32000']

/** No answer in time: a timeout error if the revision has one, else cancel, because the person did not decline. */
const timeoutLooksLike = ['cancel', 'error -32000']

/**
 * The 2025 server is blocked in a call and must be released: by a cancel, by cancelling the call, or, if the client may
 * still reconnect, when the question expires. A server that was started for this client alone may also end with it.
 */
const clientGoneLooksLike = ['cancel', 'aborted', 'error -32000']
const clientGoneEndsServer = [...clientGoneLooksLike, 'nothing']

/** The 2026 server is not waiting, so it need not learn that the client is gone. */
const clientGoneUnheard = ['nothing', 'cancel']

/** Without a gateway a 2025 server's own timeout ends the question. */
const ownTimeout = ['error -32001']

export function expectedOf(cell: Cell): Expected {
  const { topology, act } = cell
  const { script = 'one' } = actOf(act)
  const rounds: readonly (readonly string[])[] = scripts[script]
  const modern = topology.server === '2026'
  const done = { shown: 1, keys: rounds.flat(), runs: modern ? rounds.length + 1 : 1 } as const
  const firstRound = { shown: 1, keys: rounds[0] ?? [], runs: modern ? 2 : 1 } as const
  switch (act) {
    case 'decline':
      return { ...firstRound, effects: 0, sees: ['decline'], gets: 'result' }
    case 'cancel':
      return { ...firstRound, effects: 0, sees: ['cancel'], gets: 'result' }
    case 'malformed':
    case 'unknown action':
    case 'empty accept':
      return { ...firstRound, effects: 0, sees: malformedLooksLike, gets: 'result' }
    case 'error':
      return { ...firstRound, effects: 0, sees: modern ? ['cancel'] : errorLooksLike, gets: 'result' }
    case 'undeclared':
      return { ...firstRound, effects: 0, sees: undeclaredLooksLike, gets: 'either', shown: 0 }
    case 'timeout':
      return {
        ...firstRound,
        effects: 0,
        sees: topology.route === 'direct' ? ownTimeout : timeoutLooksLike,
        gets: 'result',
      }
    case 'client gone':
      return { ...firstRound, effects: 0, sees: afterClientGone(cell), gets: 'unknown' }
    case 'server gone':
      return { ...firstRound, effects: 0, sees: ['nothing'], gets: 'error', runs: 1 }
    case 'refused first':
      return { ...done, effects: 1, sees: ['nothing'], gets: 'result', runs: 2, shown: cell.client === '2025' ? 0 : 1 }
    default:
      return { ...done, effects: 1, sees: ['accept'], gets: 'result' }
  }
}

function afterClientGone({ topology }: Cell): readonly string[] {
  if (topology.server === '2026') return clientGoneUnheard
  if (topology.route === 'direct') return [...ownTimeout, ...clientGoneEndsServer]
  return topology.front === 'stdio' && topology.back === 'stdio' ? clientGoneEndsServer : clientGoneLooksLike
}
