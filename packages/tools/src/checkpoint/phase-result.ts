// What a decision about a phase produces: a line of the completion file, and the result for the agent.

import { compact } from '@assent/core'
import { answered, commentMember, type ToolResult } from '../ending.ts'
import { phaseText } from '../text/phase.ts'
import type { Recorded } from '../workplace/completion-file.ts'
import { recordedResult } from '../workplace/workplace.ts'
import { type CommitVerdict, short } from './commit-verdict.ts'
import { addedOf, type Decided, remarkOf } from './decide.ts'

export type PhaseDecision = keyof typeof phaseText.decisions

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
  const { record } = phaseText
  const committed = commit === undefined ? record.notChecked : record.committedAt(short(commit.id))
  const words = {
    commit_and_continue: isConfirmed ? record.continued(committed) : record.notContinued,
    commit_and_pause: isConfirmed ? record.paused(committed) : record.pausedUncommitted,
    revise: record.revise,
    abort: record.abort,
  }
  return `${record.line(phaseNumber, words[decided.decision])}${addedOf(decided)}`
}

function dataOf({ decision, note, comment }: Decided<PhaseDecision>, { verdict, isConfirmed, recorded }: PhaseRecord) {
  return {
    decision,
    commitConfirmed: isConfirmed,
    commitChecked: verdict.made !== 'not-seen',
    ...compact({ commit: verdict.commit, treeClean: verdict.treeClean }),
    ...(note === '' ? {} : { revisionNotes: note }),
    ...commentMember(comment),
    ...recordedResult(recorded).data,
  }
}

/** The person wants to continue, was asked again, and there is still no commit. */
export function commitMissing(given: PhaseReport, decided: Decided<PhaseDecision>, kept: PhaseRecord): ToolResult {
  const message = phaseText.commitMissing(given.phaseNumber, kept.verdict.findings.join(' '), remarkOf(decided))
  const result = answered(message, { ...dataOf(decided, kept), status: 'commit_missing', mayContinue: false })
  const text = `${message}\n\n${given.commitMessage}\n\n${recordedResult(kept.recorded).words}`
  return { ...result, content: [{ type: 'text', text }], isError: true }
}

export function phaseResult(given: PhaseReport, decided: Decided<PhaseDecision>, kept: PhaseRecord): ToolResult {
  const { decision } = decided
  const { verdict, isConfirmed, recorded } = kept
  const found = verdict.findings.join(' ')
  const reminder = isConfirmed ? '' : phaseText.remindToCommit(given.commitMessage)
  const words = phaseText.results[decision](given.phaseNumber, found, remarkOf(decided), reminder)
  return answered(`${words} ${recordedResult(recorded).words}`, {
    ...dataOf(decided, kept),
    mayContinue: decision === 'commit_and_continue',
  })
}
