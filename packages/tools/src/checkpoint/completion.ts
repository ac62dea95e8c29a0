// `request_completion_review`: the last checkpoint. A person closes the plan, not the agent that carried it out.
//
// What the agent reports is not enough: the question and the result show which phases have an approved commit, from the
// plan's record and from git. The person decides either way.

import { compact } from '@assent/core'
import { z } from 'zod'
import { answered, commentMember, endingFields, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { register, type ToolRegistration } from '../tool.ts'
import { type Recorded, taskName } from '../workplace/completion-file.ts'
import { endedPlan, type Plan } from '../workplace/plan-memory.ts'
import { recordedResult, rootOf, type Workplace } from '../workplace/workplace.ts'
import { type Checked, checkedMessage } from './checked-message.ts'
import { someOf } from './commit-verdict.ts'
import { addedOf, type Decided, decide, remarkOf } from './decide.ts'
import { recordingNoDecision } from './no-decision.ts'
import { type Progress, progressOf, progressWords } from './progress.ts'

const decisions = {
  approve: 'Approve',
  request_changes: 'Request changes',
  cancel: 'Leave it incomplete',
} as const
type ReviewDecision = keyof typeof decisions

const input = z.object({
  completionSummary: z
    .string()
    .min(1)
    .max(toolLimits.summaryChars)
    .describe('What was achieved, how it was tested, and what is left, complete in itself.'),
  phasesCompleted: z.number().int().min(0).max(toolLimits.phases).describe('How many phases were completed.'),
  filesModified: z
    .array(z.string().min(1).max(toolLimits.pathChars))
    .max(toolLimits.filesModified)
    .optional()
    .describe('All files that were changed, from the project’s folder.'),
  taskName: z
    .string()
    .min(1)
    .max(toolLimits.taskNameChars)
    .optional()
    .describe('The name given at request_plan_approval. By default, the name of the plan under way.'),
})
type Input = z.output<typeof input>

const output = z.object({
  ...endingFields,
  decision: z.enum(['approve', 'request_changes', 'cancel']).optional(),
  feedback: z.string().optional().describe('What the person wants to be different.'),
  isClosed: z.boolean().optional().describe('True when the person approved: the plan is over.'),
  phasesPlanned: z.number().optional().describe('Phases of the approved plan; absent when none is on record.'),
  phasesRecorded: z.number().optional().describe('Phases whose commit a person approved.'),
  phasesInGit: z.number().optional().describe('Of those, the phases whose commit is in the history of git.'),
  isOnRecord: z
    .boolean()
    .optional()
    .describe(
      'True only when the record and git show every phase committed. If false, do not report the plan as fully done.',
    ),
  completionFile: z.string().optional().describe('Where the decision is on record, in the project.'),
})

export function registerCompletionReview(registering: ToolRegistration): void {
  const { workplace } = registering
  register(registering, 'request_completion_review', {
    title: 'Have the finished plan reviewed',
    description:
      'Shows the user the result of a plan and waits for their verdict, up to five minutes. Call it once, after the last ' +
      'phase is committed and the completion file is written. approve: the plan is closed. request_changes: do what the ' +
      'feedback says and call this again. cancel: stop without closing it. Do not call a plan complete without an approval.',
    input,
    output,
    run: (given, interaction) => {
      const { ask, step } = interaction
      const onNoDecision = recordingNoDecision(workplace, interaction, {
        checkpoint: 'completion',
        subject: 'Completion review',
        planOf: (before) => planReviewed(before, given),
      })
      const advice = { inWords: inWords(given), nothing: 'The plan is not closed.', onNoDecision }
      return withNoAnswerErrors(advice, async () => {
        // Stored with the call, because the question must be the same each time the call is retried.
        const before = await step('look', async () => (await look(workplace, given)).progress)
        const decided = await decide(ask, {
          ...messageOf(given, before),
          decisions,
          note: { name: 'feedback', title: 'Feedback', neededFor: ['request_changes'] },
        })
        const kept = await step('keep', () => keep(workplace, given, decided))
        return resultOf(decided, kept)
      })
    },
  })
}

/** The plan under way, unless the agent names another one. */
function planReviewed(before: Plan | undefined, { taskName: name, completionSummary }: Input): Plan {
  const task = name === undefined ? (before?.task ?? taskName(completionSummary)) : taskName(name)
  return before?.task === task ? before : { task, decisions: [] }
}

async function look(workplace: Workplace, given: Input) {
  const seen = await workplace.look()
  const root = rootOf(seen, workplace.folder)
  const before = workplace.memory.read(root)
  const plan = planReviewed(before, given)
  return { root, before, plan, progress: await progressOf(plan, given.phasesCompleted, seen) }
}

interface Kept {
  readonly progress: Progress
  readonly recorded: Recorded
}

async function keep(workplace: Workplace, given: Input, decided: Decided<ReviewDecision>): Promise<Kept> {
  const { decision, note } = decided
  const { root, before, plan, progress } = await look(workplace, given)
  const line = {
    approve: 'Completion approved',
    request_changes: 'Completion review: changes requested',
    cancel: 'Completion review: left incomplete',
  }
  const words = `${line[decision]} (${progressWords(progress)})${addedOf(decided)}`
  const about = {
    checkpoint: 'completion',
    decision,
    isOnRecord: progress.isComplete,
    ...(note === '' ? {} : { note }),
  } as const
  const kept = await workplace.keep(root, plan, about, words)
  // A review under another name does not concern the stored plan.
  if (before === undefined || before.task === plan.task) {
    if (decision === 'approve') workplace.memory.delete(root)
    else workplace.memory.write(root, decision === 'cancel' ? endedPlan(kept.plan, 'left') : kept.plan)
  }
  return { progress, recorded: kept.recorded }
}

function resultOf(decided: Decided<ReviewDecision>, { progress, recorded }: Kept) {
  const { decision, note, comment } = decided
  const remark = remarkOf(decided)
  const sentences = {
    approve: `The person approved the result: the plan is closed.${remark}`,
    request_changes: `The person wants changes.${remark || ' Ask them which.'} Do that, and ask for the review again.`,
    cancel: `The person leaves the plan incomplete.${remark} Stop, and do not call it complete.`,
  }
  const difference = progress.isComplete
    ? ''
    : ` The record does not show a complete plan: ${progressWords(progress)}. ${progress.findings.join(' ')} Tell the user so.`
  const { data, words } = recordedResult(recorded)
  return answered(`${sentences[decision]}${difference} ${words}`, {
    decision,
    isClosed: decision === 'approve',
    ...compact({ phasesPlanned: progress.planned }),
    phasesRecorded: progress.recorded,
    phasesInGit: progress.inGit,
    isOnRecord: progress.isComplete,
    ...(note === '' ? {} : { feedback: note }),
    ...commentMember(comment),
    ...data,
  })
}

function messageOf({ completionSummary, filesModified = [] }: Input, progress: Progress): Checked {
  const files =
    filesModified.length === 0
      ? []
      : [`Files changed (${filesModified.length}): ${someOf(filesModified, filesModified.length)}`]
  const warning = progress.isComplete ? '' : 'Its record is incomplete: '
  return checkedMessage({
    first: `Is this plan complete? ${warning}${progressWords(progress)}.`,
    findings: progress.findings,
    problems: progress.problems,
    rest: [completionSummary, ...files],
  })
}

function inWords(given: Input): string {
  return `Is the plan complete?\n\n${given.completionSummary}\n\nPlease reply with "approve", "request changes" (and which), or "cancel".`
}
