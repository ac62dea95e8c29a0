// What ought to come out of each cell.
//
// One rule stands above all: an effect only after a valid accept, and then exactly one. Where the protocol leaves open
// how the other endings look to a server, every allowed look is listed here under its reason.

import { actOf, type Cell } from './cells.ts'
import { scripts } from './question.ts'

export interface Expected {
  readonly effects: 0 | 1
  /** What the server may see as the end of a question; `nothing` if it may never hear of it again. */
  readonly sees: readonly string[]
  /** What the client gets for its call: the server's result, a JSON-RPC error, either of them; or nobody can know. */
  readonly gets: 'result' | 'error' | 'either' | 'unknown'
  /** How often the client is shown each question. */
  readonly shown: 0 | 1
  readonly keys: readonly string[]
  /** How often the body ran. On 2026-07-28 that is once per round. */
  readonly runs: number
}

/** Only a valid accept is a yes; whoever said something else is treated as not having chosen. */
const malformedLooksLike = ['cancel']

/** An error in place of an answer is an answer too: it may be passed on where the server's revision can hear it. */
const errorLooksLike = ['cancel', 'error -32603']

/**
 * A mode that the client did not declare is never sent to it. The server may be told by its own SDK, by an error, or
 * by a cancel; or the call is refused before it asks again.
 */
const undeclaredLooksLike = ['nothing', 'cancel', 'error Error', 'error -32601', 'error -32602', 'error -32000']

/** Nobody answered in time: an error that says so where the revision has one, else cancel, because nobody refused. */
const timeoutLooksLike = ['cancel', 'error -32000']

/**
 * The 2025 server is blocked in a call and must be let go: by a cancel, by cancelling the call itself, or, where the client
 * may still come back, when the question expires. A server that was started for this client alone may also be ended with it.
 */
const clientGoneLooksLike = ['cancel', 'aborted', 'error -32000']
const clientGoneEndsServer = [...clientGoneLooksLike, 'nothing']

/** The 2026 server waits for nothing, so it need not hear that nobody comes back. */
const clientGoneUnheard = ['nothing', 'cancel']

/** Without a gateway a 2025 server learns of silence from its own clock. */
const ownTimeout = ['error -32001']

export function expectedOf(cell: Cell): Expected {
  const { place, act } = cell
  const { script = 'one' } = actOf(act)
  const rounds: readonly (readonly string[])[] = scripts[script]
  const modern = place.server === '2026'
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
        sees: place.route === 'direct' ? ownTimeout : timeoutLooksLike,
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

function afterClientGone({ place }: Cell): readonly string[] {
  if (place.server === '2026') return clientGoneUnheard
  if (place.route === 'direct') return [...ownTimeout, ...clientGoneEndsServer]
  return place.front === 'stdio' && place.back === 'stdio' ? clientGoneEndsServer : clientGoneLooksLike
}
