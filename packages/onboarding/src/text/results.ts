// What the agent receives from each action.

/** By the status of onboarding. */
const next = {
  not_started: 'Nothing has been analysed yet. Next: analyze.',
  analyzed: 'Next: propose writes a plan.',
  proposed: 'Next: approve asks a person about the plan.',
  approved: 'A person approved the plan. Next: migrate asks once more and carries it out.',
  completed: 'The plan was carried out.',
  skipped: 'A person decided to leave the files as they are. analyze begins again.',
  rejected: 'A person rejected the plan. analyze or propose begins again.',
  rolled_back: 'The migration was rolled back. analyze or propose begins again.',
}

export const statusText = {
  is: (status: string) => `Onboarding is ${status}.`,
  next,
  analysed: (at: string, pattern: string, files: string) => `Analysed ${at}: ${pattern}, ${files}.`,
  wrote: (comment: string) => `The person wrote: ${comment}`,
  backup: (folder: string) => `The backup is in ${folder}.`,
  rollbackEnded: (until: string) => `The time for a rollback ended ${until}.`,
  rollbackUntil: (until: string) => `Until ${until} rollback restores everything.`,
  interrupted: { migration: 'A migration was interrupted', rollback: 'A rollback was interrupted' },
  noneChanged: 'No file has changed.',
  allChanged: 'All files have changed, only the record of it is missing.',
  mixed: 'The files are a mix of old and new versions.',
  backupComplete: (what: string, files: string) =>
    `${what}. ${files} The backup is complete: rollback restores everything.`,
  unknownFiles: (what: string, why: string) => `${what}, and the state of the files is unknown: ${why}`,
}

export const analysisResults = {
  nothing: 'There is nothing to onboard.',
  next: 'Next: propose writes a plan; nothing is changed by it.',
}

export const proposalResults = {
  thePlan: 'the plan itself',
  preview: 'This is a preview: nothing was written.',
  next: 'Next: approve asks a person about this plan.',
  howToDecide: (id: string | undefined, line: string) =>
    `To decide, ask the person which line counts and propose again with keep, as in {"${id}": "${line}"}.`,
}

export const approvalResults = {
  approved: 'Approved. No file has changed yet. Next: migrate asks once more and then carries the plan out.',
  rejected: 'A person rejected the plan; no file was changed.',
}

export const migrationResults = {
  done: (files: string, backup: string, until: string) =>
    `Done: ${files} changed. ${statusText.backup(backup)} ${statusText.rollbackUntil(until)}`,
  notConfirmed: 'A person did not confirm the migration; no file was changed.',
  bothBoxes: 'Both boxes have to be ticked.',
  preview: 'This is a preview: no person was asked and nothing was written.',
}

export const rollbackResults = {
  done: (files: string, all: number) =>
    `Rolled back: ${files} restored; all ${all} are as they were before the migration.`,
  saved: 'Changes made after the migration were saved:',
  notConfirmed: 'A person did not confirm the rollback; no file was changed.',
}

export const skipResults = {
  skipped: 'Skipped: the instruction files stay as they are. Call analyze to begin again.',
  notConfirmed: 'A person did not want to skip onboarding; nothing was changed.',
}

/** No decision: what happened, and that it counts as a no. */
export const noDecisionText = {
  dismissed: 'The person closed the question without an answer.',
  timedOut: (time: string) => `No answer arrived within ${time}.`,
  unseen: 'The client accepted faster than a person can read, so it does not count.',
  closed: 'The connection closed before an answer arrived.',
  countsAsNo: (why: string, action: string) => `${why} That counts as no; ${action} changed nothing.`,
}

export const wroteText = (message: string, comment: string) => `${message} They wrote: ${comment}`
