// `request_plan_approval`: the first pause. Nothing of a plan is begun before a person has approved it.

import { z } from 'zod'
import { answered, endingFields, withoutAnswer } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { type Registering, register } from '../tool.ts'
import { recordedWords, type Workplace } from '../workplace.ts'
import { type Decided, decide, remarkOf } from './decide.ts'
import { taskName } from './record.ts'

const decisions = {
  approve: 'Approve: begin with the first phase',
  request_changes: 'Request changes: the plan comes back',
  cancel: 'Cancel: nothing is done',
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
      'The name in the plan’s files: "add-search" for plans/add-search-complete.md. Unless given, the first line of the plan.',
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

export function registerPlanApproval(registering: Registering): void {
  register(registering, 'request_plan_approval', {
    title: 'Have the plan approved',
    description:
      'Shows a plan to the user before anything of it is begun, and waits for their decision, up to five minutes. Call it ' +
      'after planning and before the first change. approve: begin with phase 1. request_changes: change the plan as the ' +
      'feedback says and call this again. cancel: stop. Without status "answered" and decision "approve" nothing is ' +
      'approved. The conversation goes on in every case.',
    input,
    output,
    run: (given, { ask, step }) =>
      withoutAnswer({ inWords: inWords(given), nothing: 'The plan is not approved.' }, async () => {
        const decided = await decide(ask, {
          message: messageOf(given),
          decisions,
          note: { name: 'feedback', title: 'Feedback', neededFor: ['request_changes'] },
        })
        const words = await step('keep', () => keep(registering.workplace, given, decided))
        return told(decided, words)
      }),
  })
}

async function keep(workplace: Workplace, given: Input, { decision, note }: Decided<PlanDecision>) {
  const seen = await workplace.look()
  const root = seen.kind === 'seen' ? seen.root : workplace.folder
  const task = taskName(given.taskName ?? given.planSummary)
  const before = workplace.memory.read(root)
  const plan = { task, decisions: before?.task === task ? before.decisions : [], phaseCount: given.phaseCount }
  const said = { approve: 'Plan approved', request_changes: 'Changes to the plan requested', cancel: 'Plan cancelled' }
  const words = `${said[decision]} (${given.phaseCount} phases)${note === '' ? '.' : `: ${note}`}`
  const about = { checkpoint: 'plan', decision, ...(note === '' ? {} : { note }) } as const
  const kept = await workplace.keep(root, plan, about, words)
  if (decision === 'cancel') workplace.memory.forget(root)
  else if (decision === 'approve' && seen.kind === 'seen') {
    workplace.memory.write(root, { ...kept.plan, began: seen.head?.id ?? '' })
  } else workplace.memory.write(root, kept.plan)
  return { recorded: kept.recorded }
}

function told({ decision, note }: Decided<PlanDecision>, { recorded }: Awaited<ReturnType<typeof keep>>) {
  const remark = remarkOf(note)
  const said = {
    approve: `The person approved the plan.${remark} Begin with phase 1.`,
    request_changes: `The person wants changes to the plan.${remark || ' Ask them which.'} Change it and ask again before you begin.`,
    cancel: `The person cancelled the plan.${remark} Do nothing of it.`,
  }
  return answered(`${said[decision]} ${recordedWords(recorded)}`, {
    decision,
    mayContinue: decision === 'approve',
    ...(note === '' ? {} : { feedback: note }),
    ...(recorded.ok ? { completionFile: recorded.file } : {}),
  })
}

function messageOf({ planSummary, phaseCount, openQuestions = [] }: Input): string {
  const phases = phaseCount === 1 ? 'one phase' : `${phaseCount} phases`
  const questions =
    openQuestions.length === 0 ? '' : `\n\nOpen questions:\n${openQuestions.map((one) => `- ${one}`).join('\n')}`
  return `Approve this plan of ${phases}?\n\n${planSummary}${questions}`
}

function inWords(given: Input): string {
  return `${messageOf(given)}\n\nPlease reply with "approve", "request changes" (and which), or "cancel".`
}
