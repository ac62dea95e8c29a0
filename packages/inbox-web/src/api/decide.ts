// Answers one ask. Sending the same answer again after a network error reuses its decision id, so it counts once.

import type { AnswerBody, InboxProblem, SecretView } from '@assent/core'
import { useRef } from 'react'
import { useAnswer, useHandOver } from './queries.ts'

interface DecisionHandlers {
  readonly onAnswer: (given: AnswerBody['answer'], confirmed?: boolean) => Promise<InboxProblem | undefined>
  readonly onHandOver: (secret: string, view: SecretView) => Promise<InboxProblem | undefined>
}

export function useDecide(id: string): DecisionHandlers {
  const answer = useAnswer(id)
  const handOver = useHandOver(id)
  const decision = useRef({ about: '', id: '' })
  const decisionOn = (about: string) => {
    if (decision.current.about !== about) decision.current = { about, id: crypto.randomUUID() }
    return decision.current.id
  }
  return {
    onAnswer: async (given, confirmed = false) => {
      const decisionId = decisionOn(JSON.stringify(given))
      const reply = await answer.mutateAsync({ decisionId, answer: given, ...(confirmed ? { confirmed } : {}) })
      return reply.ok ? undefined : reply.problem
    },
    onHandOver: async (secret, view) => {
      const reply = await handOver.mutateAsync({ decisionId: decisionOn('hand over'), secret, view })
      return reply.ok ? undefined : reply.problem
    },
  }
}
