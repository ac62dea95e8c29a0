// The decision of a person: Approve, Decline or Dismiss, each by its letter or the arrows, and then Enter.
//
// None of them is chosen beforehand, and keys that were on their way before it was drawn do not count: a yes takes two
// deliberate presses.

import type { Answer } from '@assent/core'
import type { Ended } from './keyboard.ts'
import { type ListOption, ListPrompt } from './prompts/list.ts'
import { type Desk, type Prompted, runPrompt } from './prompts/run-prompt.ts'
import { keyWords } from './words.ts'

/** How a question ended: with an answer, left as it is, or because the terminal could not ask on. */
export type Settled = { readonly answer: Answer } | { readonly gone: 'left' | 'taken-down' | 'hung-up' }

export function endedBy(ended: Ended): Settled {
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
  desk: Desk,
  { title, approve, more = [] }: DecideOptions<More>,
): Promise<Prompted<Decision<More>>> {
  const can = (action: Answer['action']) => desk.answers.includes(action)
  const options: readonly (ListOption & { readonly id: Decision<More> })[] = [
    ...(can('accept') ? [{ id: 'approve', label: 'Approve', key: 'a', ...approve } as const] : []),
    ...more,
    ...(can('decline') ? [decline] : []),
    ...(can('cancel') ? [dismiss] : []),
  ]
  const keys = ['a letter or ↑↓, then enter', ...(desk.mayLeave ? [keyWords.leave] : [])]
  const prompted = await runPrompt(desk, (pen, streams) => new ListPrompt({ title, options, keys }, pen, streams), {
    settle: true,
  })
  if (!prompted.ok) return prompted
  const chosen = options.find(({ id }) => id === prompted.value[0])
  // The list gives back one of its own; anything else is no decision.
  return chosen === undefined
    ? { ok: false, ended: desk.mayLeave ? 'left' : 'dismissed' }
    : { ok: true, value: chosen.id }
}

const decline = { id: 'decline', label: 'Decline', key: 'd', note: 'the asker is told you said no' } as const
const dismiss = { id: 'dismiss', label: 'Dismiss', key: 'x', note: 'the asker is told you made no choice' } as const
