// `request_completion_review`: the last pause. A plan is closed by a person, not by the agent that carried it out.

import { z } from 'zod'
import { answered, endingFields, withoutAnswer } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { type Registering, register } from '../tool.ts'
import { recordedWords, type Workplace } from '../workplace.ts'
import { someOf } from './commit-verdict.ts'
import { type Decided, decide, remarkOf } from './decide.ts'
import { type Recorded, taskName } from './record.ts'

const decisions = {
  approve: 'Approve: the plan is complete',
  request_changes: 'Request changes: more is needed',
  cancel: 'Cancel: leave it as it is, not complete',
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
    .describe('The name given at request_plan_approval. Unless given, that of the plan under way.'),
})
type Input = z.output<typeof input>

const output = z.object({
  ...endingFields,
  decision: z.enum(['approve', 'request_changes', 'cancel']).optional(),
  feedback: z.string().optional().describe('What the person wants to be different.'),
  isClosed: z.boolean().optional().describe('True when the person approved: the plan is over.'),
  completionFile: z.string().optional().describe('Where the decision is on record, in the project.'),
})

export function registerCompletionReview(registering: Registering): void {
  const { workplace } = registering
  register(registering, 'request_completion_review', {
    title: 'Have the finished plan reviewed',
    description:
      'Shows the user what came of a plan and waits for their verdict, up to five minutes. Call it once, after the last ' +
      'phase is committed and the completion file is written. approve: the plan is closed. request_changes: do what the ' +
      'feedback says and call this again. cancel: stop without closing it. Do not call a plan complete without an approval.',
    input,
    output,
    run: (given, { ask, step }) =>
      withoutAnswer({ inWords: inWords(given), nothing: 'The plan is not closed.' }, async () => {
        const uncommitted = await step('look', () => lookBefore(workplace))
        const decided = await decide(ask, {
          message: messageOf(given, uncommitted),
          decisions,
          note: { name: 'feedback', title: 'Feedback', neededFor: ['request_changes'] },
        })
        const recorded = await step('keep', () => keep(workplace, given, decided))
        return told(decided, recorded)
      }),
  })
}

/** What git shows that a reviewer should know, in a sentence. */
async function lookBefore(workplace: Workplace): Promise<string> {
  const seen = await workplace.look()
  if (seen.kind === 'unseen') return `Git could not be looked at: ${seen.why}`
  if (seen.changedCount === 0) return 'Git: nothing is left uncommitted.'
  return `Git: not committed are ${someOf(seen.changed, seen.changedCount)}.`
}

async function keep(
  workplace: Workplace,
  given: Input,
  { decision, note }: Decided<ReviewDecision>,
): Promise<Recorded> {
  const seen = await workplace.look()
  const root = seen.kind === 'seen' ? seen.root : workplace.folder
  const before = workplace.memory.read(root)
  const named = given.taskName === undefined ? undefined : taskName(given.taskName)
  const task = named ?? before?.task ?? taskName(given.completionSummary)
  const plan = before?.task === task ? before : { task, decisions: [] }
  const said = {
    approve: 'Completion approved',
    request_changes: 'More requested at the review',
    cancel: 'Left incomplete',
  }
  const words = `${said[decision]} (${given.phasesCompleted} phases)${note === '' ? '.' : `: ${note}`}`
  const about = { checkpoint: 'completion', decision, ...(note === '' ? {} : { note }) } as const
  const kept = await workplace.keep(root, plan, about, words)
  if (decision === 'request_changes') workplace.memory.write(root, kept.plan)
  else workplace.memory.forget(root)
  return kept.recorded
}

function told({ decision, note }: Decided<ReviewDecision>, recorded: Recorded) {
  const remark = remarkOf(note)
  const said = {
    approve: `The person approved the result: the plan is complete.${remark}`,
    request_changes: `The person wants more.${remark || ' Ask them what.'} Do that, and ask for the review again.`,
    cancel: `The person leaves the plan incomplete.${remark} Stop, and do not call it complete.`,
  }
  return answered(`${said[decision]} ${recordedWords(recorded)}`, {
    decision,
    isClosed: decision === 'approve',
    ...(note === '' ? {} : { feedback: note }),
    ...(recorded.ok ? { completionFile: recorded.file } : {}),
  })
}

function messageOf({ completionSummary, phasesCompleted, filesModified = [] }: Input, uncommitted: string): string {
  const phases = phasesCompleted === 1 ? 'one phase' : `${phasesCompleted} phases`
  const files =
    filesModified.length === 0
      ? []
      : [`Files changed (${filesModified.length}): ${someOf(filesModified, filesModified.length)}`]
  return [`Is this plan complete, after ${phases}?`, uncommitted, completionSummary, ...files].join('\n\n')
}

function inWords(given: Input): string {
  return `Is the plan complete?\n\n${given.completionSummary}\n\nPlease reply with "approve", "request changes" (and which), or "cancel".`
}
