// Client answers that arrived before a person can have read the question. The same state cannot be used to answer
// later.
//
// A client that retries with a state may send one request twice, after a lost connection or on purpose. Each such
// question has a row in the store, visible to all replicas. Otherwise the second request would be accepted only because
// it arrives later.

import { createHash } from 'node:crypto'
import { newId } from '@assent/core'
import type { RoundKey, Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import type { Call } from '../model.ts'
import type { OpenRound, RelayState } from '../relay-state.ts'
import { longestWaitMs } from './ask-deadline.ts'

/** No replica runs anything under these rows, so none owns them. */
const owner = 'unseen'

export class UnseenAnswers {
  readonly #store: Store
  readonly #settings: { readonly askWaitMs: number }

  constructor(store: Store, settings: { readonly askWaitMs: number }) {
    this.#store = store
    this.#settings = settings
  }

  async note(call: Call, resume: RelayState, key: string): Promise<void> {
    const name = nameOf(call, resume, key)
    const keepMs = longestWaitMs(this.#settings) + relayLimits.deferredExtraMs
    if (name !== undefined) await this.#store.rounds.claim(name, owner, keepMs)
  }

  async has(call: Call, resume: RelayState, key: string): Promise<boolean> {
    const name = nameOf(call, resume, key)
    return name !== undefined && (await this.#store.rounds.read(name)) !== undefined
  }
}

/** A question has one ask id, however often the request is retried. */
export function unseenAskId(round: OpenRound, key: string): string {
  return newId('ask', round.atMs, (count) => digestOf(round, key).subarray(0, count))
}

/** Undefined for questions that are answered in a session: there each question is answered once. */
function nameOf({ tenant, principal }: Call, { round }: RelayState, key: string): RoundKey | undefined {
  return round === undefined
    ? undefined
    : { tenant, principal, id: `unseen-${digestOf(round, key).toString('base64url')}` }
}

function digestOf({ id }: OpenRound, key: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['unseen answer', id, key]))
    .digest()
}
