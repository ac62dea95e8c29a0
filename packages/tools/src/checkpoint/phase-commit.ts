// `request_phase_commit_approval`: the pause after each phase. The next one begins when the phase is really committed.
//
// Git is looked at twice: before the question, so that the person sees what is missing, and after the answer, because the
// commit is often made while the question is open. The second look decides.

import { boolean } from '@assent/core'
import { z } from 'zod'
import { answered, endingFields, noAnswerCodes, type ToolResult, withoutAnswer } from '../ending.ts'
import type { Look } from '../git/look.ts'
import { toolLimits } from '../limits.ts'
import { type Registering, register } from '../tool.ts'
import { recordedWords, type Workplace } from '../workplace.ts'
import { type CommitVerdict, judgeCommit, short, someOf } from './commit-verdict.ts'
import { type Decided, decide, remarkOf } from './decide.ts'
import type { Recorded } from './record.ts'

const decisions = {
  commit_and_continue: 'Committed: continue with the next phase',
  commit_and_pause: 'Committed: pause here',
  revise: 'Revise this phase',
  abort: 'Abort the plan',
} as const
type PhaseDecision = keyof typeof decisions

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
    .describe('Whether the phase is committed: as git shows, or where it cannot be seen, as the person says.'),
  commitChecked: z.boolean().optional().describe('Whether git could be looked at.'),
  commit: z.object({ id: z.string(), subject: z.string(), messageMatches: z.boolean() }).optional(),
  treeClean: z.boolean().optional().describe('Whether nothing is left uncommitted.'),
  revisionNotes: z.string().optional().describe('What the person wants to be different.'),
  mayContinue: z.boolean().optional().describe('True only when the next phase may begin.'),
  completionFile: z.string().optional().describe('Where the decision is on record, in the project.'),
})

export function registerPhaseCommit(registering: Registering): void {
  const { workplace } = registering
  register(registering, 'request_phase_commit_approval', {
    title: 'Have a phase committed',
    description:
      'Shows a finished phase and its commit message to the user, who commits it and decides how to go on; waits up to five ' +
      'minutes. Call it after each phase, with everything of the phase done. commit_and_continue: begin the next phase. ' +
      'commit_and_pause: stop until the user says to go on. revise: do what the notes say and call this again. abort: stop. ' +
      'Begin the next phase only when mayContinue is true: git is looked at, and without a new commit it is refused with ' +
      'a reminder. Do not commit in the user’s place unless they ask you to.',
    input,
    output,
    run: (given, { ask, step }) =>
      withoutAnswer({ inWords: inWords(given), nothing: 'Nothing was decided about this phase.' }, async () => {
        // Kept with the call, because the question must read the same each time the call comes back.
        const before = await step('look', () => lookBefore(workplace, given))
        const decided = await decide(ask, {
          message: messageOf(given, before),
          decisions,
          ticks: { commitConfirmed: boolean({ title: 'I have made the commit', default: false, required: false }) },
          note: { name: 'revisionNotes', title: 'Revision notes', neededFor: ['revise'] },
        })
        const kept = await step('keep', () => keep(workplace, given, before, decided))
        return told(given, decided, kept)
      }),
  })
}

interface Before {
  readonly root: string
  /** Where the phase began, or where the repository stood when this was first asked. */
  readonly from?: string
  readonly isBeginningKnown: boolean
  readonly phaseCount?: number
  readonly findings: readonly string[]
}

async function lookBefore(workplace: Workplace, { commitMessage }: Input): Promise<Before> {
  const first = await workplace.look()
  const root = first.kind === 'seen' ? first.root : workplace.folder
  const plan = workplace.memory.read(root)
  const seen = plan?.began === undefined || first.kind === 'unseen' ? first : await workplace.look(plan.began)
  const isBeginningKnown = seen.kind === 'seen' && seen.since !== undefined
  const from = isBeginningKnown ? plan?.began : headOf(seen)
  return {
    root,
    ...(from === undefined ? {} : { from }),
    isBeginningKnown,
    ...(plan?.phaseCount === undefined ? {} : { phaseCount: plan.phaseCount }),
    findings: judgeCommit(seen, commitMessage, isBeginningKnown).findings,
  }
}

function headOf(seen: Look): string | undefined {
  return seen.kind === 'seen' ? (seen.head?.id ?? '') : undefined
}

interface Kept {
  readonly verdict: CommitVerdict
  readonly isConfirmed: boolean
  readonly recorded: Recorded
}

async function keep(
  workplace: Workplace,
  given: Input,
  before: Before,
  decided: Decided<PhaseDecision>,
): Promise<Kept> {
  const { root } = before
  const seen = await workplace.look(before.from)
  const verdict = judgeCommit(seen, given.commitMessage, before.isBeginningKnown)
  const isConfirmed = verdict.made === 'yes' || (verdict.made === 'not seen' && decided.ticked.commitConfirmed === true)
  const plan = workplace.memory.read(root) ?? { task: 'plan', decisions: [] }
  const { decision, note } = decided
  const { commit } = verdict
  const about = {
    checkpoint: 'phase',
    decision,
    phase: given.phaseNumber,
    ...(note === '' ? {} : { note }),
    ...(commit === undefined ? {} : { commit: commit.id }),
  } as const
  const kept = await workplace.keep(root, plan, about, line(given, decided, isConfirmed, verdict))
  if (decision === 'abort') workplace.memory.forget(root)
  else {
    const isPhaseOver = decision !== 'revise' && isConfirmed
    const began = isPhaseOver ? (headOf(seen) ?? plan.began) : plan.began
    workplace.memory.write(root, { ...kept.plan, ...(began === undefined ? {} : { began }) })
  }
  return { verdict, isConfirmed, recorded: kept.recorded }
}

function line(
  { phaseNumber }: Input,
  { decision, note }: Decided<PhaseDecision>,
  isConfirmed: boolean,
  { commit }: CommitVerdict,
): string {
  const said = note === '' ? '' : `: ${note}`
  const committed =
    commit === undefined ? (isConfirmed ? ' (commit not checked)' : ' (not committed)') : ` at ${short(commit.id)}`
  const words = {
    commit_and_continue: isConfirmed
      ? `committed${committed}, go on`
      : 'to go on was refused, because nothing is committed',
    commit_and_pause: `paused${committed}`,
    revise: 'to be revised',
    abort: 'plan aborted',
  }
  return `Phase ${phaseNumber}: ${words[decision]}${said}${said === '' ? '.' : ''}`
}

function told(
  given: Input,
  { decision, note }: Decided<PhaseDecision>,
  { verdict, isConfirmed, recorded }: Kept,
): ToolResult {
  const data = {
    decision,
    commitConfirmed: isConfirmed,
    commitChecked: verdict.made !== 'not seen',
    ...(verdict.commit === undefined ? {} : { commit: verdict.commit }),
    ...(verdict.treeClean === undefined ? {} : { treeClean: verdict.treeClean }),
    ...(note === '' ? {} : { revisionNotes: note }),
    ...(recorded.ok ? { completionFile: recorded.file } : {}),
  }
  const ending = ` ${recordedWords(recorded)}`
  const found = verdict.findings.join(' ')
  if (decision === 'commit_and_continue' && !isConfirmed) {
    const message =
      `Phase ${given.phaseNumber} is not committed, so the next one may not begin. ${found} ` +
      'Remind the user to commit, with this message or their own, and then call this tool again:'
    const result = answered(message, { ...data, status: 'commit_missing', mayContinue: false })
    return {
      ...result,
      content: [{ type: 'text', text: `${message}\n\n${given.commitMessage}\n\n${ending.trim()}` }],
      isError: true,
    }
  }
  const remark = remarkOf(note)
  const words: Record<PhaseDecision, string> = {
    commit_and_continue: `The person committed phase ${given.phaseNumber} and wants to continue. ${found}${remark} Go on with the next phase, or with request_completion_review after the last.`,
    commit_and_pause: `The person wants to pause after phase ${given.phaseNumber}. ${found}${remark} Stop here and wait until they say to go on.`,
    revise: `The person wants phase ${given.phaseNumber} revised.${remark || ' Ask them how.'} Do that, and ask for the commit again.`,
    abort: `The person aborted the plan after phase ${given.phaseNumber}.${remark} Stop, and do nothing more of it.`,
  }
  return answered(words[decision] + ending, { ...data, mayContinue: decision === 'commit_and_continue' })
}

function messageOf({ phaseNumber, phaseSummary, filesModified = [], commitMessage }: Input, before: Before): string {
  const which =
    before.phaseCount === undefined ? `Phase ${phaseNumber}` : `Phase ${phaseNumber} of ${before.phaseCount}`
  const files =
    filesModified.length === 0
      ? []
      : [`Files changed (${filesModified.length}): ${someOf(filesModified, filesModified.length)}`]
  const parts = [
    `${which} is done. Commit it, then say how to go on.`,
    // First, because it is what no one but us can tell, and a long summary would hide it.
    `Git, when this was asked:\n${before.findings.map((one) => `- ${one}`).join('\n')}`,
    phaseSummary,
    ...files,
    `Proposed commit message:\n${commitMessage}`,
  ]
  return parts.join('\n\n')
}

function inWords({ phaseNumber, phaseSummary, commitMessage }: Input): string {
  return (
    `Phase ${phaseNumber} is done.\n\n${phaseSummary}\n\nPlease commit it, for example with:\n${commitMessage}\n\n` +
    'Then reply with "continue", "pause", "revise" (and how), or "abort".'
  )
}
