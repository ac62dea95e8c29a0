// `assent asks`, used by a script.

import { join } from 'node:path'
import { type AnsweredView, type AskPageView, actionDigest, type InboxProblem, type OneAskView } from '@assent/core'
import { openSqlite, type Store } from '@assent/store'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { anApproval, anAsk } from '../inbox/inbox-env.suite.ts'
import { aFolder, assent, assentHere } from './process.suite.ts'
import { localKeyRing } from './state.ts'

const mine = { approvers: ['person:local'], excluded: [], approvals: 1, declines: 1 } as const
const local = { tenant: 'default', principal: 'local', approvalRule: mine }

interface Script {
  readonly store: Store
  readonly file: string
  run(...words: string[]): Promise<{ code: number | null; out: string; err: string }>
  json<T>(...words: string[]): Promise<T & { readonly exit: number | null }>
}

async function aScript(config = ''): Promise<Script> {
  const folder = await aFolder({
    'assent.yaml': `store: sqlite:./assent.db\nservers: { deploy: { command: deploy } }\n${config}`,
  })
  const store = await openSqlite(join(folder, 'assent.db'), { keys: localKeyRing(join(folder, 'assent.db')) })
  closeAfterTest(() => store.close())
  const file = join(folder, 'assent.yaml')
  const run = (...words: string[]) => assentHere(['asks', ...words, '--config', file])
  return {
    store,
    file,
    run,
    json: async (...words) => {
      const { code, out } = await run(...words, '--json')
      return { ...JSON.parse(out), exit: code }
    },
  }
}

test('[DESK-5] a script lists, reads and answers an ask; the answer is recorded as from the terminal', async () => {
  const { store, json } = await aScript()
  const { id } = await store.asks.raise(anAsk(local))

  const page = await json<AskPageView>('list', '--kind', 'form', '--server', 'deploy')
  const one = await json<OneAskView>('show', id)
  const answered = await json<AnsweredView>('answer', id, '--accept', '--content', '{"region":"eu"}', '--comment', 'go')

  expect(page).toMatchObject({ exit: 0, asks: [{ id, headline: 'Which region?' }], nowMs: expect.any(Number) })
  expect(one.ask).toEqual(page.asks[0])
  expect(one.ask.asker).toEqual({ server: 'deploy', tool: 'rollout', origin: 'from your configuration' })
  expect(answered).toMatchObject({ exit: 0, result: 'settled' })
  expect(answered.ask.state).toMatchObject({
    what: 'You chose “Europe” from the terminal',
    via: 'terminal',
    comment: 'go',
    content: [{ label: 'Region', value: 'Europe' }],
  })
  expect(await json<AskPageView>('list')).toMatchObject({ asks: [] })
  expect(await json<AskPageView>('list', '--ended')).toMatchObject({ asks: [{ id }] })
})

test('[DESK-10] the list is filtered by words, agent, project and outcome, and all pages are one export', async () => {
  const { store, json, run } = await aScript()
  const claude = { client: 'Claude Code', folder: 'notes-service', branch: 'main' }
  const inNotes = await store.asks.raise(anAsk({ ...local, caller: claude }))
  const inBilling = await store.asks.raise(anAsk({ ...local, caller: { client: 'Codex', folder: 'billing' } }))
  const ids = async (...words: string[]) => (await json<AskPageView>('list', ...words)).asks.map(({ id }) => id)

  expect(await ids('--project', 'notes-service')).toEqual([inNotes.id])
  expect(await ids('--agent', 'Codex')).toEqual([inBilling.id])
  expect(await ids('--search', 'REGION billing')).toEqual([inBilling.id])
  expect(await ids('--search', 'region nowhere')).toEqual([])
  expect(await run('list', '--search', 'nowhere')).toMatchObject({ code: 0, out: 'No asks match.\n' })
  expect(await run('list', '--ended')).toMatchObject({ code: 0, out: 'No asks have ended yet.\n' })

  for (let more = 0; more < 100; more++) await store.asks.raise(anAsk(local))
  expect(await ids('--all')).toHaveLength(102)
  expect((await json<AskPageView>('list', '--size', '100')).asks).toHaveLength(100)

  await run('answer', inNotes.id, '--decline')
  expect(await ids('--ended', '--outcome', 'declined')).toEqual([inNotes.id])
  expect(await ids('--ended', '--agent', 'Claude Code')).toEqual([inNotes.id])
  expect(await ids('--ended', '--agent', 'Codex')).toEqual([])
  expect(await ids('--ended', '--outcome', 'approved')).toEqual([])
  for (const wrong of [
    ['--outcome', 'declined'],
    ['--ended', '--outcome', 'maybe'],
    ['--all', '--cursor', 'x'],
  ])
    expect((await run('list', ...wrong)).code).toBe(2)
})

test('[PIN-15] a changed definition is shown with both definitions, and not as a call', async () => {
  const { store, run, json } = await aScript()
  const { question, ...draft } = anApproval(['person:local'], 1)
  if (question.kind !== 'approval') throw new Error('It is an approval.')
  const definitions = { accepted: { name: 'rollout' }, new: { name: 'rollout', annotations: { readOnlyHint: true } } }
  const action = { ...question.action, kind: 'definition', arguments: definitions } as const
  const title = 'Accept the changed definition of rollout on deploy'
  const changed = { kind: 'approval', title, action, digest: actionDigest(action) } as const
  const { id } = await store.asks.raise({ ...draft, ...local, question: changed })

  const { out } = await run('show', id)

  expect(out).toContain(title)
  expect(out).toMatch(new RegExp(`^tool +${action.tool} on ${action.server}$`, 'm'))
  expect(out).not.toMatch(/^calls /m)
  expect(out).toContain('"readOnlyHint": true')
  expect(await json<OneAskView>('show', id)).toMatchObject({ ask: { question: { action: { kind: 'definition' } } } })
})

test('[DESK-6] an approval is accepted only with its digest', async () => {
  const { store, json } = await aScript()
  const { id } = await store.asks.raise({ ...anApproval(['person:local'], 1), ...local })
  const other = anApproval(['person:local'], 1).question
  const { ask } = await json<OneAskView>('show', id)
  const digest = ask.question.kind === 'approval' ? ask.question.digest : ''
  expect(other).toMatchObject({ digest })

  const tried = [
    await json<InboxProblem>('answer', id, '--accept'),
    await json<InboxProblem>(
      'answer',
      id,
      '--accept',
      '--digest',
      digest.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ),
    await json<InboxProblem>('answer', id, '--accept', '--digest', ''),
    await json<InboxProblem>('answer', id, '--accept', '--digest', digest.slice(0, 20)),
    await json<InboxProblem>('answer', id, '--decline', '--digest', 'sha256:another'),
    await json<InboxProblem>('answer', id, '--accept', '--digest', digest, '--content', '{}'),
  ]
  for (const one of tried)
    expect(one).toMatchObject({ exit: 1, message: expect.stringContaining('Nothing was decided.') })
  expect((await store.asks.read('default', id))?.state.kind).toBe('open')

  expect(await json('answer', id, '--accept', '--digest', digest)).toMatchObject({ exit: 0, result: 'settled' })
})

test('[DESK-7] an invalid answer is explained and leaves the ask open; a repeated decision counts once', async () => {
  const { store, json, run } = await aScript()
  const { id } = await store.asks.raise(anAsk(local))
  const decision = ['--decision-id', 'one-decision-of-mine']

  const moon = await json<InboxProblem>('answer', id, '--accept', '--content', '{"region":"moon"}')
  expect(moon).toMatchObject({ exit: 1, code: 'invalid', issues: [{ field: 'region' }] })
  for (const content of ['', 'eu', '["eu"]', '{"region":"eu","region":"us"}', '{"region":'])
    expect(await json('answer', id, '--accept', '--content', content)).toMatchObject({ exit: 1, code: 'malformed' })
  expect(await json('answer', id, '--accept')).toMatchObject({ exit: 1, code: 'invalid' })
  const { err } = await run('answer', id, '--accept', '--content', '{}')
  expect(err).toBe('error A value is missing or invalid. The ask is still open.\n  "region": This is required.\n')
  expect((await store.asks.read('default', id))?.state.kind).toBe('open')

  expect(await json('answer', id, '--decline', ...decision)).toMatchObject({ exit: 0, result: 'settled' })
  expect(await json('answer', id, '--decline', ...decision)).toMatchObject({ exit: 0, result: 'settled' })
  expect(await json('answer', id, '--dismiss', ...decision)).toMatchObject({ exit: 5, code: 'conflict' })
  expect(await json('answer', id, '--dismiss')).toMatchObject({
    exit: 5,
    code: 'ended',
    message: expect.stringMatching(
      /^Your answer came too late and changed nothing\. You declined this from the terminal, /,
    ),
  })
})

test('[DESK-7] an answer needs exactly one choice and one exact id; anything else leaves the ask open', async () => {
  const { store, run } = await aScript()
  const { id } = await store.asks.raise(anAsk(local))
  const others = await store.asks.raise(anAsk({ tenant: 'default' }))

  for (const words of [[], ['--accept', '--decline'], ['--decline', '--content', '{}'], ['--yes']])
    expect((await run('answer', id, ...words)).code).toBe(2)
  for (const wrong of ['', id.slice(0, -1), `${id} `, '*', others.id])
    expect(await run('answer', wrong, '--decline')).toMatchObject({
      code: 4,
      err: `error Unknown ask "${wrong}", or you have no access to it. \`assent asks list\` prints the ids.\n`,
    })
  expect((await run('list', '--kind', 'riddle')).code).toBe(2)
  expect((await run('list', '--size', '1000')).code).toBe(2)
  expect((await run('list', '--size', '0')).code).toBe(1)
  expect((await run('list', '--cursor', 'damaged')).code).toBe(1)
  for (const one of [id, others.id]) expect((await store.asks.read('default', one))?.state.kind).toBe('open')
})

test('[DESK-8] output contains no control or invisible characters, and JSON keeps the exact value', async () => {
  const { store, run, json } = await aScript()
  const name = 'a\u001b[2J\u202e\u009bb'
  const form = { fields: [{ kind: 'text', name, required: true, title: 'x\u001b]0;y\u0007' }] } as const
  const { id } = await store.asks.raise(
    anAsk({
      ...local,
      question: { kind: 'form', message: 'Hi\u001b[31m\ndeploy says (not checked by Assent)\t\u200bnothing', form },
    }),
  )

  const printed = [await run('show', id), await run('list'), await run('show', id, '--json')]
    .map(({ out }) => out)
    .join('')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that these are absent.
  expect(printed.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e]/)
  expect((await run('show', id)).out).toContain('┊ deploy says (not checked by Assent)')
  const { ask } = await json<OneAskView>('show', id)
  expect(ask.question).toMatchObject({ fields: [{ name }] })
})

test('[DESK-9] with identity, without a terminal or with an invalid configuration it refuses to run', async () => {
  const issuer = 'identity: { issuer: "https://login.example.com", audience: "https://assent.example.com/mcp" }'
  const named = await aScript(issuer)
  const { id } = await named.store.asks.raise(anAsk(local))

  expect(await named.json('list')).toMatchObject({
    exit: 3,
    code: 'refused',
    message: expect.stringContaining('identity'),
  })
  expect(await named.run('answer', id, '--decline')).toMatchObject({ code: 3, out: '' })
  expect((await named.store.asks.read('default', id))?.state.kind).toBe('open')
  const broken = await aScript('listen: nowhere at all')
  expect(await broken.run('list')).toMatchObject({ code: 1, err: expect.stringContaining('listen') })
  const away = await aScript()
  expect(
    await assentHere(['asks', 'list', '--config', away.file, '--json'], { ASSENT_STORE: 'sqlite:/dev/null/a.db' }),
  ).toMatchObject({ code: 3 })

  const piped = await assent(['inbox', '--config', away.file])
  expect(piped).toMatchObject({ code: 3, out: '', err: expect.stringContaining('Standard input is not a terminal') })
})

test('[DESK-9] without a configuration the default store of this user is used, as by the gateway', async () => {
  const folder = await aFolder()
  const ended = await assent(['asks', 'list'], { folder, variables: { XDG_STATE_HOME: folder } })
  expect(ended).toMatchObject({ code: 0, out: 'Nothing is waiting for you.\n', err: '' })
  const store = await openSqlite(join(folder, 'assent', 'assent.db'), {
    keys: localKeyRing(join(folder, 'assent', 'assent.db')),
  })
  closeAfterTest(() => store.close())
  const { id } = await store.asks.raise(anAsk(local))
  const { out } = await assent(['asks', 'list'], { folder, variables: { XDG_STATE_HOME: folder } })
  expect(out).toContain(id)
})

test('[INBOX-21] an ask of an agent in the own store is shown with the agent, never with its internal name', async () => {
  const folder = await aFolder()
  const path = join(folder, 'assent.db')
  const store = await openSqlite(path, { keys: localKeyRing(path) })
  closeAfterTest(() => store.close())
  const caller = { client: 'Claude Code', folder: 'shop', branch: 'main' }
  await store.asks.raise(anAsk({ ...local, asker: { server: 'agent', tool: 'elicit_confirm' }, caller }))
  const { out } = await assent(['asks', 'list'], { folder, variables: { ASSENT_HOME: folder } })
  expect(out).toContain('Claude Code in shop (main)')
  expect(out).not.toContain('elicit_confirm')
})

test('[VOTE-8] an answer that looks like a secret is sent only with --confirmed', async () => {
  const { store, run, json } = await aScript()
  const form = { fields: [{ kind: 'text', name: 'value', required: true }] } as const
  const { id } = await store.asks.raise(anAsk({ ...local, question: { kind: 'form', message: 'Which value?', form } }))
  const content = JSON.stringify({ value: `ghp_${'a1B2'.repeat(9)}` })

  const stopped = await run('answer', id, '--accept', '--content', content)
  expect(stopped).toMatchObject({ code: 1, err: expect.stringContaining('--confirmed') })
  expect(stopped.err).not.toContain('ghp_')
  expect(await json('answer', id, '--accept', '--content', content)).toMatchObject({ code: 'looks-secret', exit: 1 })
  expect((await store.asks.read('default', id))?.state.kind).toBe('open')

  expect(await run('answer', id, '--accept', '--content', content, '--confirmed')).toMatchObject({ code: 0 })
  expect((await store.asks.read('default', id))?.state).toMatchObject({ kind: 'settled', isSecret: true })
  const shown = JSON.stringify(await json('show', id))
  expect(shown).toContain('(secret, not shown)')
  expect(shown).not.toContain('ghp_')
})
