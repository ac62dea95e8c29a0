// The questions to a person: their titles, fields, and what Assent says about them.

const comment = 'Comment'

export const approvalText = {
  question: "Approve this plan for the repository's instruction files?",
  field: 'Approve this plan',
  help: 'Without your approval the plan is rejected, and no file changes.',
  partField: 'Approve this part',
  comment,
  note: (plan: string) =>
    `Nothing changes yet: before files are written, you are asked again and a backup is made. That question names this plan, ${plan}.`,
  tooMuch: (files: string) => `The plan for ${files}`,
}

export const migrationText = {
  question: (files: string) => `Change ${files} of this repository now?`,
  field: 'Change the files now',
  risksField: 'I have read what will change and what can go wrong',
  partField: 'Change these lines',
  backup: (until: string) =>
    `A copy of every file is made and checked first. Until ${until} rollback restores all of it, byte for byte.`,
  risks:
    'What can go wrong: running agents use the old files until they are restarted; a link from elsewhere into a moved section no longer works; changes on other branches have to be merged by hand.',
  approved: (at: string, plan: string) => `Approved ${at}, plan ${plan}.`,
  tooMuch: (files: string) => `The change of ${files}`,
}

export const rollbackText = {
  question: (at: string) => `Roll back the migration of ${at}?`,
  interruptedQuestion: (files: string) => `A migration was interrupted. Restore ${files} as they were before it?`,
  field: 'Restore the files',
  partField: 'Restore these files',
  comment,
  files: 'State of the files:',
  unchanged: (path: string) => `${path}: unchanged since the migration`,
  changedLater: (path: string) => `${path}: changed after the migration`,
  asBefore: (path: string) => `${path}: as it was before`,
  copied: (paths: readonly string[]) =>
    `The later changes to ${paths.join(', ')} are copied into the backup folder before they are replaced.`,
  tooMuch: (files: string) => `The list of ${files}`,
}

export const skipText = {
  question: 'Leave the instruction files of this repository as they are?',
  field: 'Skip onboarding',
  comment,
  effect: (status: string) =>
    `Onboarding is ${status}. Skipping changes no file; what was proposed or approved is dropped.`,
  tooMuch: 'The question',
}

/** A text that needs several questions. */
export const partText = {
  part: (part: number, parts: number) =>
    `Part ${part} of ${parts} of what this is about. It counts as a yes only if you say yes to every part.`,
  allShown: (parts: number) => `You have been shown all ${parts} parts. This question is about all of them.`,
}
