// What a decision about a phase produces: a line of the completion file, and the result for the agent.

import { compact } from '@assent/core'
import { answered, commentMember, type ToolResult } from '../ending.ts'
import type { Recorded } from '../workplace/completion-file.ts'
import { recordedResult } from '../workplace/workplace.ts'
import { type CommitVerdict, short } from './commit-verdict.ts'
import { addedOf, type Decided, remarkOf } from './decide.ts'

export type PhaseDecision = 'commit_and_continue' | 'commit_and_pause' | 'revise' | 'abort'

/** What the agent reported about the phase. */
export interface PhaseReport {
  readonly phaseNumber: number
  readonly commitMessage: string
}

/** What was found and recorded after the answer. */
export interface PhaseRecord {
  readonly verdict: CommitVerdict
  readonly isConfirmed: boolean
  readonly recorded: Recorded
}

export function phaseLine(
  { phaseNumber }: PhaseReport,
  decided: Decided<PhaseDecision>,
  isConfirmed: boolean,
  { commit }: CommitVerdict,
): string {
  const committed = commit !== undefined ? `at ${short(commit.id)}` : isConfirmed ? '(commit not checked)' : ''
  const words = {
    commit_and_continue: isConfirmed
      ? `committed ${committed}, continue`
      : 'not continued, because nothing was committed',
    commit_and_pause: isConfirmed ? `committed ${committed}, pause` : 'paused, not committed',
    revise: 'revision requested',
    abort: 'plan aborted',
  }
  return `Phase ${phaseNumber}: ${words[decided.decision]}${addedOf(decided)}`
}

function dataOf({ decision, note, comment }: Decided<PhaseDecision>, { verdict, isConfirmed, recorded }: PhaseRecord) {
  return {
    decision,
    commitConfirmed: isConfirmed,
    commitChecked: verdict.made !== 'not seen',
    ...compact({ commit: verdict.commit, treeClean: verdict.treeClean }),
    ...(note === '' ? {} : { revisionNotes: note }),
    ...commentMember(comment),
    ...recordedResult(recorded).data,
  }
}

/** The person wants to continue, was asked again, and there is still no commit. */
export function commitMissing(given: PhaseReport, decided: Decided<PhaseDecision>, kept: PhaseRecord): ToolResult {
  const message =
    `Phase ${given.phaseNumber} is not committed, so the next one may not begin. ${kept.verdict.findings.join(' ')}` +
    `${remarkOf(decided)} Remind the user to commit, with this message or their own, and then call this tool again:`
  const result = answered(message, { ...dataOf(decided, kept), status: 'commit_missing', mayContinue: false })
  const text = `${message}\n\n${given.commitMessage}\n\n${recordedResult(kept.recorded).words}`
  return { ...result, content: [{ type: 'text', text }], isError: true }
}

export function phaseResult(given: PhaseReport, decided: Decided<PhaseDecision>, kept: PhaseRecord): ToolResult {
  const { decision } = decided
  const { verdict, isConfirmed, recorded } = kept
  const { phaseNumber } = given
  const remark = remarkOf(decided)
  const found = verdict.findings.join(' ')
  const reminder = isConfirmed
    ? ''
    : ` The phase is not committed: remind the user to commit it before the next phase, for example with the message "${given.commitMessage}".`
  const sentences: Record<PhaseDecision, string> = {
    commit_and_continue: `The person committed phase ${phaseNumber} and wants to continue. ${found}${remark} Continue with the next phase, or with request_completion_review after the last.`,
    commit_and_pause: `The person wants to pause after phase ${phaseNumber}. ${found}${remark}${reminder} Stop here and wait until they ask you to continue.`,
    revise: `The person wants phase ${phaseNumber} revised.${remark || ' Ask them how.'} Do that, and ask for the commit again.`,
    abort: `The person aborted the plan after phase ${phaseNumber}.${remark} Stop, and do not continue with it.`,
  }
  return answered(`${sentences[decision]} ${recordedResult(recorded).words}`, {
    ...dataOf(decided, kept),
    mayContinue: decision === 'commit_and_continue',
  })
}
