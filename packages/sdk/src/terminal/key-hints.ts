// Texts that several prompts of the terminal surface share.

import type { PromptContext } from './prompts/run-prompt.ts'

export const keyHints = {
  choose: '↑↓ choose',
  search: 'type to search',
  tick: 'space ticks',
  tickWhileSearching: 'tab ticks',
  step: '↑↓ moves',
  answer: 'enter answers',
  leaveOut: 'enter leaves it out',
  decline: 'ctrl+d declines',
  dismiss: 'esc dismisses',
  dismissWhereLeft: 'ctrl+x dismisses',
  leave: 'esc leaves it open',
} as const

/** The keys that end a question without an answer, if they are allowed here. */
export function exitHints({ answers, mayLeave }: Pick<PromptContext, 'answers' | 'mayLeave'>): readonly string[] {
  const dismissing = answers.includes('cancel') ? [mayLeave ? keyHints.dismissWhereLeft : keyHints.dismiss] : []
  return [
    ...(answers.includes('decline') ? [keyHints.decline] : []),
    ...dismissing,
    ...(mayLeave ? [keyHints.leave] : []),
  ]
}

/** The time of day of a deadline; with the date when it is not today. */
export function clockTime(atMs: number, nowMs: number): string {
  const at = new Date(atMs)
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  const sameDay = at.toDateString() === new Date(nowMs).toDateString()
  return sameDay
    ? time
    : `${time} on ${at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })}`
}
