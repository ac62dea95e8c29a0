// Tampering with the log: in its tables and in its files. Each kind has to be detected.

import { join } from 'node:path'
import { openPostgres, type Store } from '@assent/store'
import { accept, aForm, anApproval, ann, inEurope, testKeys } from '../../packages/store/src/contract/drafts.suite.ts'
import { verdictsOn } from '../../test/log/both-verifiers.ts'
import { checkpointOf, exportOf, keys } from '../../test/log/sample-log.ts'
import { entries, olderSize, tamperings } from '../../test/log/tampering.ts'
import { newSchema } from '../../test-kit/postgres.ts'

export interface Tampered {
  readonly kinds: number
  /** Descriptions of those that were not detected. */
  readonly missed: readonly string[]
}

const tenant = 'acme'
/** More than two tiles. */
const notes = 600

/** In SQL, each with the table that it changes. */
const edits: readonly (readonly [what: string, table: string, sql: string])[] = [
  [
    'the last entry is deleted',
    'audit_entries',
    'delete from audit_entries where id = (select max(id) from audit_entries)',
  ],
  [
    'an entry is deleted',
    'audit_entries',
    'delete from audit_entries where id = (select min(id) + 7 from audit_entries)',
  ],
  ['an entry is about another ask', 'audit_entries', editEntry(`subject = 'ask_other'`)],
  ['an entry has another time', 'audit_entries', editEntry('at = at + 1')],
  ['an entry is of another kind', 'audit_entries', editEntry(`kind = 'ask.voted'`)],
  ['an entry has another number', 'audit_entries', editEntry('counter = counter + 1')],
  ['an entry has another body', 'audit_entries', editEntry(`body = '{}'`)],
  ['an entry has another salt', 'audit_entries', editEntry(`salt = '${'00'.repeat(16)}'`)],
  ['an entry has another digest', 'audit_entries', editEntry(`digest = 'sha256:${'0'.repeat(64)}'`)],
  ['an entry has an assertion', 'audit_entries', editEntry(`assertion_digest = 'sha256:${'0'.repeat(64)}'`)],
  ['the end of the index is deleted', 'log_index', 'delete from log_index where place > 600'],
  ['a place is deleted', 'log_index', 'delete from log_index where place = 5'],
  ['a place has another hash', 'log_index', `update log_index set hash = '${'00'.repeat(32)}' where place = 5`],
  ['a place is of another entry', 'log_index', 'update log_index set entry_id = entry_id + 1000000 where place = 5'],
  [
    'two places are swapped',
    'log_index',
    `update log_index set place = -1 where place = 5; update log_index set place = 5 where place = 9;
     update log_index set place = 9 where place = -1`,
  ],
  ['a place beyond the end is added', 'log_index', `insert into log_index values ('${tenant}', 9999, 99999999, '')`],
  ['a tile is deleted', 'log_tiles', 'delete from log_tiles where level = 0 and place = 0'],
  [
    'a tile is changed',
    'log_tiles',
    `update log_tiles set hashes = repeat('A', length(hashes)) where level = 0 and place = 1`,
  ],
  [
    'an upper tile is changed',
    'log_tiles',
    `update log_tiles set hashes = repeat('A', length(hashes)) where level = 1`,
  ],
  ['the head is set back', 'log_heads', 'update log_heads set size = size - 1'],
  ['the head has another root', 'log_heads', `update log_heads set root = '${Buffer.alloc(32).toString('base64')}'`],
  ['the head has another name', 'log_heads', `update log_heads set origin = 'assent/0000000000000000/${tenant}'`],
  [
    'the checkpoint has no signature',
    'log_heads',
    `update log_heads set checkpoint = regexp_replace(checkpoint, '— .*', '')`,
  ],
  ['an ask has another answer', 'asks', `update asks set answer = '{"action":"decline"}' where state = 'settled'`],
  ['an ask is decided by another person', 'asks', `update asks set decided_by = 'mallory' where state = 'settled'`],
  [
    'an ask that was decided is open',
    'asks',
    `update asks set state = 'open', ended_at = null where state = 'settled'`,
  ],
  [
    'a decided ask is deleted',
    'asks',
    `delete from asks where id = (select min(id) from asks where state = 'settled')`,
  ],
  ['a grant is unused again', 'grants', 'update grants set used_at = null, used_by = null'],
]

function editEntry(change: string): string {
  return `update audit_entries set ${change} where id = (select min(id) from audit_entries where kind = 'ask.raised')`
}

export async function tampered(folder: string): Promise<Tampered> {
  const parts = [await inFiles(folder), await inTables()]
  return {
    kinds: parts.reduce((sum, { kinds }) => sum + kinds, 0),
    missed: parts.flatMap(({ missed }) => missed),
  }
}

/** Both verifiers have to refuse an export that was changed. */
async function inFiles(folder: string): Promise<Tampered> {
  const untouched = { files: exportOf(entries), older: checkpointOf(entries.slice(0, olderSize)), keys }
  const cases = tamperings.map(([, tamper]) => ({ ...untouched, ...tamper(untouched) }))
  const [accepted] = await verdictsOn(join(folder, 'untouched'), [untouched])
  if (accepted?.core !== accepted?.python || accepted?.core.startsWith('verified: ') !== true)
    return { kinds: 0, missed: [`the unchanged export: ${JSON.stringify(accepted)}`] }
  const verdicts = await verdictsOn(join(folder, 'files'), cases)
  const missed = tamperings.filter((_, at) => {
    const { core = '', python = '' } = verdicts[at] ?? {}
    return !core.startsWith('not verified: ') || !python.startsWith('not verified: ')
  })
  return { kinds: tamperings.length, missed: missed.map(([what]) => what) }
}

/** `assent audit verify` has to report tables that were changed, and nothing once they are as before. */
async function inTables(): Promise<Tampered> {
  const database = await newSchema()
  try {
    const { url, schema } = database
    const store = await openPostgres(url, { keys: testKeys, schema, connections: 2 })
    try {
      await fill(store)
      return await editsOf(store, (sql) => database.query(sql))
    } finally {
      await store.close()
    }
  } finally {
    await database.drop()
  }
}

async function editsOf(store: Store, run: (sql: string) => Promise<unknown>): Promise<Tampered> {
  const missed: string[] = []
  for (const [what, table, sql] of edits) {
    if (!(await isWhole(store))) return { kinds: edits.length, missed: [...missed, `before "${what}"`] }
    await run(`create table kept as select * from ${table}`)
    await run(sql)
    if (await isWhole(store)) missed.push(what)
    await run(`delete from ${table}`)
    await run(`insert into ${table} select * from kept`)
    await run('drop table kept')
  }
  return { kinds: edits.length, missed }
}

async function fill(store: Store): Promise<void> {
  for (let at = 0; at < 20; at++) {
    const { id } = await store.asks.raise(aForm({ tenant }))
    if (at % 2 === 0) await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
  }
  const { id } = await store.asks.raise(anApproval(['person:ann'], 1, { tenant }))
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
  const grant = await store.grants.read(tenant, id)
  if (grant !== undefined) await store.grants.use({ ...grant, usedBy: 'proof' })
  await store.audit.append(
    tenant,
    Array.from({ length: notes }, (_, at) => ({ subject: 'note', body: { at } })),
  )
  await store.audit.integrate(tenant)
}

async function isWhole(store: Store): Promise<boolean> {
  const verdicts = [await store.audit.verify(tenant), await store.record.verify(tenant)]
  return verdicts.every(({ ok }) => ok)
}
