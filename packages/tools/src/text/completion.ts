// `request_completion_review`: the question, its answers, and what the agent receives.

import { recordedIn } from './record.ts'

const phases = (count: number) => (count === 1 ? 'phase' : 'phases')

/** "2 of 3 phases have an approved commit in git" */
function progress(inGit: number, needed: number): string {
  return `${inGit} of ${needed} ${phases(needed)} ${needed === 1 ? 'has' : 'have'} an approved commit in git`
}

export const completionText = {
  title: 'Have the finished plan reviewed',
  description:
    'Shows the user the result of a plan and waits for their decision. Call it once, after the last phase is committed and ' +
    'the completion file is written. approve: the plan is closed. request_changes: do what the feedback says and call this ' +
    'again. cancel: stop without closing it. Do not call a plan complete without an approval.',
  input: {
    completionSummary:
      'What was achieved, how it was tested, and what is left. It must be clear without the conversation.',
    phasesCompleted: 'How many phases were completed.',
    filesModified: 'All files that were changed, from the project’s folder.',
    taskName: 'The name given at request_plan_approval. By default, the name of the plan under way.',
  },
  output: {
    feedback: 'What the person wants to be different.',
    isClosed: 'True when the person approved: the plan is over.',
    phasesPlanned: 'Phases of the approved plan; absent when none is on record.',
    phasesRecorded: 'Phases whose commit a person approved.',
    phasesInGit: 'Of those, the phases whose commit is in the history of git.',
    isOnRecord:
      'True only when the record and git show every phase committed. If false, do not report the plan as fully done.',
    completionFile: recordedIn,
  },
  decisions: { approve: 'Approve', request_changes: 'Request changes', cancel: 'Leave it incomplete' },
  subject: 'Completion review',
  none: 'The plan is not closed.',
  question: (isComplete: boolean, progressText: string) =>
    `Is this plan complete? ${isComplete ? '' : 'Its record is incomplete: '}${progressText}.`,
  inWords: (summary: string) =>
    `Is the plan complete?\n\n${summary}\n\nPlease reply with "approve", "request changes" (and which), or "leave it incomplete".`,
  /** In the completion file. */
  record: {
    approve: (progressText: string) => `Completion approved (${progressText})`,
    request_changes: (progressText: string) => `Completion review: changes requested (${progressText})`,
    cancel: (progressText: string) => `Completion review: left incomplete (${progressText})`,
  },
  results: {
    approve: (comment: string) => `The person approved the result: the plan is closed.${comment}`,
    request_changes: (comment: string) =>
      `The person requests changes.${comment || ' Ask them which.'} Make them, and ask for the review again.`,
    cancel: (comment: string) => `The person leaves the plan incomplete.${comment} Stop, and do not call it complete.`,
  },
  notOnRecord: (progressText: string, findings: string) =>
    ` The record does not show a complete plan: ${progressText}. ${findings} Tell the user so.`,
  progress,
  findings: {
    noPlan: (reported: number) =>
      `No approved plan is on record. The agent reports ${reported} completed ${phases(reported)}.`,
    planned: (count: number, reported: number) =>
      `The approved plan has ${count} ${phases(count)}. The agent reports ${reported} completed.`,
    ended: {
      aborted: 'The plan was cancelled after it had begun.',
      cancelled: 'The plan was cancelled.',
      left: 'An earlier review left the plan incomplete.',
    },
    gitUnread: (why: string) => `Git could not be read, so no commit was checked: ${why}`,
    phase: (phase: number, commit: string | undefined) =>
      commit === undefined ? `phase ${phase}` : `phase ${phase} (${commit})`,
    committed: (list: string) => `Approved and committed: ${list}.`,
    missing: (count: number, list: string) => `No approved commit: ${phases(count)} ${list}.`,
    notInHistory: (list: string) => `Approved, but without a separate commit in git's history: ${list}.`,
  },
}
