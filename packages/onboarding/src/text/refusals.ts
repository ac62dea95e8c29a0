// Why an action was refused, and what to do next.

export interface Refusal {
  readonly message: string
  readonly suggestion: string
}

const proposeAgain = 'Call propose and approve again.'

export const refusals = {
  cannotAsk: (action: string): Refusal => ({
    message: `${action} needs a person's answer, and this client cannot ask its user. Nothing was changed.`,
    suggestion:
      'Use a client that can ask its user (elicitation), or run the tools behind `assent`, whose inbox asks instead. Do not ask in the chat instead: only an answer to this question counts.',
  }),
  invalidAnswer: (action: string): Refusal => ({
    message: 'The answer does not fit the question. That counts as no; nothing was changed.',
    suggestion: `Call ${action} again to ask once more.`,
  }),
  changedWhileAsking: (status: string, action: string): Refusal => ({
    message: `Onboarding changed while the person decided: its status is now ${status}. This answer changed nothing.`,
    suggestion: `Call status, then call ${action} again if it is still needed.`,
  }),
  tooMuchToShow: (what: string, questions: number, most: number): Refusal => ({
    message: `${what} takes ${questions} questions to show in full, and at most ${most} are asked. No person was asked, and nothing was changed.`,
    suggestion:
      'Make the change smaller: shorten or move the longest instruction files by hand, then call propose again.',
  }),
  unknownChoice: (why: string): Refusal => ({
    message: `${why} Nothing was proposed.`,
    suggestion: 'Call propose without keep to see what is undecided.',
  }),
  notProposed: (status: string): Refusal => ({
    message: `There is no plan to approve: the status is ${status}.`,
    suggestion: status === 'approved' ? 'It is approved already; call migrate.' : 'Call propose first.',
  }),
  changed: (what: string): Refusal => ({
    message: `${what} An approval is valid only for exactly what was shown; nothing was done.`,
    suggestion: proposeAgain,
  }),
  interrupted: (what: 'migration' | 'rollback'): Refusal => ({
    message: `A ${what} was interrupted, and the files may be a mix of old and new versions. Nothing was done now.`,
    suggestion: 'Call status to see the state of the files, then rollback to restore everything.',
  }),
  notApproved: (status: string): Refusal => ({
    message: `Nothing may be migrated: the status is ${status}, and it has to be approved.`,
    suggestion: status === 'proposed' ? 'Call approve, which asks a person.' : 'Call propose, then approve.',
  }),
  approvalGone: {
    message: 'The approval no longer exists. Nothing was changed.',
    suggestion: 'Call propose, then approve.',
  } satisfies Refusal,
  backupFailed: (why: string): Refusal => ({
    message: `The backup could not be made (${why}), so nothing was changed.`,
    suggestion: 'Free some disk space or make the state folder writable, then call migrate again.',
  }),
  restoreFailed: (why: string, also: string): Refusal => ({
    message: `The migration failed (${why}), and restoring the files failed too (${also}).`,
    suggestion: 'Call status to see the state of the files, fix the cause, then call rollback.',
  }),
  stopped: (why: string, isChange: boolean): Refusal => ({
    message: `The migration stopped: ${why} Everything it had changed was restored.`,
    suggestion: isChange ? proposeAgain : 'Fix the cause, then call migrate again.',
  }),
  nothingToRollBack: {
    message: 'There is no migration to roll back.',
    suggestion: 'Call status to see the current status.',
  } satisfies Refusal,
  rollbackExpired: (until: string): Refusal => ({
    message: `The time for a rollback ended ${until}. Nothing was changed.`,
    suggestion: 'The backup is still there; use it or version control by hand.',
  }),
  alreadySkipped: {
    message: 'Onboarding is skipped already.',
    suggestion: 'Call analyze to begin again.',
  } satisfies Refusal,
  notWritable: (path: string, why: string): Refusal => ({
    message: `The folder of ${path} cannot be written to (${why}). Nothing was changed.`,
    suggestion: 'Make it writable, then call migrate again.',
  }),
  badBackup: (why: string): Refusal => ({
    message: `The backup cannot be used: ${why}. No file was changed.`,
    suggestion: 'Restore the state folder from version control or from another backup, then call again.',
  }),
  inTheWay: (path: string): Refusal => ({
    message: `${path} could not be restored: something else is in its place.`,
    suggestion: 'Move it away and call rollback again; files that were restored stay as they are.',
  }),
  otherFile: (path: string): Refusal => ({
    message: `${path} is no longer what was approved.`,
    suggestion: 'Look at what changed, then propose and approve again.',
  }),
  outside: (path: string): Refusal => ({
    message: `${JSON.stringify(path)} is not a path inside the repository. Nothing was changed.`,
    suggestion: 'Propose again.',
  }),
  behindLink: (folder: string): Refusal => ({
    message: `${folder} is now behind a link. Nothing was changed there.`,
    suggestion: 'Restore the folder, or propose again.',
  }),
  notAFolder: (path: string, folder: string): Refusal => ({
    message: `${path} cannot be reached: ${folder} is a link or a file, not a folder. Nothing was changed there.`,
    suggestion: 'Restore the folder, or propose again.',
  }),
  mayNotWrite: (path: string, why: string): Refusal => ({
    message: `${JSON.stringify(path)} may not be written: ${why}. Nothing was changed.`,
    suggestion: proposeAgain,
  }),
  damagedState: (path: string, why: string): Refusal => ({
    message: `${path} cannot be used: ${why}. Nothing was done.`,
    suggestion: 'Restore the file from version control, or move the whole folder away and start with analyze.',
  }),
  noKey: (why: string): Refusal => ({
    message: `Onboarding has no key to authenticate its files with: ${why}. Nothing was done.`,
    suggestion:
      'Set ASSENT_HOME to a folder outside the project that only you can write to, or correct its permissions (chmod 700 the folder, chmod 600 the key).',
  }),
  damagedRevision: (place: string, why: string): Refusal => ({
    message: `${place} cannot be read (${why}). Nothing was done.`,
    suggestion: 'Remove that file. Onboarding of this repository then begins again with analyze.',
  }),
  busy: (action: string, process: string, since: string, locks: string | undefined): Refusal => ({
    message: `Onboarding is running elsewhere: ${action}, by ${process}, since ${since}. Nothing was done.`,
    suggestion:
      locks === undefined
        ? 'Wait until it is done, then call again.'
        : `Wait until it is done. If that machine is gone, remove its file in ${locks} and call again.`,
  }),
}

/** The reasons in the messages above; each without a full stop. */
export const reasons = {
  plan: {
    notProposed: 'The saved plan is not the one that was proposed.',
    replanned: 'Planning this repository again gives another plan than the saved one.',
    changedMeanwhile: 'The plan or the files changed while the person decided.',
    filesChanged: (paths: readonly string[], more: number) =>
      `${paths.join(', ')}${more > 0 ? ` and ${more} more` : ''} changed since the plan was made.`,
  },
  choice: {
    noContradiction: (id: string) => `There is no contradiction ${id}.`,
    neither: (id: string, places: readonly string[], given: string) =>
      `${id} is between ${places.join(' and ')}; ${given} is neither.`,
    severalStatements: (place: string) => `${place} contains more than one statement, so it has to be edited by hand.`,
  },
  path: {
    notInstructions: 'it is not an instruction file',
    otherMode: 'its file mode would change',
    twice: 'it is listed twice',
  },
  state: {
    missing: 'it is missing',
    ownFolder: 'it changes our own folder',
    otherText: (path: string) => `the text for ${path} does not match its digest`,
    foreign: 'it was not written by this Assent installation',
    notRegular: 'it is not a regular file, or it is too large',
  },
  backup: {
    otherManifest: 'its manifest is not the original',
    damagedCopy: (path: string) => `the copy of ${path} is damaged`,
    changedCopy: 'a copy changed while it was read',
    noManifest: 'its manifest is missing',
    foreign: 'its manifest was not written by this Assent installation',
  },
  key: {
    inProject: (home: string, root: string) =>
      `${home} is inside ${root}, where everybody who writes to the project could write the key`,
    writable: (home: string) => `every user may write to ${home}`,
    invalid: (file: string) => `${file} is not a valid key`,
    readable: (file: string) => `other users may read ${file}`,
    othersFile: (file: string) => `${file} belongs to another user`,
    removed: (file: string) => `${file} was removed while it was created`,
  },
  lock: {
    unknownTime: 'an unknown time',
    unreadable: (place: string) => `a claim at ${place} that cannot be read`,
    processHere: (pid: number) => `process ${pid} on this machine`,
    processAt: (pid: number, host: string) => `process ${pid} on ${host}`,
  },
}

/** Before the message of every action. */
export const ignoredState = {
  older: (path: string) =>
    `Warning: state in this repository is older than the newest that this Assent installation wrote; ignored (${path}).`,
  foreign: (paths: string) =>
    `Warning: state in this repository was not written by this Assent installation; ignored (${paths}).`,
}
