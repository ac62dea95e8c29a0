// One ask by its id: fetched, answered, kept fresh.

import type { AnswerBody, InboxProblem, SecretView } from '@assent/core'
import { Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { problemOf } from '../api/client.ts'
import { keys, useAnswer, useAsk, useHandOver } from '../api/queries.ts'
import { AskCard, useSame } from '../ui/ask-card.tsx'
import { Trouble } from '../ui/trouble.tsx'

export function OneAsk({ id }: { readonly id: string }) {
  const queries = useQueryClient()
  const found = useAsk(id)
  const answer = useAnswer(id)
  const handOver = useHandOver(id)
  const onPassed = useSame(() => void queries.invalidateQueries({ queryKey: keys.ask(id) }))
  // The same answer pressed again, because the network broke off, is the same decision.
  const decision = useRef({ about: '', id: '' })
  const decisionOn = (about: string) => {
    if (decision.current.about !== about) decision.current = { about, id: crypto.randomUUID() }
    return decision.current.id
  }
  const onAnswer = async (given: AnswerBody['answer']): Promise<InboxProblem | undefined> => {
    const reply = await answer.mutateAsync({ decisionId: decisionOn(JSON.stringify(given)), answer: given })
    return reply.ok ? undefined : reply.problem
  }
  const onHandOver = async (secret: string, view: SecretView): Promise<InboxProblem | undefined> => {
    const reply = await handOver.mutateAsync({ decisionId: decisionOn('hand over'), secret, view })
    return reply.ok ? undefined : reply.problem
  }
  if (found.isPending) return <Loader className="loading" aria-label="Loading" />
  if (found.isError) return <Trouble problem={problemOf(found.error)} onRetry={() => void found.refetch()} />
  return <AskCard ask={found.data.ask} onAnswer={onAnswer} onHandOver={onHandOver} onPassed={onPassed} />
}
