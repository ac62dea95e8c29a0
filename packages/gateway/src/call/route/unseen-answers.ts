// Client answers that arrived before a person can have read the question. The same state cannot be used to answer
// later.
//
// Owns: the rows of these questions. A client that retries with a state may send one request twice, after a lost
// connection or on purpose.
// I1  Each such question has a row in the store, visible to all replicas. Otherwise the second request would be accepted
//     only because it arrives later.

import { createHash } from 'node:crypto'
import { newId } from '@assent/core'
import type { RoundKey, Store } from '@assent/store'
import { relayLimits } from '../../limits.ts'
import type { OpenRound, RelayState } from '../call-state.ts'
import type { TimedResponses } from '../layers.ts'
import type { Answers, Call, InputResponse } from '../model.ts'
import { unseen } from '../screen/screen-questions.ts'
import { longestWaitMs } from './ask-deadline.ts'
import { approves, isFromPerson, isNo, isYes, type PersonSettings } from './person-answers.ts'

/** No replica runs anything under these rows, so none owns them. */
const owner = 'unseen'

/** `unseen`: the answer does not count as a person's; `unattended`: an accept that the server got anyway. */
export type UnseenAnswer = 'unseen' | 'unattended'

/** Called for an answer that cannot come from a person, with the call and the server that asked. */
export type OnUnseen = (call: Call, server: string, key: string, how: UnseenAnswer) => void

type Settings = PersonSettings & { readonly askWaitMs: number }

export class UnseenAnswers {
  readonly #store: Store
  readonly #settings: Settings
  readonly #onUnseen: OnUnseen

  constructor(store: Store, settings: Settings, onUnseen: OnUnseen) {
    this.#store = store
    this.#settings = settings
    this.#onUnseen = onUnseen
  }

  /** Records an answer that does not count. */
  async note(call: Call, state: RelayState, key: string): Promise<void> {
    await this.#keep(call, state, key)
    this.#onUnseen(call, state.server, key, 'unseen')
  }

  async has(call: Call, state: RelayState, key: string): Promise<boolean> {
    const name = nameOf(call, state, key)
    return name !== undefined && (await this.#store.rounds.read(name)) !== undefined
  }

  /**
   * The client's answers where there is no other surface to ask on. An answer that cannot come from a person is passed
   * on and reported as such, but it never counts as an approval.
   */
  async screen(call: Call, state: RelayState, came: TimedResponses): Promise<Answers> {
    const { server, schemas } = state
    const all: [string, InputResponse][] = []
    for (const [key, { given, afterMs }] of Object.entries(came)) {
      if (given === undefined) continue
      const schema = Object.hasOwn(schemas, key) ? schemas[key] : false
      const isChoice = isYes(given) || isNo(given)
      const isApproval = schema !== false && isYes(given) && approves(schema)
      const { presence = 'none' } = this.#settings
      // Asked before a passkey was needed, and by a state that cannot move to the inbox: it counts as not answered. The state
      // does not say whether the tool is destructive, so every yes counts as one that needs it.
      if (schema !== false && isYes(given) && presence !== 'none') {
        this.#onUnseen(call, server, key, 'unseen')
        all.push([key, unseen])
        continue
      }
      if (schema === false || !isChoice || isFromPerson(this.#settings, call.client, given, afterMs)) {
        const isRepeated = isApproval && afterMs !== undefined && (await this.has(call, state, key))
        all.push([key, isRepeated ? unseen : given])
        continue
      }
      if (isApproval) await this.#keep(call, state, key)
      this.#onUnseen(call, server, key, isYes(given) && !isApproval ? 'unattended' : 'unseen')
      all.push([key, isApproval ? unseen : given])
    }
    return Object.fromEntries(all)
  }

  async #keep(call: Call, state: RelayState, key: string): Promise<void> {
    const name = nameOf(call, state, key)
    const keepMs = longestWaitMs(this.#settings) + relayLimits.deferredExtraMs
    if (name !== undefined) await this.#store.rounds.claim(name, owner, keepMs)
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
