// `request_completion_review`: the last checkpoint. A person closes the plan, not the agent that carried it out.
//
// What the agent reports is not enough: the question and the result show which phases have an approved commit, from the
// plan's record and from git. The person decides either way.

import { compact } from '@assent/core'
import { z } from 'zod'
import { answered, commentMember, endingFields, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { completionText } from '../text/completion.ts'
import { gitFindings } from '../text/git-findings.ts'
import { register, type ToolRegistration } from '../tool.ts'
import { type Recorded, taskName } from '../workplace/completion-file.ts'
import { endedPlan, type Plan } from '../workplace/plan-memory.ts'
import { recordedResult, rootOf, type Workplace } from '../workplace/workplace.ts'
import { type Checked, checkedMessage } from './checked-message.ts'
import { someOf } from './commit-verdict.ts'
import { addedOf, type Decided, decide, remarkOf } from './decide.ts'
import { recordingNoDecision } from './no-decision.ts'
import { type Progress, progressOf, progressWords } from './progress.ts'

type ReviewDecision = keyof typeof completionText.decisions

const input = z.object({
  completionSummary: z.string().min(1).max(toolLimits.summaryChars).describe(completionText.input.completionSummary),
  phasesCompleted: z.number().int().min(0).max(toolLimits.phases).describe(completionText.input.phasesCompleted),
  filesModified: z
    .array(z.string().min(1).max(toolLimits.pathChars))
    .max(toolLimits.filesModified)
    .optional()
    .describe(completionText.input.filesModified),
  taskName: z.string().min(1).max(toolLimits.taskNameChars).optional().describe(completionText.input.taskName),
})
type Input = z.output<typeof input>

const output = z.object({
  ...endingFields,
  decision: z.enum(['approve', 'request_changes', 'cancel']).optional(),
  feedback: z.string().optional().describe(completionText.output.feedback),
  isClosed: z.boolean().optional().describe(completionText.output.isClosed),
  phasesPlanned: z.number().optional().describe(completionText.output.phasesPlanned),
  phasesRecorded: z.number().optional().describe(completionText.output.phasesRecorded),
  phasesInGit: z.number().optional().describe(completionText.output.phasesInGit),
  isOnRecord: z.boolean().optional().describe(completionText.output.isOnRecord),
  completionFile: z.string().optional().describe(completionText.output.completionFile),
})

export function registerCompletionReview(registering: ToolRegistration): void {
  const { workplace } = registering
  register(registering, 'request_completion_review', {
    title: completionText.title,
    description: completionText.description,
    input,
    output,
    run: (given, interaction) => {
      const { ask, step } = interaction
      const onNoDecision = recordingNoDecision(workplace, interaction, {
        checkpoint: 'completion',
        subject: completionText.subject,
        planOf: (before) => planReviewed(before, given),
      })
      const inWords = completionText.inWords(given.completionSummary)
      const advice = { inWords, nothing: completionText.none, onNoDecision }
      return withNoAnswerErrors(advice, async () => {
        // Stored with the call, because the question must be the same each time the call is retried.
        const before = await step('look', async () => (await look(workplace, given)).progress)
        const decided = await decide(ask, {
          ...messageOf(given, before),
          decisions: completionText.decisions,
          note: { name: 'feedback', neededFor: ['request_changes'] },
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
  const words = `${completionText.record[decision](progressWords(progress))}${addedOf(decided)}`
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
  const sentence = completionText.results[decision](remarkOf(decided))
  const difference = progress.isComplete
    ? ''
    : completionText.notOnRecord(progressWords(progress), progress.findings.join(' '))
  const { data, words } = recordedResult(recorded)
  return answered(`${sentence}${difference} ${words}`, {
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
  const count = filesModified.length
  const files = count === 0 ? [] : [gitFindings.filesChanged(count, someOf(filesModified, count))]
  return checkedMessage({
    first: completionText.question(progress.isComplete, progressWords(progress)),
    findings: progress.findings,
    problems: progress.problems,
    rest: [completionSummary, ...files],
  })
}
