// `assent audit` and `assent passkeys reset`: their results.

const count = (many: number, one: string, several: string) => `${many} ${many === 1 ? one : several}`

export const auditText = {
  nothingPrinted: 'No checkpoint was printed. ',
  emptyLog: 'The audit log is empty: it has no checkpoint yet.',
  empty: (tenant: string, place: string) => `The audit log of ${tenant} in ${place} is empty.`,
  emptied: (tenant: string, place: string) =>
    `The audit log of ${tenant} in ${place} is empty, and its keys or a checkpoint of it were given: either its entries were deleted, or it never had one. In the second case, verify it without them.`,
  consistent: (entries: number, asks: number, grants: number) =>
    `The audit log is consistent: ${count(entries, 'entry', 'entries')}; ${count(asks, 'ask', 'asks')} and ${count(grants, 'grant', 'grants')} match it.`,
  erased: (entries: number) => `The texts of ${count(entries, 'entry', 'entries')} were erased, as the log records.`,
  unknownKeys: (signatures: number) =>
    `The signatures of ${signatures} were not verified: their keys are not configured.`,
  notCompared: 'Not compared with an older checkpoint.',
  matches: (entries: number) => `It continues the older checkpoint of ${count(entries, 'entry', 'entries')}.`,
  more: (problems: number) => `… and ${problems} more.`,
  proof: (ask: string, entries: readonly number[]) =>
    `This proof is unchanged: ${ask}, entries ${entries.join(', ')}. Use --key or --config to check which audit log signed it.`,
  provenProof: (ask: string, entries: readonly number[]) =>
    `The audit log that signs with this key contains ${ask}: entries ${entries.join(', ')}.`,
  proofFound: (ask: string, entries: readonly number[]) =>
    `The proof of ${ask} is in it: entries ${entries.join(', ')}.`,
  otherEntry: (entry: number) => `Entry ${entry} of the proof differs from the audit log.`,
  missingEntry: (entry: number) => `Entry ${entry} of the proof is not in the audit log.`,
  otherLog: (tenant: string, origin: string, expected: readonly string[]) =>
    `The audit log of ${tenant} is not the one of these keys. It is ${origin}; the keys are of ${expected.join(', ')}. Another database is configured, or this one was emptied, or its log began anew.`,
  otherCheckpoint: (problem: string) => `The checkpoint is not one of this audit log. ${problem}`,
  configuration: (problems: string) => `The configuration cannot be used. ${problems}`,
  notJson: (file: string) => `${file} is not JSON.`,
  unreadable: (file: string) => `${file} cannot be read.`,
  noKey: (file: string) =>
    `${file} does not contain keys of an audit log, one per line, as "assent audit key" prints them.`,
  exportLog: {
    wholeLog: '--log always exports the whole log: use it without --since and --after.',
    needsLog: '--key is used only with --log.',
    notFree: (folder: string) =>
      `${folder} has files and no checkpoint of an exported log. Choose an empty folder. Nothing was written.`,
    otherLog: (folder: string, problem: string) =>
      `${folder} has a checkpoint that is not one of this audit log. ${problem} Nothing was written.`,
    refused: (folder: string, problem: string) => `The audit log was not exported to ${folder}. ${problem}`,
    done: (added: number, entries: number, folder: string) =>
      `Exported ${count(added, 'new entry', 'new entries')} to ${folder}: ${count(entries, 'entry', 'entries')} in all.`,
  },
  verifyLog: {
    logOrConfig:
      '--log is verified without a database. To compare a database with it, use --checkpoint with the file checkpoint of the folder.',
    needsKey:
      '--log needs the keys of the log, which you got another way: --key with a file that "assent audit key" printed.',
    consistent: (origin: string, entries: number) =>
      `The exported log ${origin} is signed and consistent: ${count(entries, 'entry', 'entries')}.`,
    entriesNeedLog: '--entries is used only with --log.',
    notLines: (file: string, line: number) =>
      `Line ${line} of ${file} is not a line that "assent audit export" printed.`,
    entriesMissing: (file: string, entry: number) => `Entry ${entry} of the log is missing in ${file}.`,
    entries: (entries: number, erased: number) =>
      `The texts of ${count(entries, 'entry', 'entries')} match it${erased === 0 ? '' : `; ${erased} more were erased`}.`,
    continues: 'It continues the older checkpoint.',
  },
  export: {
    format: (format: string) => `--format must be jsonl, not ${JSON.stringify(format)}.`,
    since: (given: string) =>
      `--since must be a duration such as 7d or a time such as 2026-11-17T22:00:00Z, not ${JSON.stringify(given)}.`,
    sinceOrAfter: 'Give either --since or --after: a cursor says where to continue.',
    cursor: '--after needs the cursor of an exported line.',
    done: (entries: number, calls: number, next: string) =>
      `Exported ${count(entries, 'entry', 'entries')} and ${count(calls, 'call', 'calls')}. Continue with: --after ${next}`,
  },
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
