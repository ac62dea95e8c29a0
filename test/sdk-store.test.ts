// What the gate and the steps of the sdk make of what the store says, with the real store on SQLite.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerMeta, createKeyRing } from '@assent/core'
import { type AssentSettings, createAssent, type DurableStore, type Interaction, verifyReceipt } from '@assent/sdk'
import { openSqlite, type Store } from '@assent/store'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { contextOf, type Retry, roundOf } from './sdk/rounds-2026-07-28.ts'

const tenant = 'acme'
const person = { principal: 'local', groups: [] }
const approve = { action: 'accept', content: { decision: 'approve' } }
let store: Store
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assent-'))
  store = await openSqlite(join(folder, 'assent.db'), { keys: createKeyRing([{ id: 'k1', secret: randomBytes(32) }]) })
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

type Parts = { [Part in 'asks' | 'steps' | 'grants']?: Partial<DurableStore[Part]> }

/** The store, with these answers of it in place of its own. */
function saying(parts: Parts): DurableStore {
  const part = (name: keyof Parts) =>
    new Proxy(store[name], {
      get: (target, key) => Reflect.get(parts[name] ?? {}, key) ?? bound(target, key),
    })
  const bound = (target: object, key: string | symbol) => {
    const member = Reflect.get(target, key)
    return typeof member === 'function' ? member.bind(target) : member
  }
  return { asks: part('asks'), steps: part('steps'), grants: part('grants') } as DurableStore
}

function staged(
  handler: (interaction: Interaction) => Promise<string>,
  durable: DurableStore = store,
  settings: AssentSettings = {},
) {
  const { interactive } = createAssent({ name: 'ops', tenant, unseenAfterMs: 0, store: durable, ...settings })
  const wrapped = interactive<[], unknown, unknown>(handler, { name: 'deploy' })
  return async (retry: Retry = {}) => roundOf(await wrapped(contextOf(retry)))
}

async function asksThat(show: 'open' | 'ended', title: string) {
  const { asks } = await store.inbox.page({ tenant, person, show })
  return asks.filter(({ question }) => question.kind === 'approval' && question.title === title)
}

const gated =
  (title: string, work: () => string = () => 'ran', more = {}) =>
  async ({ gate }: Interaction) =>
    (await gate({ title, arguments: { env: 'x' }, ...more }, work)).value

describe('a gate', () => {
  test('[GATE-8] puts the approval on record as it is asked, for its own person alone', async () => {
    await staged(gated('On record', undefined, { waitMs: 7_000, useWithinMs: 3_000 }))()
    const [ask] = await asksThat('open', 'On record')
    expect(ask).toMatchObject({
      tenant,
      asker: { server: 'ops', tool: 'deploy' },
      principal: 'local',
      commentReaches: 'asker',
      electorate: { approvers: ['person:local'], barred: [], approvals: 1, declines: 1 },
      useWithinMs: 3_000,
      state: { kind: 'open' },
    })
    expect(ask && ask.decideByMs - ask.raisedAtMs).toBe(7_000)
    expect(ask?.question).toMatchObject({ kind: 'approval', title: 'On record', action: { arguments: { env: 'x' } } })
  })

  test('[GATE-1] [GATE-8] its receipt has the grant of the store, and when the store granted it', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    let receipt = ''
    const play = staged(
      async ({ gate }) => {
        receipt = (await gate({ title: 'Receipt', arguments: {} }, () => 1)).receipt
        return ''
      },
      store,
      { signing: { keyId: 'k1', privateKey } },
    )
    await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    const [ask] = await asksThat('ended', 'Receipt')
    const grant = await store.grants.read(tenant, ask?.id ?? '')
    expect(ask?.state).toMatchObject({ kind: 'settled', by: 'local', via: 'client' })
    expect(verifyReceipt(receipt, publicKey)).toMatchObject({
      ok: true,
      statement: { askId: ask?.id, grantId: grant?.id, decidedAtMs: grant?.grantedAtMs, approvedBy: 'local' },
    })
  })

  test('[GATE-2] [GATE-8] an answer that is none closes it, and takes the approval back', async () => {
    const ran = vi.fn(() => 'ran')
    const play = staged(gated('Malformed', ran))
    const { state } = await play()
    const { code, text } = await play({ state, answers: { 'ask-1': { action: 'yes' } } })
    expect(code).toBe('validation_failed')
    expect(text).toContain('The answer to "Malformed" is not valid: The action is accept, decline or cancel.')
    const [ask] = await asksThat('ended', 'Malformed')
    expect(ask?.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
    expect((await play({ state, answers: { 'ask-1': approve } })).code).toBe('validation_failed')
    expect(ran).not.toHaveBeenCalled()
  })

  test('[VOTE-7] what looks like a secret beside the answer is deleted once the handler has it', async () => {
    const comment = `ghp_${'a1B2'.repeat(9)}`
    let heard: string | undefined
    const play = staged(async ({ gate }) => {
      heard = (await gate({ title: 'Secret', arguments: {} }, () => 1)).comment
      return ''
    })
    const { state } = await play()
    await play({ state, answers: { 'ask-1': { ...approve, _meta: answerMeta({ comment }) } } })
    expect(heard).toBe(comment)
    const [ask] = await asksThat('ended', 'Secret')
    expect(ask?.state).toMatchObject({ kind: 'settled', deleted: { action: 'accept' } })
    expect(JSON.stringify(ask)).not.toContain(comment)

    const { raise, answer, withdraw } = saying({}).asks
    const older = staged(gated('Older store'), { ...saying({}), asks: { raise, answer, withdraw } })
    const spoken = { ...approve, _meta: answerMeta({ comment }) }
    expect((await older({ state: (await older()).state, answers: { 'ask-1': spoken } })).text).toBe('ran')

    const deleteSecret = vi.fn(async () => undefined)
    const plain = staged(gated('Plain'), saying({ asks: { deleteSecret } }))
    await plain({ state: (await plain()).state, answers: { 'ask-1': approve } })
    expect(deleteSecret).not.toHaveBeenCalled()
  })

  test.each<[string, Parts, string]>([
    [
      'there is no grant',
      { grants: { read: async () => undefined } },
      'Nothing was run: there is no approval on record.',
    ],
    [
      'the grant is used up',
      { grants: { use: async () => undefined } },
      'Nothing was run: the approval was used before, is too old, is for something else, or does not match its signatures.',
    ],
  ])('[GATE-2] [GATE-4] stays closed when the store says that %s', async (_, parts, words) => {
    const ran = vi.fn(() => 'ran')
    const play = staged(gated('Closed', ran), saying(parts))
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    expect(code).toBe('grant_refused')
    expect(text).toContain(words)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-2] stays closed when the store says no more than that it was no answer', async () => {
    const play = staged(gated('Unsaid'), saying({ asks: { answer: async () => ({ kind: 'malformed' }) } }))
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    expect(code).toBe('validation_failed')
    expect(text).toContain('it is no answer to this question.')
  })

  test('[GATE-4] the use that the store is told of is of this action, for this person, by this call', async () => {
    const use = vi.fn(store.grants.use.bind(store.grants))
    const answer = vi.fn(store.asks.answer.bind(store.asks))
    const play = staged(gated('Used'), saying({ grants: { use }, asks: { answer } }))
    await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    const [ask] = await asksThat('ended', 'Used')
    const question = ask?.question as { digest: string }
    expect(answer).toHaveBeenCalledExactlyOnceWith({
      tenant,
      id: ask?.id,
      person,
      via: 'client',
      answer: { action: 'accept' },
    })
    expect(use).toHaveBeenCalledExactlyOnceWith({
      tenant,
      id: expect.stringMatching(/^grant_/),
      digest: question.digest,
      principal: 'local',
      usedBy: expect.stringMatching(/^call_/),
    })
  })

  const stateOf = (state: object) => async () => ({ kind: 'ended', ask: { id: 'ask_9', state } as never })
  test.each<[string, object, string, string]>([
    ['has expired', { kind: 'expired', atMs: 1 }, 'timed_out', 'Nobody answered "Ended" in time.'],
    [
      'does not match its signatures',
      { kind: 'withdrawn', reason: 'unverified', atMs: 1 },
      'validation_failed',
      'the stored approval does not match its signatures.',
    ],
    ['was taken back', { kind: 'withdrawn', reason: 'caller-gone', atMs: 1 }, 'cancelled', 'without a choice'],
    [
      'was declined',
      { kind: 'settled', answer: { action: 'decline', comment: 'no' }, atMs: 1 },
      'declined',
      'The person declined "Ended". They wrote: no',
    ],
  ])('[GATE-2] stays closed when the approval on record %s, whatever came back', async (_, state, code, words) => {
    const ran = vi.fn(() => 'ran')
    const play = staged(gated('Ended', ran), saying({ asks: { answer: stateOf(state) } }))
    const round = await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    expect(round.code).toBe(code)
    expect(round.text).toContain(words)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-2] stays closed when the store did not keep the answer', async () => {
    const play = staged(gated('Ended'), saying({ asks: { answer: stateOf({ kind: 'open' }) } }))
    const { state } = await play()
    await expect(play({ state, answers: { 'ask-1': approve } })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'The answer to ask ask_9 was not kept.',
    })
  })

  test('[GATE-10] an approval that comes too fast is taken back as unseen, unless the record has an answer', async () => {
    const withdraw = vi.fn(store.asks.withdraw.bind(store.asks))
    const fast = staged(gated('Fast'), saying({ asks: { withdraw } }), { unseenAfterMs: 9_000 })
    const { state } = await fast()
    expect((await fast({ state, answers: { 'ask-1': approve } })).code).toBe('unseen')
    expect(withdraw).toHaveBeenCalledExactlyOnceWith(tenant, expect.stringMatching(/^ask_/), 'unseen')

    const settled = { kind: 'settled', answer: { action: 'decline' }, atMs: 1 }
    for (const [kind, found, code] of [
      ['ended', settled, 'declined'],
      ['withdrawn', settled, 'unseen'],
      ['ended', { kind: 'expired', atMs: 1 }, 'unseen'],
      ['ended', undefined, 'unseen'],
    ] as const) {
      const said = async () => (found === undefined ? { kind } : { kind, ask: { id: 'ask_9', state: found } as never })
      const play = staged(gated('Fast'), saying({ asks: { withdraw: said } }), { unseenAfterMs: 9_000 })
      expect((await play({ state: (await play()).state, answers: { 'ask-1': approve } })).code).toBe(code)
    }
  })

  test('[WAIT-7] at its deadline the answer on record counts; without one the approval is taken back', async () => {
    const settled = { kind: 'settled', answer: { action: 'accept' }, atMs: 1 }
    for (const [found, code] of [
      [{ kind: 'ended', ask: { id: 'ask_9', state: settled } as never }, 'grant_refused'],
      [{ kind: 'withdrawn' }, 'timed_out'],
    ] as const) {
      let nowMs = Date.now()
      const withdraw = vi.fn(async () => found)
      const durable = saying({ asks: { withdraw }, grants: { read: async () => undefined } })
      const play = staged(gated('Late', undefined, { waitMs: 1_000 }), durable, { nowMs: () => nowMs })
      const { state } = await play()
      nowMs += 999
      expect((await play({ state })).state).toBeDefined()
      nowMs += 1
      expect((await play({ state, answers: { 'ask-1': approve } })).code).toBe(code)
      expect(withdraw).toHaveBeenCalledExactlyOnceWith(tenant, expect.stringMatching(/^ask_/), 'call-cancelled')
    }
  })

  test('[RUN-16] a round that fails takes back the approvals that it asked for', async () => {
    const play = staged(async ({ gate, step }) => {
      await step('big', () => 'x'.repeat(170_000))
      return (await gate({ title: 'Failed round', arguments: {} }, () => 'ran')).value
    })
    await expect(play()).rejects.toMatchObject({ code: 'limit_exceeded' })
    const [ask] = await asksThat('ended', 'Failed round')
    expect(ask?.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
  })
})

describe('a step', () => {
  const sure = { action: 'accept', content: { confirmed: true } }
  const stepping = (work: () => unknown) => async (interaction: Interaction) => {
    await interaction.ask.confirm('Sure?')
    return JSON.stringify(await interaction.step('work', work))
  }

  test('[SDK-20] is done once, and its result is the same however often its answer is brought back', async () => {
    const work = vi.fn(() => ({ n: work.mock.calls.length }))
    const play = staged(stepping(work))
    const retry = { state: (await play()).state, answers: { 'ask-1': sure } }
    for (let n = 0; n < 3; n++) expect((await play(retry)).text).toBe('{"n":1}')
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-20] that was begun and has not finished is not begun again, and the error says since when', async () => {
    const work = vi.fn()
    const claim = async () => ({ kind: 'begun', atMs: Date.UTC(2026, 0, 2, 3, 4, 5) }) as const
    const play = staged(stepping(work), saying({ steps: { claim } }))
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': sure } })
    expect(code).toBe('step_unclear')
    expect(text).toContain(
      'The step "work" was begun at 2026-01-02T03:04:05.000Z and has not finished: it is running elsewhere, or its ' +
        'process died in the middle. It is not run again. Look at what it changes, then start a new call if it is needed.',
    )
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-20] whose result could not be kept is unclear', async () => {
    const play = staged(
      stepping(() => 1),
      saying({ steps: { finish: async () => false } }),
    )
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': sure } })
    expect(code).toBe('step_unclear')
    expect(text).toContain('The step "work" was done, but its result could not be kept.')
  })

  test('[SDK-20] is claimed, finished and kept under its own name, in this call, by this process', async () => {
    const claim = vi.fn(store.steps.claim.bind(store.steps))
    const finish = vi.fn(store.steps.finish.bind(store.steps))
    const keep = vi.fn(store.steps.keep.bind(store.steps))
    const play = staged(
      stepping(() => 'x'),
      saying({ steps: { claim, finish, keep } }),
    )
    await play({ state: (await play()).state, answers: { 'ask-1': sure } })
    const key = { tenant, callId: expect.stringMatching(/^call_/), owner: expect.any(String) }
    const keepMs = expect.any(Number)
    expect(claim).toHaveBeenCalledExactlyOnceWith({ ...key, name: 'step work', keepMs })
    const outcome = '{"kind":"done","result":"x"}'
    expect(finish).toHaveBeenCalledExactlyOnceWith({ ...key, name: 'step work', outcome })
    expect(keep).toHaveBeenCalledExactlyOnceWith({
      ...key,
      name: 'answer 1',
      keepMs,
      outcome: '["y",{"confirmed":true}]',
    })
  })

  test('[SDK-20] the first answer counts, with its comment, whatever is brought back later', async () => {
    const play = staged(async ({ ask }) => ask.text('Name?'))
    const { state } = await play()
    const no = { action: 'decline', _meta: answerMeta({ comment: 'not mine' }) }
    const first = await play({ state, answers: { 'ask-1': no } })
    expect(first.text).toContain('They wrote: not mine')
    const later = { action: 'accept', content: { text: 'Ada' } }
    expect(await play({ state, answers: { 'ask-1': later } })).toEqual(first)
  })
})
