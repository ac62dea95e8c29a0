// Answers of a client that arrived before a person can have read the question: the same state does not answer it later.
//
// A client that comes back with a state may send one request again, after a lost connection or on purpose. So that the
// second one does not count because time has passed meanwhile, each such question has a row in the store, for all replicas.

import { createHash } from 'node:crypto'
import { newId } from '@assent/core'
import type { RoundName, Store } from '@assent/store'
import { relayLimits } from '../limits.ts'
import type { OpenRound } from '../relay/asking.ts'
import type { Call } from '../relay/exchange.ts'
import type { Resume } from '../relay/relay.ts'
import { longestWaitMs } from './ask-deadline.ts'

/** Nobody runs anything under these rows, so no replica owns them. */
const owner = 'unseen'

export class UnseenAnswers {
  readonly #store: Store
  readonly #settings: { readonly askWaitMs: number }

  constructor(store: Store, settings: { readonly askWaitMs: number }) {
    this.#store = store
    this.#settings = settings
  }

  async note(call: Call, resume: Resume, key: string): Promise<void> {
    const name = nameOf(call, resume, key)
    const keepMs = longestWaitMs(this.#settings) + relayLimits.deferredExtraMs
    if (name !== undefined) await this.#store.rounds.claim(name, owner, keepMs)
  }

  async has(call: Call, resume: Resume, key: string): Promise<boolean> {
    const name = nameOf(call, resume, key)
    return name !== undefined && (await this.#store.rounds.read(name)) !== undefined
  }
}

/** One ask for one question, however often the request is sent again. */
export function unseenAskId(round: OpenRound, key: string): string {
  return newId('ask', round.atMs, (count) => digestOf(round, key).subarray(0, count))
}

/** Undefined for questions that are answered in a session: there each one is answered once. */
function nameOf({ tenant, principal }: Call, { round }: Resume, key: string): RoundName | undefined {
  return round === undefined
    ? undefined
    : { tenant, principal, id: `unseen-${digestOf(round, key).toString('base64url')}` }
}

function digestOf({ id }: OpenRound, key: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['unseen answer', id, key]))
    .digest()
}
