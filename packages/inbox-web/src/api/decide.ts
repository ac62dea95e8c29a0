// Answers one ask.

import type { AnswerBody, AskView, InboxProblem, PresenceBody, SecretView } from '@assent/core'
import { useDecisionIds } from './decision-ids.ts'
import { signAnswer } from './passkeys.ts'
import { useAnswer, useHandOver } from './queries.ts'

/** The problem if the answer was refused; `left` if the person closed the prompt for their passkey. */
export type Refusal = InboxProblem | 'left' | undefined

interface DecisionHandlers {
  readonly onAnswer: (ask: AskView, given: AnswerBody['answer'], confirmed?: boolean) => Promise<Refusal>
  readonly onHandOver: (ask: AskView, secret: string, view: SecretView) => Promise<Refusal>
}

export function useDecide(id: string): DecisionHandlers {
  const answer = useAnswer(id)
  const handOver = useHandOver(id)
  const decisionOn = useDecisionIds()
  return {
    onAnswer: async (ask, given, confirmed = false) => {
      const signed = await presenceFor(ask, given, confirmed)
      if (!signed.ok) return signed.problem
      const decisionId = decisionOn(JSON.stringify(given))
      const sent = { decisionId, answer: given, ...(confirmed ? { confirmed } : {}), ...signed.value }
      const reply = await answer.mutateAsync(sent)
      return reply.ok ? undefined : reply.problem
    },
    onHandOver: async (ask, secret, view) => {
      const signed = await presenceFor(ask, { action: 'accept' }, true)
      if (!signed.ok) return signed.problem
      const reply = await handOver.mutateAsync({ decisionId: decisionOn('hand over'), secret, view, ...signed.value })
      return reply.ok ? undefined : reply.problem
    },
  }
}

/** The passkey's signature, where accepting needs one. */
async function presenceFor(
  { id, needsPresence }: AskView,
  given: AnswerBody['answer'],
  confirmed: boolean,
): Promise<
  | { readonly ok: true; readonly value: { readonly presence?: PresenceBody } }
  | { readonly ok: false; readonly problem: InboxProblem | 'left' }
> {
  if (needsPresence !== true || given.action !== 'accept') return { ok: true, value: {} }
  const signed = await signAnswer(id, given, confirmed)
  return signed.ok ? { ok: true, value: { presence: signed.value } } : signed
}
