// Ends the asks of a held call: with the client's answers, or without one.
//
// Owns: nothing; the asks are in the store.
// I1  Each question has an ask, which ends once. If the inbox was first, its answer is sent instead of the client's.
// I2  Answers are sent only while this replica holds the call.

import type { WithdrawReason } from '@assent/core'
import type { AnswerResult, Store } from '@assent/store'
import type { RelayState } from '../call-state.ts'
import { type Answers, type Call, type InputResponse, type Outcome, withAskIds } from '../model.ts'
import { type Delivering, deleteSentSecrets, deliver } from '../route/delivery.ts'
import { answerOf, givenOf, storedAnswer } from '../route/inbox-asks.ts'
import { isUnsent } from '../route/send-answers.ts'
import { issuesInWords, secretAnswer, unfit, unseen } from '../screen/screen-questions.ts'
import { leaseLost } from './lost-calls.ts'

/**
 * Settles the asks of a held call, and sends its server the answers that count.
 *
 * @param mayContinue checked after the asks are settled, which may take long: whether this replica still holds the call
 */
export async function settleAndSend(
  delivering: Delivering,
  call: Call,
  given: Answers,
  refusesSecrets: boolean,
  mayContinue: () => Promise<boolean>,
  send: (answers: Answers) => Promise<Outcome<RelayState>>,
): Promise<Outcome<RelayState>> {
  const { store, asks } = delivering
  const recorded = await settleAsks(store, call, asks, given, refusesSecrets)
  if (!(await mayContinue())) return leaseLost
  const answers = withAskIds(recorded, (key) => asks.get(key))
  const outcome = await deliver(delivering, recorded, () => send(answers))
  if (!isUnsent(outcome)) await deleteSentSecrets(delivering, recorded)
  return outcome
}

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
    if (answered.kind === 'settled') recorded.push([key, storedAnswer(answer, answered.ask)])
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
