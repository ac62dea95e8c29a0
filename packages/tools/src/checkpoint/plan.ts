// `request_plan_approval`: the first checkpoint. Work on a plan may begin only after a person has approved it.

import { z } from 'zod'
import { answered, commentMember, endingFields, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { register, type ToolRegistration } from '../tool.ts'
import { type Recorded, taskName } from '../workplace/completion-file.ts'
import { endedPlan, type Plan } from '../workplace/plan-memory.ts'
import { recordedResult, rootOf, type Workplace } from '../workplace/workplace.ts'
import { addedOf, type Decided, decide, remarkOf } from './decide.ts'
import { recordingNoDecision } from './no-decision.ts'

const decisions = {
  approve: 'Approve',
  request_changes: 'Request changes',
  cancel: 'Cancel the plan',
} as const
type PlanDecision = keyof typeof decisions

const input = z.object({
  planSummary: z
    .string()
    .min(1)
    .max(toolLimits.summaryChars)
    .describe(
      'The plan, complete in itself: what will be done and why, phase by phase. The first line names the task.',
    ),
  phaseCount: z.number().int().min(1).max(toolLimits.phases).describe('How many phases it has.'),
  openQuestions: z
    .array(z.string().min(1).max(toolLimits.openQuestionChars))
    .max(toolLimits.openQuestions)
    .optional()
    .describe('What is not settled yet.'),
  taskName: z
    .string()
    .min(1)
    .max(toolLimits.taskNameChars)
    .optional()
    .describe(
      'The name in the plan’s files: "add-search" for plans/add-search-complete.md. By default, the first line of the plan.',
    ),
})
type Input = z.output<typeof input>

const output = z.object({
  ...endingFields,
  decision: z.enum(['approve', 'request_changes', 'cancel']).optional(),
  feedback: z.string().optional().describe('What the person wants to be different or kept in mind.'),
  mayContinue: z.boolean().optional().describe('True only after an approval.'),
  completionFile: z.string().optional().describe('Where the decision is on record, in the project.'),
})

export function registerPlanApproval(registering: ToolRegistration): void {
  register(registering, 'request_plan_approval', {
    title: 'Have the plan approved',
    description:
      'Shows a plan to the user before work on it begins, and waits for their decision, up to five minutes. Call it ' +
      'after planning and before the first change. approve: begin with phase 1. request_changes: change the plan as the ' +
      'feedback says and call this again. cancel: stop. Without status "answered" and decision "approve" nothing is ' +
      'approved. The conversation continues in every case.',
    input,
    output,
    run: (given, interaction) => {
      const { workplace } = registering
      const { ask, step } = interaction
      const onNoDecision = recordingNoDecision(workplace, interaction, {
        checkpoint: 'plan',
        subject: 'Plan',
        planOf: (before) => planAsked(before, given),
      })
      const advice = { inWords: inWords(given), nothing: 'The plan is not approved.', onNoDecision }
      return withNoAnswerErrors(advice, async () => {
        const decided = await decide(ask, {
          message: messageOf(given),
          decisions,
          note: { name: 'feedback', title: 'Feedback', neededFor: ['request_changes'] },
        })
        const recorded = await step('keep', () => keep(workplace, given, decided))
        return resultOf(decided, recorded)
      })
    },
  })
}

/** The plan that is asked about: the one under way if it has this name, and otherwise a new one. */
function planAsked(before: Plan | undefined, given: Input): Plan {
  const task = taskName(given.taskName ?? given.planSummary)
  return before?.task === task ? before : { task, decisions: [] }
}

async function keep(workplace: Workplace, given: Input, decided: Decided<PlanDecision>): Promise<Recorded> {
  const { decision, note } = decided
  const seen = await workplace.look()
  const root = rootOf(seen, workplace.folder)
  const before = workplace.memory.read(root)
  const line = {
    approve: 'Plan approved',
    request_changes: 'Changes to the plan requested',
    cancel: 'Plan cancelled',
  }
  const words = `${line[decision]} (${phasesOf(given)})${addedOf(decided)}`
  const about = { checkpoint: 'plan', decision, ...(note === '' ? {} : { note }) } as const
  const { plan, recorded } = await workplace.keep(root, planAsked(before, given), about, words)
  if (decision === 'approve') {
    const { task, decisions } = plan
    const began = seen.kind === 'seen' ? { began: seen.head?.id ?? '' } : {}
    workplace.memory.write(root, { task, decisions, phaseCount: given.phaseCount, phases: [], ...began })
  } else if (before === undefined || before.task === plan.task) {
    // A plan that was not approved does not replace another one under way.
    workplace.memory.write(root, decision === 'cancel' ? endedPlan(plan, 'cancelled') : plan)
  }
  return recorded
}

function resultOf(decided: Decided<PlanDecision>, recorded: Recorded) {
  const { decision, note, comment } = decided
  const remark = remarkOf(decided)
  const sentences = {
    approve: `The person approved the plan.${remark} Begin with phase 1.`,
    request_changes: `The person wants changes to the plan.${remark || ' Ask them which.'} Change it and ask again before you begin.`,
    cancel: `The person cancelled the plan.${remark} Do not start it.`,
  }
  const { data, words } = recordedResult(recorded)
  return answered(`${sentences[decision]} ${words}`, {
    decision,
    mayContinue: decision === 'approve',
    ...(note === '' ? {} : { feedback: note }),
    ...commentMember(comment),
    ...data,
  })
}

function phasesOf({ phaseCount }: Input): string {
  return phaseCount === 1 ? '1 phase' : `${phaseCount} phases`
}

function messageOf(given: Input): string {
  const { planSummary, openQuestions = [] } = given
  const questions =
    openQuestions.length === 0 ? '' : `\n\nOpen questions:\n${openQuestions.map((one) => `- ${one}`).join('\n')}`
  return `Approve this plan of ${phasesOf(given)}?\n\n${planSummary}${questions}`
}

function inWords(given: Input): string {
  return `${messageOf(given)}\n\nPlease reply with "approve", "request changes" (and which), or "cancel".`
}
