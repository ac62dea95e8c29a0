// Settling one ask from a page: the same answer pressed again, because the network broke off, is the same decision.

import type { AnswerBody, InboxProblem, SecretView } from '@assent/core'
import { useRef } from 'react'
import { useAnswer, useHandOver } from './queries.ts'

interface Deciding {
  readonly onAnswer: (given: AnswerBody['answer'], confirmed?: boolean) => Promise<InboxProblem | undefined>
  readonly onHandOver: (secret: string, view: SecretView) => Promise<InboxProblem | undefined>
}

export function useDecide(id: string): Deciding {
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
