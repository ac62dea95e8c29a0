// The texts of `assent retain`.

const count = (many: number, one: string, several: string) => `${many} ${many === 1 ? one : several}`

interface Expired {
  readonly asks: number
  readonly notes: number
  readonly deleted: number
  readonly calls: number
}

interface OfPerson {
  readonly asks: number
  readonly notes: number
  readonly passkeys: number
  readonly calls: number
  readonly left: number
}

const ofAsks = ({ asks, notes }: Pick<Expired, 'asks' | 'notes'>) =>
  `the texts of ${count(asks, 'ask', 'asks')} and ${count(notes, 'note', 'notes')} of the audit log`
const rows = ({ deleted, calls }: Expired) =>
  `${count(deleted, 'ask', 'asks')} and ${count(calls, 'recorded call', 'recorded calls')}`
const stillUsed = (left: number) =>
  left === 0
    ? ''
    : ` ${count(left, 'ask is', 'asks are')} open, or the answer can still be used. Run the command again when ${left === 1 ? 'it has' : 'they have'} ended.`

export const retainText = {
  summary: 'erase and delete what `retention` no longer keeps, or the data of one person',
  store:
    'the store, in place of the one in the configuration, as the role that owns the tables: postgres://owner@host/database',
  person: 'with identity: erase the data of this person instead, by their subject at the issuer',
  dryRun: 'print what would be erased, and change nothing',
  description:
    'Erases questions, answers and the texts of the audit log that are older than `retention.answers`, and deletes the rest of asks after `retention.record` and recorded calls after `retention.calls`. The log keeps ids, kinds, times and digests, records what was erased, and still verifies. Open asks are not touched.\n\nWith --person, it erases every ask that has ended and names this person, the notes about them, their passkeys, sessions and recorded calls. The audit log records that without the name. The exit code is 1 if something is still in use: run it again later.\n\nOn PostgreSQL it needs the role that owns the tables, as `assent migrate` does: that of the gateways can change no entry of the audit log. A password is read from PGPASSWORD, or from the password file of libpq, if the address has none. Gateways can keep running; an interrupted run is continued by the next one.',
  after: `
Examples:
  assent retain --config /etc/assent/assent.yaml --dry-run
  assent retain --config /etc/assent/assent.yaml --store postgres://assent_owner@db.internal/assent
  assent retain --config /etc/assent/assent.yaml --person 8f14e45f

Exit codes:
  0  done, or there was nothing to do
  1  the configuration has mistakes or no retention, or data of the person is still in use
  2  the command line is invalid
  3  the store cannot be reached, or this role may not erase`,
  configuration: (problems: string) => `The configuration cannot be used. ${problems}`,
  invalidStore: (problem: string) => `--store ${problem}.`,
  nothingChanged: (problem: string) => `${problem} Nothing was changed.`,
  notSet:
    'The configuration has neither retention.answers nor retention.record: everything is kept. Add, for example: retention: { answers: 30d, record: 7y }',
  failed: (why: string) => `What was erased so far stays erased: run the command again. ${why}`,
  expired: (done: Expired) => `Erased ${ofAsks(done)}. Deleted ${rows(done)}.`,
  wouldExpire: (due: Expired) => `Would erase ${ofAsks(due)}, and delete ${rows(due)}.`,
  erasedPerson: (name: string, done: OfPerson) =>
    `Erased what names ${name}: ${ofAsks(done)}, ${count(done.passkeys, 'passkey', 'passkeys')} and ${count(done.calls, 'recorded call', 'recorded calls')}.${stillUsed(done.left)}`,
  wouldErasePerson: (name: string, asks: number, left: number) =>
    `Would erase what names ${name}: the texts of ${count(asks, 'ask', 'asks')}, and notes, passkeys, sessions and recorded calls.${stillUsed(left)}`,
}
