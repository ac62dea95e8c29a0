// What git shows about a phase, one sentence each, and why git could not be read.

const changes = (count: number) => (count === 1 ? 'One change is' : `${count} changes are`)

export const gitFindings = {
  unread: (why: string) => `Git could not be read: ${why}`,
  clean: 'Nothing is left uncommitted.',
  uncommitted: (count: number, names: string) => `${changes(count)} not committed: ${names}.`,
  uncommittedFiles: (names: string) => `Not committed: ${names}.`,
  committed: (commit: string, subject: string, count: number) =>
    `Committed: ${commit} ${subject}${count > 1 ? `, ${count} new commits in all` : ''}.`,
  otherMessage: 'Its message is not the proposed one.',
  noneSince: 'There is no new commit since the phase began.',
  noneFitting: 'The last commit does not have the proposed message, and it is not known where the phase began.',
  filesChanged: (count: number, names: string) => `Files changed (${count}): ${names}`,
  andMore: (count: number) => ` and ${count} more`,
}

/** After "Git could not be read:". */
export const gitProblems = {
  noRepository: 'this folder is not in a git repository that can be read.',
  notFound: 'git was not found on this machine.',
  filters: 'its configuration has filters that cannot be switched off.',
  tooMuchOutput: (bytes: number) => `git printed more than ${bytes} bytes.`,
  timeout: (seconds: number) => `git did not answer within ${seconds} seconds.`,
  failed: 'git failed.',
  reported: (line: string) => `git reported: ${line}`,
}
