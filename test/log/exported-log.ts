// Logs in databases that the program exports, for the tests of exports, and what both verifiers say about an export.

import { randomBytes } from 'node:crypto'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKeyRing, newId, soleApprover } from '@assent/core'
import { openPostgres, openSqlite, type Store } from '@assent/store'
import { expect } from 'vitest'
import { aDatabase, aFolder, aKey, assentHere } from '../../packages/gateway/src/program/process.suite.ts'
import { runPython } from './both-verifiers.ts'

const keys = createKeyRing([{ id: 'k', secret: Buffer.from(aKey, 'base64') }])
export const tenant = 'default'

export interface TestLog {
  readonly folder: string
  readonly config: string
  /** Writes to the database, as gateways do. */
  fill(act: (store: Store) => Promise<void>): Promise<void>
}

export async function sqliteLog(): Promise<TestLog> {
  const folder = await aFolder()
  return { folder, ...sqliteIn(folder, 'assent.db') }
}

export function sqliteIn(folder: string, name: string): Omit<TestLog, 'folder'> {
  const config = join(folder, `${name}.yaml`)
  writeFileSync(config, `store: sqlite:./${name}\nkeys: { k: "${aKey}" }\nservers: { files: { command: my-server } }\n`)
  return { config, fill: (act) => filled(() => openSqlite(join(folder, name), { keys }), act) }
}

export async function postgresLog(): Promise<TestLog> {
  const folder = await aFolder()
  const { url } = await aDatabase()
  const config = join(folder, 'assent.yaml')
  writeFileSync(config, `store: ${url}\nkeys: { k: "${aKey}" }\nservers: { files: { command: my-server } }\n`)
  return { folder, config, fill: (act) => filled(() => openPostgres(url, { keys }), act) }
}

async function filled(open: () => Promise<Store>, act: (store: Store) => Promise<void>): Promise<void> {
  const store = await open()
  try {
    await act(store)
  } finally {
    await store.close()
  }
}

export const notes = (count: number, word: string) => (store: Store) =>
  store.audit.append(
    tenant,
    [...Array(count).keys()].map((at) => ({ subject: 'relay', body: { word, at } })),
  )

/** An ask that was answered; its proof is written to a file. */
export const anAsk = (proofFile: string) => async (store: Store) => {
  const { id } = await store.asks.raise({
    tenant,
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'files' },
    principal: 'local',
    question: { kind: 'form', message: 'Sure?', form: { fields: [{ kind: 'boolean', name: 'sure', required: true }] } },
    approvalRule: soleApprover('local'),
    decideWithinMs: 60_000,
    useWithinMs: 60_000,
  })
  const person = { principal: 'local', groups: [] }
  await store.asks.answer({ tenant, id, person, via: 'inbox', answer: { action: 'decline' } })
  writeFileSync(proofFile, JSON.stringify(await store.audit.proof(tenant, id)))
}

export interface Exports {
  readonly log: TestLog
  readonly file: (name: string) => string
  /** The log as it was exported first, and after it had grown. */
  readonly first: string
  readonly second: string
}

/** 300 entries in the first export, 600 in the second, and an ask with its proof. */
export async function twoExports(open: () => Promise<TestLog>): Promise<Exports> {
  const log = await open()
  const file = (name: string) => join(log.folder, name)
  const [first, second] = [file('first'), file('second')]
  await log.fill(anAsk(file('proof.json')))
  await log.fill(notes(298, 'first'))
  expect(await exported(log.config, second)).toMatchObject({ code: 0 })
  cpSync(second, first, { recursive: true })
  await log.fill(notes(300, 'second'))
  expect(await exported(log.config, second)).toMatchObject({
    code: 0,
    err: expect.stringContaining('Exported 300 new entries'),
  })
  writeFileSync(file('keys'), (await assentHere(['audit', 'key', '-c', log.config])).out)
  return { log, file, first, second }
}

export const exported = (config: string, folder: string, ...more: string[]) =>
  assentHere(['audit', 'export', '-c', config, '--log', folder, ...more])

/** What the program and the independent verifier say. */
export async function verdicts(
  { file }: Exports,
  folder: string,
  older?: string,
): Promise<{ ours: number; python: boolean }> {
  const given = older === undefined ? [] : ['--checkpoint', older]
  const { code } = await assentHere(['audit', 'verify', '--log', folder, '--key', file('keys'), ...given])
  const before = older === undefined ? [] : ['--older', older]
  const [line = ''] = runPython([['export', folder, '--keys', file('keys'), ...before]])
  return { ours: code ?? -1, python: line.startsWith('verified: ') }
}

export const accepted = { ours: 0, python: true }
export const refused = { ours: 1, python: false }
