// Ends the asks of a held call: with the client's answers, or without one. Each question has an ask, which ends once.

import type { WithdrawReason } from '@assent/core'
import type { AnswerResult, Store } from '@assent/store'
import type { Answers, Call, InputResponse } from '../model.ts'
import { answerOf, givenOf, isSecretState } from '../route/inbox-asks.ts'
import { issuesInWords, secretAnswer, unfit, unseen } from '../screen/screen-questions.ts'

/** Settles the asks and returns the answers that the store accepted. An earlier answer from the inbox counts instead. */
export async function settleAsks(
  { asks }: Store,
  { tenant, principal }: Call,
  idOf: ReadonlyMap<string, string>,
  given: Answers,
  refusesSecrets: boolean,
): Promise<Answers> {
  const recorded: [string, InputResponse][] = []
  for (const [key, answer] of Object.entries(given)) {
    const id = idOf.get(key)
    if (id === undefined) {
      recorded.push([key, answer])
      continue
    }
    const request = { tenant, id, person: { principal, groups: [] }, via: 'client', refusesSecrets } as const
    const answered = await asks.answer({
      ...request,
      answer: 'result' in answer ? answerOf(answer.result) : { action: 'cancel' },
    })
    if (answered.kind === 'settled') recorded.push([key, answer])
    // This process sends the secret to the server, so the store need not keep it.
    if (answered.kind === 'settled' && isSecretState(answered.ask)) await asks.deleteSecret(tenant, id)
    // The inbox answered first, and that answer counts.
    if (answered.kind === 'ended') recorded.push([key, givenOf(answered.ask)])
    if (answered.kind === 'presence') {
      await asks.answer({ ...request, answer: { action: 'cancel' } })
      recorded.push([key, unseen])
    }
    if (answered.kind === 'invalid' || answered.kind === 'malformed' || answered.kind === 'looks-secret') {
      await asks.answer({ ...request, answer: { action: 'cancel' } })
      recorded.push([key, replacementFor(answered)])
    }
  }
  return Object.fromEntries(recorded)
}

/** Withdraws an ask whose answer would reach nobody. A person who answered just before gets "too late". */
export async function withdrawUnused(
  { asks }: Pick<Store, 'asks'>,
  tenant: string,
  id: string,
  reason: WithdrawReason,
): Promise<void> {
  const ended = await asks.withdraw(tenant, id, reason)
  if (ended.kind === 'ended' && ended.ask.state.kind === 'settled') await asks.undelivered(tenant, id, false)
}

/** The answer that the server gets in place of one that the store rejected. */
function replacementFor(answered: AnswerResult & { kind: 'invalid' | 'malformed' | 'looks-secret' }): InputResponse {
  if (answered.kind === 'looks-secret') return secretAnswer
  return unfit(answered.kind === 'invalid' ? issuesInWords(answered.issues) : answered.message)
}
