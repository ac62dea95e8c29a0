// `request_plan_approval`: the first checkpoint. Work on a plan may begin only after a person has approved it.

import { z } from 'zod'
import { answered, commentMember, endingFields, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { planApprovalText } from '../text/plan.ts'
import { register, type ToolRegistration } from '../tool.ts'
import { type Recorded, taskName } from '../workplace/completion-file.ts'
import { endedPlan, type Plan } from '../workplace/plan-memory.ts'
import { recordedResult, rootOf, type Workplace } from '../workplace/workplace.ts'
import { addedOf, type Decided, decide, remarkOf } from './decide.ts'
import { recordingNoDecision } from './no-decision.ts'

type PlanDecision = keyof typeof planApprovalText.decisions

const input = z.object({
  planSummary: z.string().min(1).max(toolLimits.summaryChars).describe(planApprovalText.input.planSummary),
  phaseCount: z.number().int().min(1).max(toolLimits.phases).describe(planApprovalText.input.phaseCount),
  openQuestions: z
    .array(z.string().min(1).max(toolLimits.openQuestionChars))
    .max(toolLimits.openQuestions)
    .optional()
    .describe(planApprovalText.input.openQuestions),
  taskName: z.string().min(1).max(toolLimits.taskNameChars).optional().describe(planApprovalText.input.taskName),
})
type Input = z.output<typeof input>

const output = z.object({
  ...endingFields,
  decision: z.enum(['approve', 'request_changes', 'cancel']).optional(),
  feedback: z.string().optional().describe(planApprovalText.output.feedback),
  mayContinue: z.boolean().optional().describe(planApprovalText.output.mayContinue),
  completionFile: z.string().optional().describe(planApprovalText.output.completionFile),
})

export function registerPlanApproval(registering: ToolRegistration): void {
  register(registering, 'request_plan_approval', {
    title: planApprovalText.title,
    description: planApprovalText.description,
    input,
    output,
    run: (given, interaction) => {
      const { workplace } = registering
      const { ask, step } = interaction
      const message = planApprovalText.question(given.phaseCount, given.planSummary, given.openQuestions ?? [])
      const onNoDecision = recordingNoDecision(workplace, interaction, {
        checkpoint: 'plan',
        subject: planApprovalText.subject,
        planOf: (before) => planAsked(before, given),
      })
      const advice = { inWords: planApprovalText.inWords(message), nothing: planApprovalText.none, onNoDecision }
      return withNoAnswerErrors(advice, async () => {
        const decided = await decide(ask, {
          message,
          decisions: planApprovalText.decisions,
          note: { name: 'feedback', neededFor: ['request_changes'] },
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
  const words = `${planApprovalText.record[decision](given.phaseCount)}${addedOf(decided)}`
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
  const { data, words } = recordedResult(recorded)
  return answered(`${planApprovalText.results[decision](remarkOf(decided))} ${words}`, {
    decision,
    mayContinue: decision === 'approve',
    ...(note === '' ? {} : { feedback: note }),
    ...commentMember(comment),
    ...data,
  })
}
