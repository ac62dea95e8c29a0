// A round of a 2026-07-28 server that is answered in the inbox, and its retries.

import type { Store } from '@assent/store'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aRawServer, asks, call, type RawRequest, type Received, type Wire } from './wire.suite.ts'

export const args = { env: 'live' }
export const inEurope = { action: 'accept', content: { region: 'eu' } }
export const withoutForms = { capabilities: {} }
export const inbox = { surfaces: ['inbox'], holdMs: 50 } as const
export const local = { principal: 'local', groups: [] }

export type Reaction = (request: RawRequest) => unknown

/** A server that asks once, and answers a retry that carries the answer by `react`. */
export async function aServer(react: Reaction) {
  const runs: RawRequest[] = []
  const { url } = await aRawServer(async (received) => {
    if (received.params.inputResponses === undefined) return asks({ where: whichRegion }, 'round 1')
    runs.push(received)
    return react(received)
  })
  return { url, runs }
}

export function done(run: number) {
  return { result: { resultType: 'complete', content: [{ type: 'text', text: `run ${run}` }] } }
}

/** A call whose caller holds a state, and whose person has answered. */
export async function anAnsweredRound(url: string, store: Store) {
  const { requestState } = (await call(url, args, {}, withoutForms)).message.result
  await answerInInbox(store, await firstAsk(store), inEurope)
  return { requestState }
}

export function retry(url: string, rounds: Wire, sender = {}): Promise<Received> {
  return call(url, args, rounds, { ...withoutForms, ...sender })
}

/** Retries for as long as the result is `input_required`. */
export async function end(url: string, rounds: Wire): Promise<Received> {
  for (let received = await retry(url, rounds); ; received = await retry(url, rounds)) {
    if (received.message.result?.resultType !== 'input_required') return received
  }
}

export function textOf({ message }: Received): unknown {
  const content = message.result?.content as readonly { text: string }[] | undefined
  return content?.[0]?.text ?? message.error?.message
}
