// What the model asks, what the scripted person answers, and what the model must read afterwards.

import type { ScriptedCall } from './model/script.ts'

export interface Step {
  readonly name: string
  readonly call: ScriptedCall
  /** Arguments of `assent asks answer`; undefined if the person does not answer. */
  readonly answer?: readonly string[]
  /** How long the person takes; by default as long as it takes to read a short question. */
  readonly afterMs?: number
  /** The result contains all of these. */
  readonly reads: readonly string[]
}

export interface Scenario {
  readonly name: string
  readonly steps: readonly Step[]
  /** The setting `asks.wait`; the default if undefined. */
  readonly wait?: string
}

const accept = (content: object) => ['--accept', '--content', JSON.stringify(content)]

const colours = {
  tool: 'elicit_choice',
  args: { question: 'Which colour?', options: [{ value: 'red' }, { value: 'blue', label: 'Deep blue' }] },
} as const
const deletion = { tool: 'elicit_confirm', args: { question: 'Delete five artifacts?', destructive: true } } as const
const plan = {
  tool: 'request_plan_approval',
  args: { planSummary: 'Add a search\n\nOne phase: an index and a page.', phaseCount: 1 },
} as const

const choice: Step = {
  name: 'choice',
  call: colours,
  answer: accept({ choice: 'blue' }),
  reads: ['The person chose', 'Deep blue'],
}
const no: Step = {
  name: 'no',
  call: deletion,
  answer: accept({ confirmed: false }),
  reads: ['The person said no. Do not do it.'],
}
const yes: Step = {
  name: 'yes',
  call: deletion,
  answer: accept({ confirmed: true }),
  reads: ['The person said yes.'],
}
const decline: Step = {
  name: 'decline',
  call: colours,
  answer: ['--decline', '--comment', 'Neither of them.'],
  reads: ['Neither of them.', 'A person said no. Do not ask again'],
}
const dismiss: Step = {
  name: 'dismiss',
  call: deletion,
  answer: ['--dismiss'],
  reads: ['Nothing was confirmed.', 'Nothing was decided. Ask the user in the chat'],
}
const approve: Step = {
  name: 'plan',
  call: plan,
  answer: accept({ decision: 'approve' }),
  reads: ['The person approved the plan.', 'Begin with phase 1.'],
}
const absent: Step = {
  name: 'no answer',
  call: deletion,
  reads: ['Nothing was confirmed.', 'No answer in time; treat it as a no. Stop here'],
}
/** Longer than two minutes: Claude Code then moves a call to the background. */
const slow: Step = { ...yes, name: 'slow yes', afterMs: 150_000 }

export function scenarios(isQuick: boolean): readonly Scenario[] {
  const away = { name: 'no answer', steps: [absent], wait: '30s' }
  if (isQuick) return [{ name: 'answers', steps: [choice, no, dismiss] }, away]
  return [
    { name: 'answers', steps: [choice, no, yes, decline, dismiss, approve] },
    away,
    { name: 'slow person', steps: [slow] },
  ]
}
