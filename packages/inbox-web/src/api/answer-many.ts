// Sends one answer to each of several asks.

import type { AnswerBody, AnsweredView, AskView, InboxProblem } from '@assent/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { post, problemOf } from './client.ts'
import { useDecisionIds } from './decision-ids.ts'
import { invalidateSettled, queryKeys } from './queries.ts'

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
  const decisionOn = useDecisionIds()
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
      void queries.invalidateQueries({ queryKey: queryKeys.everyAsk })
      invalidateSettled(queries)
    },
  })
}
