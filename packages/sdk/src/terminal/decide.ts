// The decision of a person: Approve, Decline or Dismiss, each by its letter or the arrows, and then Enter.
//
// None of them is preselected, and keys pressed before it was drawn are ignored: a yes takes two deliberate presses.

import type { Answer } from '@assent/core'
import { keyHints } from './key-hints.ts'
import type { PromptEnd } from './keyboard.ts'
import { type ListOption, ListPrompt } from './prompts/list.ts'
import { type PromptContext, type Prompted, runPrompt } from './prompts/run-prompt.ts'

/** How a question ended: with an answer, left open, ended from outside, or because the terminal was closed. */
export type QuestionOutcome = { readonly answer: Answer } | { readonly gone: 'left' | 'taken-down' | 'hung-up' }

export function outcomeOfEnd(ended: PromptEnd): QuestionOutcome {
  if (ended === 'declined') return { answer: { action: 'decline' } }
  if (ended === 'dismissed') return { answer: { action: 'cancel' } }
  return { gone: ended }
}

interface DecideOptions<More extends string> {
  readonly title: string
  readonly approve: { readonly note?: string }
  readonly more?: readonly (ListOption & { readonly id: More })[]
}

type Decision<More extends string> = 'approve' | 'decline' | 'dismiss' | More

export async function decide<More extends string = never>(
  context: PromptContext,
  { title, approve, more = [] }: DecideOptions<More>,
): Promise<Prompted<Decision<More>>> {
  const can = (action: Answer['action']) => context.answers.includes(action)
  const options: readonly (ListOption & { readonly id: Decision<More> })[] = [
    ...(can('accept') ? [{ id: 'approve', label: 'Approve', key: 'y', ...approve } as const] : []),
    ...more,
    ...(can('decline') ? [decline] : []),
    ...(can('cancel') ? [dismiss] : []),
  ]
  const keys = ['a letter or ↑↓, then enter', ...(context.mayLeave ? [keyHints.leave] : [])]
  const prompted = await runPrompt(context, (pen, streams) => new ListPrompt({ title, options, keys }, pen, streams), {
    settle: true,
  })
  if (!prompted.ok) return prompted
  const chosen = options.find(({ id }) => id === prompted.value[0])
  // The list returns the id of one of its options; anything else is not a decision.
  return chosen === undefined
    ? { ok: false, ended: context.mayLeave ? 'left' : 'dismissed' }
    : { ok: true, value: chosen.id }
}

const decline = { id: 'decline', label: 'Decline', key: 'n', note: 'answers no' } as const
const dismiss = { id: 'dismiss', label: 'Dismiss', key: 'x', note: 'closes it without a choice' } as const
