import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newId, proofFormat, soleApprover } from '@assent/core'
import { openSqlite } from '@assent/store'
import { expect, test } from 'vitest'
import { aFolder, assent, assentHere } from './process.suite.ts'
import { localKeyRing } from './state.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')

/** A folder with a configuration and an audit log of two asks, one of them settled. */
async function aRecord(): Promise<{ folder: string; config: string; ask: string; file: (name: string) => string }> {
  const folder = await aFolder({
    'assent.yaml': 'store: sqlite:./assent.db\nservers: { files: { command: my-server } }\n',
    'private.pem': pem(privateKey, 'pkcs8'),
    'public.pem': pem(publicKey, 'spki'),
    'other.pem': pem(generateKeyPairSync('ed25519').publicKey, 'spki'),
  })
  const file = (name: string) => join(folder, name)
  const ask = await withStore(file('assent.db'), async (store) => {
    const id = await raised(store)
    await raised(store)
    const person = { principal: 'local', groups: [] }
    await store.asks.answer({ tenant: 'default', id, person, via: 'inbox', answer: { action: 'decline' } })
    const entries = await store.audit.entriesOf('default', id)
    await writeFile(file('proof.json'), JSON.stringify({ format: proofFormat, tenant: 'default', ask: id, entries }))
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

function pem(key: KeyObject, type: 'pkcs8' | 'spki'): string {
  return key.export({ type, format: 'pem' } as never).toString()
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
    'ok The audit log is consistent: 3 entries; 2 asks and 0 grants match it. Not compared with a checkpoint.\n',
  )

  tamper(file('assent.db'), `update audit_entries set body = '{}' where seq = 2`)
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
  const signed = await assentHere(['audit', 'checkpoint', '--config', config, '--key', file('private.pem')])
  expect(signed.code).toBe(0)
  await writeFile(file('checkpoint.json'), signed.out)
  const verify = (key: string) =>
    assentHere(['audit', 'verify', '--config', config, '--checkpoint', file('checkpoint.json'), '--key', file(key)])

  expect((await verify('public.pem')).out).toContain('It matches 1 checkpoint, the latest at entry 3.')
  expect(await verify('other.pem')).toMatchObject({ code: 1, err: expect.stringContaining('not signed with this key') })
  tamper(file('assent.db'), 'delete from audit_entries where seq = 3')
  expect(await verify('public.pem')).toMatchObject({ code: 1, err: expect.stringContaining('ends at entry 2') })
  await writeFile(file('checkpoint.json'), '{}')
  expect(await verify('public.pem')).toMatchObject({ code: 1, err: expect.stringContaining('is not a checkpoint') })
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
    'an audit log that was cut off, with its head fixed',
    `delete from audit_entries where seq = 3;
     update audit_heads set seq = 2, hash = (select hash from audit_entries where seq = 2)`,
    'the audit log has no entry of its end',
  ],
] as const)('[AUDIT-6] %s is reported with exit code 1, and no checkpoint is signed', async (_, sql, words) => {
  const { config, file } = await aRecord()
  tamper(file('assent.db'), sql)

  const verified = await assentHere(['audit', 'verify', '--config', config])
  expect(verified).toMatchObject({ code: 1, err: expect.stringContaining(words) })
  const json = await assentHere(['audit', 'verify', '--config', config, '--json'])
  expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: [{ problem: expect.stringContaining(words) }] })
  const signed = await assentHere(['audit', 'checkpoint', '--config', config, '--key', file('private.pem')])
  expect(signed).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was signed.') })
})

test('[PROOF-3] a checkpoint without its public key is refused', async () => {
  const { config, file } = await aRecord()
  const { code, err } = await assentHere(['audit', 'verify', '--config', config, '--checkpoint', file('public.pem')])
  expect({ code, err }).toMatchObject({
    code: 1,
    err: expect.stringContaining('--checkpoint and --key must be used together'),
  })
})

test('[PROOF-3] no checkpoint is signed for a damaged log', async () => {
  const { config, file } = await aRecord()
  tamper(file('assent.db'), `update audit_entries set hash = 'x' where seq = 1`)
  const { code, err } = await assentHere(['audit', 'checkpoint', '--config', config, '--key', file('private.pem')])
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was signed') })
})

test('[PROOF-3] a proof is verified without a store, and with a store it is also looked up in the log', async () => {
  const { config, ask, file } = await aRecord()
  const verify = (...more: string[]) => assentHere(['audit', 'verify', '--proof', file('proof.json'), ...more])

  expect((await verify()).out).toContain(`This proof is unchanged: ${ask}, entries 1, 3.`)
  expect((await verify('--config', config)).out).toContain(`The proof of ${ask} is in it`)

  // A recreated database is consistent, and the proof shows that it is not the original.
  tamper(file('assent.db'), 'delete from asks; delete from audit_entries; delete from audit_heads')
  await withStore(file('assent.db'), raised)
  expect(await verify('--config', config)).toMatchObject({
    code: 1,
    err: expect.stringContaining('Entry 1 of the proof'),
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
