// Records with each answer whether it reached the server that asked.
//
// Owns: the marks of answers. A server that waits inside its call may stop waiting at any moment, so an answer and a
// cancellation can cross.
// I1  An answer is marked as delivered while it is sent, and as undelivered when the server turns out to have stopped
//     waiting. An answer without either mark whose replica died was never sent.
// I2  A slow store does not delay an answer.
// I3  A secret answer is deleted from the store only after it was sent: until then a retry needs it.

import type { Store } from '@assent/store'
import type { Answers, Outcome } from '../model.ts'
import { withinOrFail } from './wait-for-ask.ts'

export interface Delivering {
  readonly store: Store
  readonly tenant: string
  /** The ask of each question, by the question's key. */
  readonly asks: ReadonlyMap<string, string>
  readonly onError: (error: unknown) => void
}

/** Sends these answers and records which of them arrived. */
export async function deliver<State>(
  { store, tenant, asks, onError }: Delivering,
  given: Answers,
  send: () => Promise<Outcome<State>>,
): Promise<Outcome<State>> {
  const answered = Object.entries(given).flatMap(([key, one]) => ('result' in one ? (asks.get(key) ?? []) : []))
  const marking = Promise.all(answered.map((id) => store.asks.delivered(tenant, id)))
  // Marking runs in the background: a slow store must not delay an answer.
  const marked = withinOrFail(marking, 0).catch(onError)
  const outcome = await send()
  await marked
  for (const key of outcome.undelivered ?? []) {
    const id = asks.get(key)
    if (id !== undefined) await withinOrFail(store.asks.undelivered(tenant, id, true), 0).catch(onError)
  }
  return outcome
}

/** Deletes the secrets among these answers, which were sent. What fails here is deleted by the sweep of the store. */
export async function deleteSentSecrets({ store, tenant, asks, onError }: Delivering, sent: Answers): Promise<void> {
  for (const [key, given] of Object.entries(sent)) {
    const id = asks.get(key)
    if (id === undefined || 'error' in given || !(given.isConfirmed || given.isSecret)) continue
    await store.asks.deleteSecret(tenant, id).catch(onError)
  }
}
