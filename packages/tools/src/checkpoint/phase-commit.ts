// `request_phase_commit_approval`: the checkpoint after each phase. The next phase may begin only after a commit.
//
// Git is read twice: before the question, so that the person sees what is missing, and after the answer, because the
// commit is often made while the question is open. The second result decides. A person who chooses to continue without a
// commit is asked once more, with the reason; after a second time the agent gets `commit_missing`.

import { boolean, compact } from '@assent/core'
import { z } from 'zod'
import { endingFields, noAnswerCodes, withNoAnswerErrors } from '../ending.ts'
import type { Look } from '../git/look.ts'
import { toolLimits } from '../limits.ts'
import { register, type ToolRegistration } from '../tool.ts'
import { endedPlan, type Plan, withoutPhase, withPhase } from '../workplace/plan-memory.ts'
import { rootOf, type Workplace } from '../workplace/workplace.ts'
import { type Checked, checkedMessage } from './checked-message.ts'
import { type CommitVerdict, judgeCommit, someOf } from './commit-verdict.ts'
import { type Decided, decide } from './decide.ts'
import { recordingNoDecision } from './no-decision.ts'
import { commitMissing, type PhaseDecision, type PhaseRecord, phaseLine, phaseResult } from './phase-result.ts'

const decisions: Readonly<Record<PhaseDecision, string>> = {
  commit_and_continue: 'Committed: continue',
  commit_and_pause: 'Committed: pause here',
  revise: 'Revise this phase',
  abort: 'Abort the plan',
}

const commitConfirmed = boolean({ title: 'I have made the commit', required: false })

const input = z.object({
  phaseNumber: z.number().int().min(1).max(toolLimits.phases).describe('The phase that is done, from 1.'),
  phaseSummary: z
    .string()
    .min(1)
    .max(toolLimits.summaryChars)
    .describe('What was done and how it was tested, complete in itself.'),
  filesModified: z
    .array(z.string().min(1).max(toolLimits.pathChars))
    .max(toolLimits.filesModified)
    .optional()
    .describe('The files that were changed, from the project’s folder.'),
  commitMessage: z
    .string()
    .min(1)
    .max(toolLimits.commitMessageChars)
    .describe('The message that you propose for the commit. The person makes the commit.'),
})
type Input = z.output<typeof input>

const output = z.object({
  ...endingFields,
  status: z
    .enum(['answered', 'commit_missing', ...noAnswerCodes])
    .describe('answered: a person decided. commit_missing: they want to continue, and nothing is committed.'),
  decision: z.enum(['commit_and_continue', 'commit_and_pause', 'revise', 'abort']).optional(),
  commitConfirmed: z
    .boolean()
    .optional()
    .describe('Whether the phase is committed: according to git, or to the person if git cannot be read.'),
  commitChecked: z.boolean().optional().describe('Whether git could be read.'),
  commit: z.object({ id: z.string(), subject: z.string(), messageMatches: z.boolean() }).optional(),
  treeClean: z.boolean().optional().describe('Whether nothing is left uncommitted.'),
  revisionNotes: z.string().optional().describe('What the person wants to be different.'),
  mayContinue: z.boolean().optional().describe('True only when the next phase may begin.'),
  completionFile: z.string().optional().describe('Where the decision is on record, in the project.'),
})

export function registerPhaseCommit(registering: ToolRegistration): void {
  const { workplace } = registering
  register(registering, 'request_phase_commit_approval', {
    title: 'Have a phase committed',
    description:
      'Shows a finished phase and its commit message to the user, who commits it and decides how to continue; waits up to five ' +
      'minutes. Call it after each phase, with everything of the phase done. commit_and_continue: begin the next phase. ' +
      'commit_and_pause: stop until the user asks you to continue. revise: do what the notes say and call this again. abort: stop. ' +
      'Begin the next phase only when mayContinue is true: git is checked, and without a new commit it is refused with ' +
      'a reminder. Do not commit in the user’s place unless they ask you to.',
    input,
    output,
    run: (given, interaction) => {
      const { ask, step } = interaction
      const onNoDecision = recordingNoDecision(workplace, interaction, {
        checkpoint: 'phase',
        phase: given.phaseNumber,
        subject: `Phase ${given.phaseNumber}`,
        planOf: planUnderWay,
      })
      const advice = { inWords: inWords(given), nothing: 'Nothing was decided about this phase.', onNoDecision }
      return withNoAnswerErrors(advice, async () => {
        // Stored with the call, because the question must be the same each time the call is retried.
        const before = await step('look', () => lookBefore(workplace, given))
        let refused: PhaseRecord | undefined
        for (let attempt = 1; ; attempt++) {
          const decided = await decide<PhaseDecision>(ask, {
            ...messageOf(given, before, refused?.verdict),
            decisions,
            // Where git shows whether there is a commit, the person need not say so.
            ...(isGitRead(before, refused) ? {} : { ticks: { commitConfirmed } }),
            note: { name: 'revisionNotes', title: 'Revision notes', neededFor: ['revise'] },
          })
          const kept = await step(`keep ${attempt}`, () => keep(workplace, given, before, decided))
          const isRefused = decided.decision === 'commit_and_continue' && !kept.isConfirmed
          if (!isRefused) return phaseResult(given, decided, kept)
          if (attempt === toolLimits.commitAttempts) return commitMissing(given, decided, kept)
          refused = kept
        }
      })
    },
  })
}

function planUnderWay(before: Plan | undefined): Plan {
  return before ?? { task: 'plan', decisions: [] }
}

interface Before {
  readonly root: string
  /** The commit at which the phase began; if unknown, the head when this was first asked. */
  readonly from?: string
  readonly isBeginningKnown: boolean
  readonly isGitRead: boolean
  readonly phaseCount?: number
  readonly findings: readonly string[]
  readonly problems: readonly string[]
}

/** As of the last time that git was read. */
function isGitRead(before: Before, refused: PhaseRecord | undefined): boolean {
  return refused === undefined ? before.isGitRead : refused.verdict.made !== 'not seen'
}

async function lookBefore(workplace: Workplace, { commitMessage }: Input): Promise<Before> {
  const first = await workplace.look()
  const root = rootOf(first, workplace.folder)
  const plan = workplace.memory.read(root)
  const seen = plan?.began === undefined || first.kind === 'unseen' ? first : await workplace.look(plan.began)
  const isBeginningKnown = seen.kind === 'seen' && seen.since !== undefined
  const from = isBeginningKnown ? plan?.began : headOf(seen)
  const { findings, problems } = judgeCommit(seen, commitMessage, isBeginningKnown)
  return {
    root,
    ...compact({ from }),
    isBeginningKnown,
    isGitRead: seen.kind === 'seen',
    ...(plan?.phaseCount === undefined ? {} : { phaseCount: plan.phaseCount }),
    findings,
    problems,
  }
}

function headOf(seen: Look): string | undefined {
  return seen.kind === 'seen' ? (seen.head?.id ?? '') : undefined
}

async function keep(
  workplace: Workplace,
  given: Input,
  before: Before,
  decided: Decided<PhaseDecision>,
): Promise<PhaseRecord> {
  const { root } = before
  const seen = await workplace.look(before.from)
  const verdict = judgeCommit(seen, given.commitMessage, before.isBeginningKnown)
  const isConfirmed = verdict.made === 'yes' || (verdict.made === 'not seen' && decided.ticked.commitConfirmed === true)
  const { decision, note } = decided
  const { commit } = verdict
  const about = {
    checkpoint: 'phase',
    decision,
    phase: given.phaseNumber,
    ...(note === '' ? {} : { note }),
    ...(commit === undefined ? {} : { commit: commit.id }),
    ...(decision === 'commit_and_continue' && !isConfirmed ? { refused: 'commit_missing' as const } : {}),
  } as const
  const plan = planUnderWay(workplace.memory.read(root))
  const kept = await workplace.keep(root, plan, about, phaseLine(given, decided, isConfirmed, verdict))
  const isOver = isConfirmed && (decision === 'commit_and_continue' || decision === 'commit_and_pause')
  workplace.memory.write(root, planAfter(kept.plan, decision, given.phaseNumber, isOver ? { seen, commit } : undefined))
  return { verdict, isConfirmed, recorded: kept.recorded }
}

/** @param over the phase is committed: the current state of the repository, and the commit */
function planAfter(
  plan: Plan,
  decision: PhaseDecision,
  phase: number,
  over: { readonly seen: Look; readonly commit: CommitVerdict['commit'] } | undefined,
): Plan {
  if (decision === 'abort') return endedPlan(plan, 'aborted')
  // A person who decides about a phase of an ended plan has taken it up again.
  const { ended: _resumed, ...going } = plan
  if (decision === 'revise') return withoutPhase(going, phase)
  if (over === undefined) return going
  const began = headOf(over.seen) ?? going.began
  return { ...withPhase(going, phase, over.commit?.id), ...compact({ began }) }
}

/** @param refused what git showed when the person chose to continue without a commit */
function messageOf(
  { phaseNumber, phaseSummary, filesModified = [], commitMessage }: Input,
  before: Before,
  refused: CommitVerdict | undefined,
): Checked {
  const which =
    before.phaseCount === undefined ? `Phase ${phaseNumber}` : `Phase ${phaseNumber} of ${before.phaseCount}`
  const files =
    filesModified.length === 0
      ? []
      : [`Files changed (${filesModified.length}): ${someOf(filesModified, filesModified.length)}`]
  return checkedMessage({
    first: `${which} ${refused === undefined ? 'is done. Commit it, then choose how to continue.' : tryAgain(refused)}`,
    findings: (refused ?? before).findings,
    problems: (refused ?? before).problems,
    rest: [phaseSummary, ...files, `Proposed commit message:\n${commitMessage}`],
  })
}

function tryAgain({ made }: CommitVerdict): string {
  return made === 'not seen'
    ? 'cannot continue yet: git cannot be checked here, and "I have made the commit" was not chosen. Commit, then try again.'
    : 'cannot continue yet: no new commit. Commit, then try again.'
}

function inWords({ phaseNumber, phaseSummary, commitMessage }: Input): string {
  return (
    `Phase ${phaseNumber} is done.\n\n${phaseSummary}\n\nPlease commit it, for example with:\n${commitMessage}\n\n` +
    'Then reply with "continue", "pause", "revise" (and how), or "abort".'
  )
}
