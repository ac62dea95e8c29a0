// Sends one answer to each of several asks.

import type { AnswerBody, AnsweredView, AskView, InboxProblem } from '@assent/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { post, problemOf } from './client.ts'
import { queryKeys } from './queries.ts'

export interface Refused {
  readonly ask: AskView
  readonly problem: InboxProblem
}

interface ManyAnswers {
  readonly asks: readonly AskView[]
  readonly answerOf: (ask: AskView) => AnswerBody['answer'] | undefined
}

/** Returns the asks whose answer was refused, with the reason. */
export function useAnswerMany() {
  const queries = useQueryClient()
  // The same answer again, after a network error, has the same decision id, so it counts once.
  const decisions = useRef(new Map<string, string>())
  const decisionOn = (about: string) => {
    const id = decisions.current.get(about) ?? crypto.randomUUID()
    decisions.current.set(about, id)
    return id
  }
  return useMutation({
    mutationFn: async ({ asks, answerOf }: ManyAnswers): Promise<readonly Refused[]> => {
      const refused: Refused[] = []
      for (const ask of asks) {
        const answer = answerOf(ask)
        if (answer === undefined) continue
        try {
          const decisionId = decisionOn(JSON.stringify([ask.id, answer]))
          await post<AnsweredView>(`/api/asks/${ask.id}/answer`, { decisionId, answer })
        } catch (error) {
          refused.push({ ask, problem: problemOf(error) })
        }
      }
      return refused
    },
    onSettled: () => {
      for (const queryKey of [['asks'], queryKeys.history, queryKeys.statistics])
        void queries.invalidateQueries({ queryKey })
    },
  })
}
