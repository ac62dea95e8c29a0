// `request_phase_commit_approval`: the question, its answers, and what the agent receives.

import { recordedIn } from './record.ts'

const confirmCommit = 'I have made the commit'

function question(phase: number, phaseCount: number | undefined): string {
  return phaseCount === undefined ? `Phase ${phase}` : `Phase ${phase} of ${phaseCount}`
}

export const phaseText = {
  title: 'Have a phase committed',
  description:
    'Shows a finished phase and its commit message to the user, who commits it and decides how to continue; waits for the ' +
    'decision. Call it after each phase, with everything of the phase done. commit_and_continue: begin the next phase. ' +
    'commit_and_pause: stop until the user asks you to continue. revise: make the requested changes and call this again. ' +
    'abort: the plan is cancelled, stop. Begin the next phase only when mayContinue is true: git is checked, and without a new ' +
    'commit it is refused with a reminder. Do not commit in the user’s place unless they ask you to.',
  input: {
    phaseNumber: 'The phase that is done, from 1.',
    phaseSummary: 'What was done and how it was tested. It must be clear without the conversation.',
    filesModified: 'The files that were changed, from the project’s folder.',
    commitMessage: 'The message that you propose for the commit. The person makes the commit.',
  },
  output: {
    status: 'answered: a person decided. commit_missing: they want to continue, and nothing is committed.',
    commitConfirmed: 'Whether the phase is committed: according to git, or to the person if git cannot be read.',
    commitChecked: 'Whether git could be read.',
    treeClean: 'Whether nothing is left uncommitted.',
    revisionNotes: 'What the person wants to be different.',
    mayContinue: 'True only when the next phase may begin.',
    completionFile: recordedIn,
  },
  decisions: {
    commit_and_continue: 'Continue',
    commit_and_pause: 'Pause here',
    revise: 'Request changes',
    abort: 'Cancel the plan',
  },
  confirmCommit,
  subject: (phase: number) => `Phase ${phase}`,
  none: 'Nothing was decided about this phase.',
  question: {
    done: (phase: number, phaseCount: number | undefined) =>
      `${question(phase, phaseCount)} is done. Commit it, then choose how to continue.`,
    noCommit: (phase: number, phaseCount: number | undefined) =>
      `${question(phase, phaseCount)} cannot continue yet: no new commit. Commit, then try again.`,
    notConfirmed: (phase: number, phaseCount: number | undefined) =>
      `${question(phase, phaseCount)} cannot continue yet: git cannot be checked here, and "${confirmCommit}" was not chosen. Commit, then try again.`,
    proposedMessage: (message: string) => `Proposed commit message:\n${message}`,
  },
  inWords: (phase: number, summary: string, commitMessage: string) =>
    `Phase ${phase} is done.\n\n${summary}\n\nPlease commit it, for example with:\n${commitMessage}\n\n` +
    'Then reply with "continue", "pause", "request changes" (and which), or "cancel the plan".',
  /** In the completion file. */
  record: {
    committedAt: (commit: string) => `at ${commit}`,
    notChecked: '(commit not checked)',
    continued: (committed: string) => `committed ${committed}, continue`,
    notContinued: 'not continued, because nothing was committed',
    paused: (committed: string) => `committed ${committed}, pause`,
    pausedUncommitted: 'paused, not committed',
    revise: 'changes requested',
    abort: 'plan cancelled',
    line: (phase: number, what: string) => `Phase ${phase}: ${what}`,
  },
  commitMissing: (phase: number, findings: string, comment: string) =>
    `Phase ${phase} is not committed, so the next one may not begin. ${findings}${comment} Remind the user to commit, with ` +
    'this message or their own, and then call this tool again:',
  remindToCommit: (message: string) =>
    ` The phase is not committed: remind the user to commit it before the next phase, for example with the message "${message}".`,
  results: {
    commit_and_continue: (phase: number, findings: string, comment: string) =>
      `The person committed phase ${phase} and wants to continue. ${findings}${comment} Continue with the next phase, or with request_completion_review after the last.`,
    commit_and_pause: (phase: number, findings: string, comment: string, reminder: string) =>
      `The person wants to pause after phase ${phase}. ${findings}${comment}${reminder} Stop here and wait until they ask you to continue.`,
    revise: (phase: number, _findings: string, comment: string) =>
      `The person requests changes to phase ${phase}.${comment || ' Ask them which.'} Make them, and ask for the commit again.`,
    abort: (phase: number, _findings: string, comment: string) =>
      `The person cancelled the plan after phase ${phase}.${comment} Stop, and do not continue with it.`,
  },
}
