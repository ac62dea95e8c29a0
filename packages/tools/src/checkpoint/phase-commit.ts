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
import { gitFindings } from '../text/git-findings.ts'
import { phaseText } from '../text/phase.ts'
import { register, type ToolRegistration } from '../tool.ts'
import { endedPlan, type Plan, withoutPhase, withPhase } from '../workplace/plan-memory.ts'
import { rootOf, type Workplace } from '../workplace/workplace.ts'
import { type Checked, checkedMessage } from './checked-message.ts'
import { type CommitVerdict, judgeCommit, someOf } from './commit-verdict.ts'
import { type Decided, decide } from './decide.ts'
import { recordingNoDecision } from './no-decision.ts'
import { commitMissing, type PhaseDecision, type PhaseRecord, phaseLine, phaseResult } from './phase-result.ts'

const commitConfirmed = boolean({ title: phaseText.confirmCommit, required: false })

const input = z.object({
  phaseNumber: z.number().int().min(1).max(toolLimits.phases).describe(phaseText.input.phaseNumber),
  phaseSummary: z.string().min(1).max(toolLimits.summaryChars).describe(phaseText.input.phaseSummary),
  filesModified: z
    .array(z.string().min(1).max(toolLimits.pathChars))
    .max(toolLimits.filesModified)
    .optional()
    .describe(phaseText.input.filesModified),
  commitMessage: z.string().min(1).max(toolLimits.commitMessageChars).describe(phaseText.input.commitMessage),
})
type Input = z.output<typeof input>

const output = z.object({
  ...endingFields,
  status: z.enum(['answered', 'commit_missing', ...noAnswerCodes]).describe(phaseText.output.status),
  decision: z.enum(['commit_and_continue', 'commit_and_pause', 'revise', 'abort']).optional(),
  commitConfirmed: z.boolean().optional().describe(phaseText.output.commitConfirmed),
  commitChecked: z.boolean().optional().describe(phaseText.output.commitChecked),
  commit: z.object({ id: z.string(), subject: z.string(), messageMatches: z.boolean() }).optional(),
  treeClean: z.boolean().optional().describe(phaseText.output.treeClean),
  revisionNotes: z.string().optional().describe(phaseText.output.revisionNotes),
  mayContinue: z.boolean().optional().describe(phaseText.output.mayContinue),
  completionFile: z.string().optional().describe(phaseText.output.completionFile),
})

export function registerPhaseCommit(registering: ToolRegistration): void {
  const { workplace } = registering
  register(registering, 'request_phase_commit_approval', {
    title: phaseText.title,
    description: phaseText.description,
    input,
    output,
    run: (given, interaction) => {
      const { ask, step } = interaction
      const onNoDecision = recordingNoDecision(workplace, interaction, {
        checkpoint: 'phase',
        phase: given.phaseNumber,
        subject: phaseText.subject(given.phaseNumber),
        planOf: planUnderWay,
      })
      const { phaseNumber, phaseSummary, commitMessage } = given
      const inWords = phaseText.inWords(phaseNumber, phaseSummary, commitMessage)
      const advice = { inWords, nothing: phaseText.none, onNoDecision }
      return withNoAnswerErrors(advice, async () => {
        // Stored with the call, because the question must be the same each time the call is retried.
        const before = await step('look', () => lookBefore(workplace, given))
        let refused: PhaseRecord | undefined
        for (let attempt = 1; ; attempt++) {
          const decided = await decide<PhaseDecision>(ask, {
            ...messageOf(given, before, refused?.verdict),
            decisions: phaseText.decisions,
            // Where git shows whether there is a commit, the person need not say so.
            ...(isGitRead(before, refused) ? {} : { ticks: { commitConfirmed } }),
            note: { name: 'revisionNotes', neededFor: ['revise'] },
          })
          const kept = await step(`keep-${attempt}`, () => keep(workplace, given, before, decided))
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
  return refused === undefined ? before.isGitRead : refused.verdict.made !== 'not-seen'
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
  const isConfirmed = verdict.made === 'yes' || (verdict.made === 'not-seen' && decided.ticked.commitConfirmed === true)
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
  const count = filesModified.length
  const files = count === 0 ? [] : [gitFindings.filesChanged(count, someOf(filesModified, count))]
  const { done, noCommit, notConfirmed, proposedMessage } = phaseText.question
  const headline = refused === undefined ? done : refused.made === 'not-seen' ? notConfirmed : noCommit
  return checkedMessage({
    first: headline(phaseNumber, before.phaseCount),
    findings: (refused ?? before).findings,
    problems: (refused ?? before).problems,
    rest: [phaseSummary, ...files, proposedMessage(commitMessage)],
  })
}
