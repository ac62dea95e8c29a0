// `assent audit` and `assent passkeys reset`: their results.

const count = (many: number, one: string, several: string) => `${many} ${many === 1 ? one : several}`

export const auditText = {
  bothNeeded: '--checkpoint and --key must be used together.',
  nothingSigned: 'Nothing was signed. ',
  nothingToSign: 'The audit log is empty: there is nothing to sign yet.',
  empty: (tenant: string, place: string) => `The audit log of ${tenant} in ${place} is empty.`,
  consistent: (entries: number, asks: number, grants: number) =>
    `The audit log is consistent: ${count(entries, 'entry', 'entries')}; ${count(asks, 'ask', 'asks')} and ${count(grants, 'grant', 'grants')} match it.`,
  unknownKeys: (signatures: number) =>
    `The signatures of ${signatures} were not verified: their keys are not configured.`,
  notCompared: 'Not compared with a checkpoint.',
  matches: (checkpoints: number, entry: number) =>
    `It matches ${count(checkpoints, 'checkpoint', 'checkpoints')}, the latest at entry ${entry}.`,
  more: (problems: number) => `… and ${problems} more.`,
  proof: (ask: string, entries: readonly number[]) =>
    `This proof is unchanged: ${ask}, entries ${entries.join(', ')}. Use --config to check that they are in the audit log.`,
  proofFound: (ask: string, entries: readonly number[]) =>
    `The proof of ${ask} is in it: entries ${entries.join(', ')}.`,
  otherEntry: (entry: number) => `Entry ${entry} of the proof differs from the audit log.`,
  missingEntry: (entry: number) => `Entry ${entry} of the proof is not in the audit log.`,
  notCheckpoint: (file: string) => `${file} contains something that is not a checkpoint.`,
  otherKey: (entry: number) => `The checkpoint at entry ${entry} was not signed with this key.`,
  otherTenant: (entry: number, tenant: string) =>
    `The checkpoint at entry ${entry} belongs to the audit log of ${tenant}.`,
  noCheckpoint: (file: string) => `${file} contains no checkpoint.`,
  configuration: (problems: string) => `The configuration cannot be used. ${problems}`,
  notJson: (file: string) => `${file} is not JSON.`,
  unreadable: (file: string) => `${file} cannot be read.`,
  noKey: (file: string) => `${file} contains no PEM key.`,
  otherKeyType: (file: string) => `${file} contains a key of another type; Ed25519 is required.`,
}

export const passkeyResetText = {
  configuration: 'The configuration has mistakes. Nothing was changed.',
  nothingChanged: (problem: string) => `${problem} Nothing was changed.`,
  store: (why: string) => `The store cannot be opened: ${why}`,
  onePerson: '--person needs a configuration with identity: without it there is one person.',
  nameThem: 'This configuration has identity: name the person with --person <subject>, as the issuer names them.',
  youHaveNone: 'You have no passkeys.',
  removedYours: (count: number) => `Removed ${count}. Add a new one in the inbox, at /passkeys.`,
  theyHaveNone: (person: string) =>
    `${person} has no passkeys here. Check the subject: it is the claim sub of their tokens.`,
  removed: (count: number, person: string) =>
    `Removed ${count} of ${person}. The inbox shows it to them for seven days. They add a new one at /passkeys, within five minutes of a new sign-in.`,
}
