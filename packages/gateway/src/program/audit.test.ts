import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createKeyRing, newId, soleApprover, verifierKey } from '@assent/core'
import { openSqlite } from '@assent/store'
import { expect, test } from 'vitest'
import { aFolder, assent, assentHere } from './process.suite.ts'
import { localKeyRing } from './state.ts'

/** A folder with a configuration and an audit log of two asks, one of them settled. */
async function aRecord(): Promise<{ folder: string; config: string; ask: string; file: (name: string) => string }> {
  const folder = await aFolder({
    'assent.yaml': 'store: sqlite:./assent.db\nservers: { files: { command: my-server } }\n',
  })
  const file = (name: string) => join(folder, name)
  const ask = await withStore(file('assent.db'), async (store) => {
    const id = await raised(store)
    await raised(store)
    const person = { principal: 'local', groups: [] }
    await store.asks.answer({ tenant: 'default', id, person, via: 'inbox', answer: { action: 'decline' } })
    await writeFile(file('proof.json'), JSON.stringify(await store.audit.proof('default', id)))
    const elsewhere = await openSqlite(':memory:', { keys: createKeyRing([{ id: 'k', secret: randomBytes(32) }]) })
    await writeFile(file('own.keys'), (await store.audit.keys('default')).map(verifierKey).join('\n'))
    await writeFile(file('other.keys'), (await elsewhere.audit.keys('default')).map(verifierKey).join('\n'))
    await elsewhere.close()
    return id
  })
  return { folder, config: file('assent.yaml'), ask, file }
}

async function withStore<T>(
  path: string,
  act: (store: Awaited<ReturnType<typeof openSqlite>>) => Promise<T>,
): Promise<T> {
  const store = await openSqlite(path, { keys: localKeyRing(path) })
  try {
    return await act(store)
  } finally {
    await store.close()
  }
}

async function raised(store: Awaited<ReturnType<typeof openSqlite>>): Promise<string> {
  const form = { fields: [{ kind: 'boolean', name: 'sure', required: true }] } as const
  const { id } = await store.asks.raise({
    tenant: 'default',
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'files' },
    principal: 'local',
    question: { kind: 'form', message: 'Sure?', form },
    approvalRule: soleApprover('local'),
    decideWithinMs: 60_000,
    useWithinMs: 60_000,
  })
  return id
}

function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

test('[PROOF-3] [AUDIT-7] the exit code is 0 for an intact log; else it is 1, with the entry number', async () => {
  const { config, folder, file } = await aRecord()
  const whole = await assent(['audit', 'verify', '--config', 'assent.yaml'], { folder })
  expect(whole).toMatchObject({ code: 0, err: '' })
  expect(whole.out).toBe(
    'ok The audit log is consistent: 3 entries; 2 asks and 0 grants match it. Not compared with an older checkpoint.\n',
  )

  tamper(file('assent.db'), `update audit_entries set body = '{}' where id = 2`)
  const broken = await assent(['audit', 'verify', '--config', 'assent.yaml'], { folder })
  expect(broken).toEqual({
    code: 1,
    out: '',
    err: 'error Entry 2 was changed: its text does not match its digest.\n',
  })
  const json = await assentHere(['audit', 'verify', '--config', config, '--json'])
  expect(json.code).toBe(1)
  expect(JSON.parse(json.out)).toMatchObject({ ok: false, seq: 2 })
})

test('[PROOF-3] without --config, assent.yaml in this folder is used, and an empty log is reported with its store', async () => {
  const { folder } = await aRecord()
  const here = await assent(['audit', 'verify'], { folder })
  expect(here.out).toContain('3 entries; 2 asks')

  const empty = await aFolder({
    'assent.yaml': 'store: sqlite:./assent.db\nservers: { files: { command: my-server } }\n',
  })
  expect((await assent(['audit', 'verify'], { folder: empty })).out).toMatch(
    /^ok The audit log of default in .*assent\.db is empty\.\n$/,
  )
})

test('[PROOF-3] an earlier signed checkpoint reveals a truncated log', async () => {
  const { config, file } = await aRecord()
  const signed = await assentHere(['audit', 'checkpoint', '--config', config])
  expect(signed.code).toBe(0)
  await writeFile(file('checkpoint'), signed.out)
  const verify = (...more: string[]) =>
    assentHere(['audit', 'verify', '--config', config, '--checkpoint', file('checkpoint'), ...more])

  expect((await verify()).out).toContain('It continues the older checkpoint of 3 entries.')
  tamper(
    file('assent.db'),
    'delete from audit_entries where id = 3; delete from log_index; delete from log_tiles; delete from log_heads',
  )
  expect(await verify()).toMatchObject({ code: 1, err: expect.stringContaining('not one of this audit log') })
  await writeFile(file('checkpoint'), '{}')
  expect(await verify()).toMatchObject({ code: 1, err: expect.stringContaining('not a signed note') })
})

test('[TLOG-14] audit key prints the keys that verify checkpoints and proofs elsewhere', async () => {
  const { config, file, ask } = await aRecord()
  const printed = await assentHere(['audit', 'key', '--config', config])
  expect(printed).toMatchObject({ code: 0, err: '' })
  expect(printed.out).toMatch(/^assent\/[0-9a-f]{16}\/default\+[0-9a-f]{8}\+\S+\n$/)
  await writeFile(file('keys'), printed.out)
  const verify = (keys: string) => assentHere(['audit', 'verify', '--proof', file('proof.json'), '--key', file(keys)])
  expect((await verify('keys')).out).toContain(`The audit log that signs with this key contains ${ask}: entries 1, 3.`)
  expect(await verify('other.keys')).toMatchObject({ code: 1, err: expect.stringContaining('no signature') })
  expect(await verify('proof.json')).toMatchObject({ code: 1, err: expect.stringContaining('does not contain keys') })
})

test.each([
  ['a changed answer', `update asks set answer = '{"action":"accept"}' where state = 'settled'`, 'another answer'],
  [
    'another person',
    `update asks set decided_by = 'ceo' where state = 'settled'`,
    'it was decided by ceo, but by local according to the audit log',
  ],
  [
    'a forged decision',
    `update asks set state = 'settled', answer = '{"action":"decline"}', decided_by = 'ceo', decided_via = 'inbox',
       decision_id = 'x', ended_at = 1, declines = 1 where state = 'open'`,
    'the audit log has no entry of its end',
  ],
  ['a deleted ask', `delete from asks where state = 'settled'`, 'it is not in the database'],
  [
    'a forged grant',
    `insert into grants (tenant, id, ask_id, digest, principal, granted_at, expires_at)
       select tenant, 'grant_x', id, 'x', principal, 1, 2 from asks where state = 'settled'`,
    'it has a grant, and nothing was approved',
  ],
  [
    'an audit log that was cut off, and begins anew',
    `delete from audit_entries where id = 3;
     delete from log_index; delete from log_tiles; delete from log_heads`,
    'the audit log has no entry of its end',
  ],
] as const)('[AUDIT-6] %s is reported with exit code 1, and no checkpoint is printed', async (_, sql, words) => {
  const { config, file } = await aRecord()
  tamper(file('assent.db'), sql)

  const verified = await assentHere(['audit', 'verify', '--config', config])
  expect(verified).toMatchObject({ code: 1, err: expect.stringContaining(words) })
  const json = await assentHere(['audit', 'verify', '--config', config, '--json'])
  expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: [{ problem: expect.stringContaining(words) }] })
  const signed = await assentHere(['audit', 'checkpoint', '--config', config])
  expect(signed).toMatchObject({ code: 1, out: '', err: expect.stringContaining('No checkpoint was printed.') })
})

test('[PROOF-3] no checkpoint is printed for a damaged log', async () => {
  const { config, file } = await aRecord()
  tamper(file('assent.db'), `update log_index set hash = 'x' where place = 0`)
  const { code, err } = await assentHere(['audit', 'checkpoint', '--config', config])
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('No checkpoint was printed') })
})

test('[PROOF-3] a proof is verified without a store, and with a store it is also looked up in the log', async () => {
  const { config, ask, file } = await aRecord()
  const verify = (...more: string[]) => assentHere(['audit', 'verify', '--proof', file('proof.json'), ...more])

  expect((await verify()).out).toContain(`This proof is unchanged: ${ask}, entries 1, 3.`)
  expect((await verify('--config', config)).out).toContain(`The proof of ${ask} is in it`)

  // A recreated database is consistent, and the proof shows that it is not the original.
  tamper(
    file('assent.db'),
    'delete from asks; delete from audit_entries; delete from log_index; delete from log_tiles; delete from log_heads',
  )
  await withStore(file('assent.db'), raised)
  expect(await verify('--config', config)).toMatchObject({
    code: 1,
    err: expect.stringContaining('not one of this audit log'),
  })
})

test.each([
  ['an entry of it was changed', (text: string) => text.replace('\\"via\\":\\"inbox\\"', '\\"via\\":\\"client\\"'), 1],
  ['it is something else', () => '{"a":1}', 1],
  ['it is not JSON', () => 'no', 3],
] as const)('[PROOF-3] a proof is refused when %s', async (_, change, code) => {
  const { file } = await aRecord()
  const { readFile } = await import('node:fs/promises')
  await writeFile(file('proof.json'), change(await readFile(file('proof.json'), 'utf8')))
  expect((await assentHere(['audit', 'verify', '--proof', file('proof.json')])).code).toBe(code)
})
