// Passkeys and the commands: what a program with this user's shell can do, and what it cannot.

import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type AuditEntry, createKeyRing } from '@assent/core'
import { openPostgres, openSqlite, type Store } from '@assent/store'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { addKey } from '../../../../test-kit/store/passkeys.ts'
import { anAsk } from '../inbox/inbox-env.suite.ts'
import { aDatabase, aFolder, aKey, aProcessOf, aRunningGateway, assentHere } from './process.suite.ts'
import { PasskeyNotifier } from './standalone/passkey-notifier.ts'
import type { SystemNotification } from './standalone/system-notification.ts'
import { localKeyRing } from './state.ts'

const mine = { approvers: ['person:local'], excluded: [], approvals: 1, declines: 1 } as const
const local = { tenant: 'default', principal: 'local', approvalRule: mine }

async function storeIn(folder: string): Promise<Store> {
  const path = join(folder, 'assent.db')
  const store = await openSqlite(path, { keys: localKeyRing(path) })
  closeAfterTest(() => store.close())
  return store
}

async function aMachine(config = ''): Promise<{ store: Store; file: string }> {
  const text = `store: sqlite:./assent.db\nservers: { deploy: { command: deploy } }\n${config}`
  const folder = await aFolder({ 'assent.yaml': text })
  return { store: await storeIn(folder), file: join(folder, 'assent.yaml') }
}

async function changesIn(store: Store): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const entry of store.audit.entries('default'))
    if (entry.kind.startsWith('passkey.') || entry.kind === 'presence.changed') entries.push(entry)
  return entries
}

const accepting = ['--accept', '--content', '{"region":"eu"}']

test('[PRESENCE-2] `assent asks answer` does not accept what needs a passkey, and names the address that does', async () => {
  const { store, file } = await aMachine('inbox: { url: "https://inbox.example" }\n')
  const { id } = await store.asks.raise(anAsk({ ...local, needsPresence: true }))
  const refused = await assentHere(['asks', 'answer', id, ...accepting, '--config', file])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`https://inbox.example/asks/${id}`) })
  expect((await store.asks.read('default', id))?.state.kind).toBe('open')
  expect(await assentHere(['asks', 'answer', id, '--decline', '--config', file])).toMatchObject({ code: 0 })
})

test('[PRESENCE-2] a command with another configuration does not weaken the setting of the gateway', async () => {
  const { store, file } = await aMachine()
  const { id } = await store.asks.raise(anAsk(local))
  await store.passkeys.recordSetting('default', 'all')
  expect(await assentHere(['asks', 'answer', id, ...accepting, '--config', file])).toMatchObject({ code: 1 })
  expect((await store.asks.read('default', id))?.state.kind).toBe('open')
  await store.passkeys.recordSetting('default', 'approvals')
  expect(await assentHere(['asks', 'answer', id, ...accepting, '--config', file])).toMatchObject({ code: 0 })
})

test('[PRESENCE-7] `assent passkeys reset` removes the keys of the person at this machine, and is recorded', async () => {
  const { store, file } = await aMachine()
  await addKey(store, 'local', undefined, undefined, 'default')
  await addKey(store, 'other', undefined, undefined, 'default')
  expect(await assentHere(['passkeys', 'reset', '--config', file])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Removed 1/),
  })
  expect(await assentHere(['passkeys', 'reset', '--config', file])).toMatchObject({ out: 'You have no passkeys.\n' })
  expect(await store.passkeys.list({ tenant: 'default', principal: 'local' })).toEqual([])
  expect(await store.passkeys.list({ tenant: 'default', principal: 'other' })).toHaveLength(1)
  const last = (await changesIn(store)).at(-1)
  expect(last).toMatchObject({ kind: 'passkey.removed', body: expect.stringContaining('"by":"reset"') })
  expect(await assentHere(['audit', 'verify', '--config', file])).toMatchObject({ code: 0 })
})

test('[PRESENCE-13] an administrator resets the passkeys of one person of a team, on PostgreSQL, and is recorded', async () => {
  const { url } = await aDatabase()
  const folder = await aFolder({
    'assent.yaml': `store: "${url}"
keys: { k: "${aKey}" }
identity: { issuer: "https://login.example.com", audience: "https://assent.example.com/mcp" }
inbox: { url: "https://assent.example.com", client_id: assent }
asks: { surfaces: [inbox] }
servers: { deploy: { command: deploy } }
`,
  })
  const keys = createKeyRing([{ id: 'k', secret: Buffer.from(aKey, 'base64') }])
  const store = await openPostgres(url, { keys })
  closeAfterTest(() => store.close())
  const [ann, ben] = ['https://login.example.com#ann', 'https://login.example.com#ben']
  await addKey(store, ann, undefined, undefined, 'default')
  await addKey(store, ben, undefined, undefined, 'default')
  const reset = (...words: string[]) =>
    assentHere(['passkeys', 'reset', '--config', join(folder, 'assent.yaml'), ...words])

  expect(await reset()).toMatchObject({ code: 2, err: expect.stringContaining('--person') })
  expect(await reset('--person', 'nobody')).toMatchObject({ code: 1, err: expect.stringContaining('no passkeys') })
  expect(await store.passkeys.list({ tenant: 'default', principal: ann })).toHaveLength(1)
  expect(await reset('--person', 'ann')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Removed 1 of ann\. The inbox shows it/),
  })
  expect(await store.passkeys.list({ tenant: 'default', principal: ann })).toEqual([])
  expect(await store.passkeys.list({ tenant: 'default', principal: ben })).toHaveLength(1)
  expect(JSON.parse((await changesIn(store)).at(-1)?.body ?? '')).toMatchObject({
    principal: ann,
    by: 'reset',
    operator: userInfo().username,
  })
  const notices = await store.passkeys.noticesSince({ tenant: 'default', principal: ann }, 0)
  expect(notices[0]).toMatchObject({ kind: 'passkey-reset', name: 'Laptop' })
  expect(await store.record.verify('default')).toMatchObject({ ok: true })
})

test('[PRESENCE-13] without identity there is one person, and --person is refused', async () => {
  const { file } = await aMachine()
  expect(await assentHere(['passkeys', 'reset', '--config', file, '--person', 'ann'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('identity'),
  })
})

test('[PRESENCE-10] a gateway records the setting when it starts, and when it is reloaded', async () => {
  const servers = `servers: { deploy: ${aProcessOf('2026-07-28')} }\nasks: { surfaces: [client, inbox] }\n`
  const gateway = await aRunningGateway(`${servers}inbox: { presence: approvals }\n`)
  const store = await storeIn(gateway.folder)
  expect((await changesIn(store)).map(({ body }) => JSON.parse(body))).toEqual([{ from: 'none', to: 'approvals' }])
  await gateway.reload(servers)
  await expect.poll(async () => (await changesIn(store)).length).toBe(2)
  const notices = await store.passkeys.noticesSince({ tenant: 'default', principal: 'local' }, 0)
  expect(notices).toMatchObject([{ kind: 'presence-weakened', from: 'approvals', to: 'none' }])
})

test('[PRESENCE-10] `assent` without a command notifies of each change once, and of none from before its start', async () => {
  const { store } = await aMachine()
  const owner = { tenant: 'default', principal: 'local' }
  const before = await addKey(store, 'local', undefined, undefined, 'default')
  await new Promise((resolve) => setTimeout(resolve, 5))
  const shown: SystemNotification[] = []
  const notifier = new PasskeyNotifier({
    notices: (sinceMs) => store.passkeys.noticesSince(owner, sinceMs),
    nowMs: () => store.nowMs(),
    url: 'http://localhost:7421/passkeys',
    show: async (one) => void shown.push(one),
  })
  await notifier.look()
  expect(shown).toEqual([])
  await addKey(store, 'local', undefined, before.key, 'default')
  await notifier.look()
  await notifier.look()
  await store.passkeys.reset(owner)
  await notifier.look()
  expect(shown.map(({ text }) => text)).toEqual([
    'A passkey was added: Laptop.',
    'A passkey was removed with `assent passkeys reset`: Laptop.',
    'A passkey was removed with `assent passkeys reset`: Laptop.',
  ])
  expect(shown[0]?.url).toBe('http://localhost:7421/passkeys')
})
