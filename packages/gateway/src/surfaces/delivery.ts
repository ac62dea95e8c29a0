// Whether an answer reached the server that asked for it, on record beside the answer.
//
// A server that waits inside its call may stop waiting at any moment, and answers may cross its cancellation. So an answer is
// marked as delivered while it is sent, and as undelivered when the server turns out to have stopped waiting. What the sweep
// finds of a dead process with neither mark was answered and never sent.

import type { Store } from '@assent/store'
import type { Given, Outcome } from '../relay/exchange.ts'
import { within } from './wait-for-ask.ts'

export interface Delivering {
  readonly store: Store
  readonly tenant: string
  /** The asks of the questions, by their keys. */
  readonly asks: ReadonlyMap<string, string>
  readonly onTrouble: (error: unknown) => void
}

/** Sends these answers, and records which of them arrived. */
export async function deliver(
  { store, tenant, asks, onTrouble }: Delivering,
  given: Readonly<Record<string, Given>>,
  send: () => Promise<Outcome>,
): Promise<Outcome> {
  const answered = Object.entries(given).flatMap(([key, one]) => ('result' in one ? (asks.get(key) ?? []) : []))
  const marking = Promise.all(answered.map((id) => store.asks.delivered(tenant, id)))
  // Marking is background work: a slow store holds up no answer.
  const marked = within(marking, 0).catch(onTrouble)
  const outcome = await send()
  await marked
  for (const key of outcome.undelivered ?? []) {
    const id = asks.get(key)
    if (id !== undefined) await within(store.asks.undelivered(tenant, id, true), 0).catch(onTrouble)
  }
  return outcome
}
