// Stops an answer that looks like a secret until the person has confirmed it.
//
// Only for questions of our own tools: the gateway checks the answers to other questions where they are settled.

import { answerWarnings, oneLine, type Question } from '@assent/core'
import { outcomeOfEnd, type QuestionOutcome } from './decide.ts'
import { exitHints } from './key-hints.ts'
import { ListPrompt } from './prompts/list.ts'
import { type PromptContext, runPrompt } from './prompts/run-prompt.ts'
import type { PutOutcome } from './put-question.ts'

/** @param put shows the question, with the problem of the previous answer */
export async function withSecretsConfirmed(
  context: PromptContext,
  question: Question,
  put: (problem?: string) => Promise<PutOutcome>,
): Promise<PutOutcome> {
  let problem: string | undefined
  while (true) {
    const outcome = await put(problem)
    if (!('answer' in outcome)) return outcome
    const found = answerWarnings(question, outcome.answer).map(({ message }) => oneLine(message, 'terminal'))
    if (found.length === 0) return outcome
    const isDecline = outcome.answer.action === 'decline'
    const chosen = await confirm(context, found.join(' '), isDecline)
    if (chosen === 'send') return outcome
    // The decline counts, with or without its comment.
    if (isDecline) return { answer: { action: 'decline' } }
    if (chosen !== 'again') return chosen
    problem = `${found.join(' ')} Nothing was sent.`
  }
}

async function confirm(
  context: PromptContext,
  warning: string,
  isDecline: boolean,
): Promise<'send' | 'again' | QuestionOutcome> {
  const keep = isDecline ? 'Decline without the comment' : 'Enter another answer'
  const picked = await runPrompt(
    context,
    (pen, streams) =>
      new ListPrompt(
        {
          title: `${warning} Send it?`,
          help: `${context.askedBy}, and the model that it works for, may store it.`,
          options: [
            { id: 'again', label: keep, key: 'n' },
            { id: 'send', label: 'Send it anyway', key: 's' },
          ],
          keys: ['a letter or ↑↓, then enter', ...exitHints(context)],
        },
        pen,
        streams,
      ),
    { settle: true },
  )
  if (!picked.ok) return outcomeOfEnd(picked.ended)
  return picked.value[0] === 'send' ? 'send' : 'again'
}
