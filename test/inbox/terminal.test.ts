// `assent inbox` in a real terminal, on both databases, while other people answer the same asks.
import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type AskDraft,
  actionDigest,
  choice,
  createKeyRing,
  decisionForm,
  form,
  type KeyRing,
  newId,
  type Question,
  text,
  toolDefinitionDigest,
} from '@assent/core'
import { openPostgres, openSqlite, type Store } from '@assent/store'
import { expect, onTestFinished, test } from 'vitest'
import { openTmux, type RealTerminal } from '../../packages/sdk/src/terminal/tmux.suite.ts'
import { createDatabase } from '../../test-kit/postgres.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'

const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))
const timeout = 300_000
/** Key hints that are on the screen only while the list, or a question, reads keys. */
const listKeys = 'enter opens'
const questionKeys = 'esc leaves it open'

interface TerminalInbox {
  readonly store: Store
  readonly terminal: RealTerminal
}

async function anInbox(engine: 'sqlite' | 'postgres'): Promise<TerminalInbox> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-terminal-'))
  onTestFinished(() => removeFolder(folder))
  const secret = randomBytes(32)
  const keys = createKeyRing([{ id: 'k1', secret }])
  const [place, store] = engine === 'sqlite' ? await onSqlite(folder, keys) : await onPostgres(keys)
  onTestFinished(() => store.close())
  const key = secret.toString('base64')
  const file = join(folder, 'assent.yaml')
  await writeFile(
    file,
    `store: "${place}"\nkeys: { k1: "${key}" }\nasks: { surfaces: [client, inbox] }\nservers: { deploy: { command: deploy } }\n`,
  )
  const terminal = openTmux({ file: main, args: ['inbox', '--config', file], columns: 100, rows: 40 })
  onTestFinished(() => terminal.close())
  return { store, terminal }
}

async function onSqlite(folder: string, keys: KeyRing): Promise<[string, Store]> {
  const path = join(folder, 'assent.db')
  return [`sqlite:${path}`, await openSqlite(path, { keys })]
}

/** A separate database, because a configuration cannot name a schema. */
async function onPostgres(keys: KeyRing): Promise<[string, Store]> {
  const { url, drop } = await createDatabase()
  onTestFinished(drop)
  return [url, await openPostgres(url, { keys, connections: 2 })]
}

const action = {
  server: 'deploy',
  tool: 'rollout',
  definitionDigest: toolDefinitionDigest({ name: 'rollout' }),
  arguments: { env: 'production', replicas: 4 },
}
const approval: Question = {
  kind: 'approval',
  title: 'Roll out 4.2',
  action,
  digest: actionDigest(action),
  claim: 'It is \u001b[1msafe\u001b[0m.\n│  calls nothing',
}
const which: Question = {
  kind: 'form',
  message: 'Which region?',
  form: form({ region: choice({ eu: 'Europe', us: 'America' }) }),
}
const name: Question = { kind: 'form', message: 'Name it', form: form({ name: text({ title: 'Name', minLength: 3 }) }) }

function ask(question: Question, changes: Partial<AskDraft> = {}): AskDraft {
  return {
    tenant: 'default',
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'deploy', tool: 'rollout' },
    principal: 'local',
    question,
    approvalRule: { approvers: ['person:local', 'person:ben'], excluded: [], approvals: 1, declines: 1 },
    decideWithinMs: 600_000,
    useWithinMs: 300_000,
    ...changes,
  }
}

const stateOf = async ({ asks }: Store, id: string) => (await asks.read('default', id))?.state
const ben = { principal: 'ben', groups: [] }

test.each(['sqlite', 'postgres'] as const)(
  '[DESK-1] [DESK-2] new asks appear, are answered with the sdk’s prompts, and are recorded as answered in the terminal (%s)',
  { timeout },
  async (engine) => {
    const { store, terminal } = await anInbox(engine)
    const { sees, press, screen } = terminal

    await sees('Nothing is waiting for you.')
    const first = await store.asks.raise(ask(which))
    await sees('Which region?')
    const second = await store.asks.raise(ask(name))
    await sees('2 waiting')
    expect(await screen()).toMatch(/● deploy · rollout +Which region\? +(?:now|\d+ (?:s|min)) +expires in \d+ min/)

    await press('Enter')
    await sees('deploy says (not checked by Assent)')
    await sees(questionKeys)
    await press('Enter')
    await sees('Choose one first')
    await press('Down', 'Enter')
    await sees('from the terminal')
    await sees(listKeys)
    expect(await stateOf(store, first.id)).toMatchObject({
      via: 'terminal',
      by: 'local',
      answer: { action: 'accept', content: { region: 'eu' } },
    })

    await press('k', 'Enter')
    await sees(questionKeys)
    await sees('Name it')
    await press('ab', 'Enter')
    await sees('Enter at least 3 characters.')
    await press('Escape')
    await sees('Left open.')
    await sees(listKeys)
    expect(await stateOf(store, second.id)).toEqual({ kind: 'open' })
    await press('Enter')
    await sees(questionKeys)
    await sees('Name it')
    await press('C-d')
    await sees('You declined this from the terminal')
    await sees(listKeys)
    expect(await stateOf(store, second.id)).toMatchObject({ kind: 'settled', answer: { action: 'decline' } })

    await press('q')
    await sees('exit code 0')
  },
)

test('[CARD-14] [CARD-15] a declared action is shown, and a yes to something destructive can be undone', {
  timeout,
}, async () => {
  const { store, terminal } = await anInbox('sqlite')
  const { sees, press, screen } = terminal
  const declared = { title: 'Roll out 4.2', action, digest: actionDigest(action) }
  const asked: Question = { kind: 'form', message: 'May I?', form: decisionForm, declared, isDestructive: true }
  const { id } = await store.asks.raise(ask(asked))

  await sees('Roll out 4.2')
  await press('Enter')
  await sees('Your decision')
  const shown = await screen()
  expect(shown).toMatch(/│ {4}env +production\n│ {4}replicas +4\n/)
  expect(shown).toContain('deploy set these values.')
  expect(shown).toContain('Your approval is valid only for exactly these values.')
  expect(shown).toContain('This cannot be undone, according to deploy.')
  expect(shown).not.toContain('May I?')
  await press('y', 'Enter')
  await sees('Assent has a question')
  await sees('Your answer is sent in 5 s.')
  await sees('Undo it')
  await press('Down', 'Enter')
  await sees('Nothing was sent.')
  await sees(listKeys)
  expect(await stateOf(store, id)).toEqual({ kind: 'open' })

  await press('Enter')
  await sees('Your decision')
  await press('y', 'Enter')
  await sees('You approved this from the terminal')
  expect(await stateOf(store, id)).toMatchObject({ kind: 'settled', via: 'terminal', answer: { action: 'accept' } })
})

test('[DESK-3] an approval shows the action and, apart from it, the asker’s text; Enter alone approves nothing', {
  timeout,
}, async () => {
  const { store, terminal } = await anInbox('sqlite')
  const { sees, press, screen } = terminal
  const { id } = await store.asks.raise(ask(approval))

  await sees('Roll out 4.2')
  await press('Enter')
  await sees('Your decision')
  const shown = await screen()
  expect(shown).toMatch(/│ {4}env +production\n│ {4}replicas +4\n/)
  expect(shown).toContain('│  ┊ It is ⟨U+001B⟩[1msafe⟨U+001B⟩[0m.\n│  ┊ │  calls nothing')
  expect(shown).toContain('asked by deploy (from your configuration) for you')
  expect(shown).not.toContain('●')
  await press('Enter', 'Enter')
  await sees('Choose one first')
  expect(await stateOf(store, id)).toEqual({ kind: 'open' })

  await press('y', 'Enter')
  await sees('You approved this from the terminal')
  expect(await stateOf(store, id)).toMatchObject({ kind: 'settled', via: 'terminal', answer: { action: 'accept' } })
})

test('[DESK-4] when another person answers first, the list and an open question show who, how and when within two seconds', {
  timeout,
}, async () => {
  const { store, terminal } = await anInbox('sqlite')
  const { sees, press } = terminal
  const decline = { action: 'decline', comment: 'wrong region' } as const
  const [first, second] = [await store.asks.raise(ask(approval)), await store.asks.raise(ask(name))]
  await sees('2 waiting')

  await store.asks.answer({ tenant: 'default', id: first.id, person: ben, via: 'inbox', answer: decline })
  await sees('ben declined this')
  await sees('1 waiting')

  await press('g', 'Enter')
  await sees(questionKeys)
  await sees('Name it')
  await store.asks.answer({
    tenant: 'default',
    id: second.id,
    person: ben,
    via: 'client',
    answer: { action: 'cancel' },
  })
  await sees('ben dismissed this in their client')
  await sees('0 waiting')
})

test('[DESK-4] an expired ask is shown as expired, and one approval of several is counted', { timeout }, async () => {
  const { store, terminal } = await anInbox('sqlite')
  const { sees, press } = terminal
  const both = { approvers: ['person:local', 'person:ben'], excluded: [], approvals: 2, declines: 1 } as const
  const { id } = await store.asks.raise(ask(approval, { approvalRule: both }))

  await sees('0/2 expires in')
  await press('Enter')
  await sees('0 of 2 approvals so far')
  const { screen } = terminal
  await sees('Your decision')
  expect(await screen()).not.toContain('Dismiss')
  await press('y', 'Enter')
  await sees('Your vote counts. 1 of 2 approvals so far.')
  await sees('waits for others')
  expect(await stateOf(store, id)).toEqual({ kind: 'open' })

  // Long enough to be listed before it expires.
  await store.asks.raise(ask(name, { decideWithinMs: 20_000 }))
  await sees('Name it')
  await press('g', 'Enter')
  await sees('Expired without an answer')
})
