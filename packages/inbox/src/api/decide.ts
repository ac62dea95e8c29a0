// Answering one ask from a page: the same answer pressed again, because the network broke off, is the same decision.

import type { AnswerBody, InboxProblem } from '@assent/core'
import { useRef } from 'react'
import { useAnswer } from './queries.ts'

export function useDecide(id: string): (given: AnswerBody['answer']) => Promise<InboxProblem | undefined> {
  const answer = useAnswer(id)
  const decision = useRef({ about: '', id: '' })
  return async (given) => {
    const about = JSON.stringify(given)
    if (decision.current.about !== about) decision.current = { about, id: crypto.randomUUID() }
    const reply = await answer.mutateAsync({ decisionId: decision.current.id, answer: given })
    return reply.ok ? undefined : reply.problem
  }
}
