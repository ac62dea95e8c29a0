// `request_plan_approval`: the question, its answers, and what the agent receives.

import { recordedIn } from './record.ts'

const phases = (count: number) => (count === 1 ? '1 phase' : `${count} phases`)

function question(phaseCount: number, summary: string, openQuestions: readonly string[]): string {
  const open =
    openQuestions.length === 0 ? '' : `\n\nOpen questions:\n${openQuestions.map((one) => `- ${one}`).join('\n')}`
  return `Approve this plan of ${phases(phaseCount)}?\n\n${summary}${open}`
}

export const planApprovalText = {
  title: 'Have the plan approved',
  description:
    'Shows a plan to the user before work on it begins, and waits for their decision. Call it after planning and before the ' +
    'first change. approve: begin with phase 1. request_changes: change the plan as the feedback says and call this again. ' +
    'cancel: stop. The plan is approved only if the status is "answered" and the decision is "approve". The conversation continues in every case.',
  input: {
    planSummary:
      'The plan: what will be done and why, phase by phase. It must be clear without the conversation. The first line names the task.',
    phaseCount: 'How many phases it has.',
    openQuestions: 'What is not settled yet.',
    taskName:
      'The name in the plan’s files: "add-search" for plans/add-search-complete.md. By default, the first line of the plan.',
  },
  output: {
    feedback: 'What the person wants to be different or kept in mind.',
    mayContinue: 'True only after an approval.',
    completionFile: recordedIn,
  },
  decisions: { approve: 'Approve', request_changes: 'Request changes', cancel: 'Cancel the plan' },
  subject: 'Plan',
  none: 'The plan is not approved.',
  question,
  inWords: (asked: string) =>
    `${asked}\n\nPlease reply with "approve", "request changes" (and which), or "cancel the plan".`,
  /** In the completion file. */
  record: {
    approve: (phaseCount: number) => `Plan approved (${phases(phaseCount)})`,
    request_changes: (phaseCount: number) => `Changes to the plan requested (${phases(phaseCount)})`,
    cancel: (phaseCount: number) => `Plan cancelled (${phases(phaseCount)})`,
  },
  results: {
    approve: (comment: string) => `The person approved the plan.${comment} Begin with phase 1.`,
    request_changes: (comment: string) =>
      `The person requests changes to the plan.${comment || ' Ask them which.'} Change it and ask again before you begin.`,
    cancel: (comment: string) => `The person cancelled the plan.${comment} Do not start it.`,
  },
}
