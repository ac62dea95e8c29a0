// `assent audit verify` on a log that was cut off, emptied or set back: what keys and a checkpoint that were kept elsewhere show.
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import { expect, test } from 'vitest'
import { aFolder, aKey, assentHere } from '../../packages/gateway/src/program/process.suite.ts'

const tenant = 'default'

/** A log with some entries, its keys in a file, and `assent audit` for it. */
async function aLog(entries = 5) {
  const folder = await aFolder()
  const file = (name: string) => join(folder, name)
  const config = `store: sqlite:${file('assent.db')}\nkeys: { k: "${aKey}" }\nservers: { files: { command: my-server } }\n`
  writeFileSync(file('assent.yaml'), config)
  await fill(file('assent.db'), entries)
  const audit = (words: string[]) => assentHere(['audit', ...words, '-c', file('assent.yaml')])
  writeFileSync(file('keys'), (await audit(['key'])).out)
  /** In place of the database. */
  const restore = (from?: string) => {
    for (const name of ['assent.db', 'assent.db-wal', 'assent.db-shm']) rmSync(file(name), { force: true })
    if (from !== undefined) copyFileSync(file(from), file('assent.db'))
  }
  return { file, audit, restore }
}

async function fill(file: string, count: number): Promise<void> {
  const store = await openSqlite(file, { keys: createKeyRing([{ id: 'k', secret: Buffer.from(aKey, 'base64') }]) })
  const bodies = [...Array(count).keys()].map((at) => ({ subject: 'relay', body: { at } }))
  await store.audit.append(tenant, bodies)
  await store.close()
}

function sizeIn(file: string): unknown {
  const database = new DatabaseSync(file)
  const heads = database.prepare('select size from log_heads').all()
  database.close()
  return heads
}

test('[AUDIT-2] a new database in place of the old one is an error with keys that were kept elsewhere', async () => {
  const { file, audit, restore } = await aLog()
  expect((await audit(['verify', '--key', file('keys')])).code).toBe(0)
  restore()
  expect(await audit(['verify', '--key', file('keys')])).toMatchObject({
    code: 1,
    err: expect.stringContaining('The audit log of default is not the one of these keys.'),
  })
})

test('[AUDIT-2] a log that was emptied under its own name is an error where its keys or a checkpoint were kept', async () => {
  const { file, audit } = await aLog()
  writeFileSync(file('checkpoint'), (await audit(['checkpoint'])).out)
  const database = new DatabaseSync(file('assent.db'))
  database.exec(`delete from audit_entries; delete from log_index; delete from log_tiles;
    update log_heads set size = 0, root = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', checkpoint = '', position = '0'`)
  database.close()

  expect(await audit(['verify'])).toMatchObject({ code: 0, out: expect.stringContaining('is empty') })
  const emptied = await audit(['verify', '--key', file('keys')])
  expect(emptied).toMatchObject({ code: 1, err: expect.stringContaining('entries were deleted, or it never had one') })
  const json = await audit(['verify', '--key', file('keys'), '--json'])
  expect(JSON.parse(json.out)).toMatchObject({ ok: false, lastSeq: 0 })
  expect((await audit(['verify', '--checkpoint', file('checkpoint')])).code).toBe(1)
})

test('[AUDIT-2] a log that never had an entry is an error with its keys', async () => {
  const { file, audit } = await aLog(0)
  expect(await audit(['verify'])).toMatchObject({ code: 0, out: expect.stringContaining('is empty') })
  expect(await audit(['verify', '--key', file('keys')])).toMatchObject({ code: 1 })
})

test('[AUDIT-2] [AUDIT-7] a log that was set back to a backup is found with a later checkpoint, and not without it', async () => {
  const { file, audit, restore } = await aLog()
  expect((await audit(['verify'])).code).toBe(0)
  copyFileSync(file('assent.db'), file('backup.db'))
  await fill(file('assent.db'), 3)
  writeFileSync(file('checkpoint'), (await audit(['checkpoint'])).out)

  restore('backup.db')
  const found = {
    code: 1,
    err: expect.stringContaining('The log ends at entry 5, but a checkpoint shows that it had reached entry 8.'),
  }
  expect(await audit(['verify', '--checkpoint', file('checkpoint')])).toMatchObject(found)
  expect(await audit(['verify', '--key', file('keys')])).toMatchObject({
    code: 0,
    out: expect.stringContaining('5 entries; 0 asks and 0 grants match it. Not compared with an older checkpoint.'),
  })
  // Once it has grown again, it is another history of the same size.
  await fill(file('assent.db'), 4)
  expect((await audit(['verify'])).code).toBe(0)
  expect(await audit(['verify', '--checkpoint', file('checkpoint')])).toMatchObject({
    code: 1,
    err: expect.stringContaining('The first 8 entries are not those that were signed'),
  })
})

test('[AUDIT-2] a log that is shorter than a checkpoint of it gets no further entry by audit verify', async () => {
  const { file, audit, restore } = await aLog()
  copyFileSync(file('assent.db'), file('backup.db'))
  writeFileSync(file('checkpoint'), (await audit(['checkpoint'])).out)
  restore('backup.db')
  await fill(file('assent.db'), 7)
  expect(await audit(['verify', '--checkpoint', file('checkpoint')])).toMatchObject({
    code: 1,
    err: expect.stringContaining('The log ends at entry 0, but a checkpoint shows that it had reached entry 5.'),
  })
  expect(sizeIn(file('assent.db'))).toEqual([{ size: 0 }])
})
