// How the gate and the steps of the SDK handle replies of the store, with the real store on SQLite.

import { generateKeyPairSync } from 'node:crypto'
import { answerMeta } from '@assent/core'
import {
  type AssentSettings,
  createAssent,
  type DurableStore,
  type Interaction,
  onSurface,
  type Surface,
  verifyReceipt,
} from '@assent/sdk'
import type { Store } from '@assent/store'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { contextOf, type Retry, roundOf } from '../test-kit/mcp/rounds-2026-07-28.ts'
import { openTestStore } from '../test-kit/store/open.ts'

const tenant = 'acme'
const person = { principal: 'local', groups: [] }
const approve = { action: 'accept', content: { decision: 'approve' } }
let store: Store
let close: () => Promise<void>

beforeAll(async () => {
  ;({ store, close } = await openTestStore())
})
afterAll(() => close())

type Parts = { [Part in 'asks' | 'steps' | 'grants']?: Partial<DurableStore[Part]> }

/** The store with some of its replies replaced. */
function withReplies(parts: Parts): DurableStore {
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

function callWith(
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
  test('[GATE-8] stores the approval when it is asked, for its own person only', async () => {
    await callWith(gated('On record', undefined, { waitMs: 70_000, useWithinMs: 30_000 }))()
    const [ask] = await asksThat('open', 'On record')
    expect(ask).toMatchObject({
      tenant,
      asker: { server: 'ops', tool: 'deploy' },
      principal: 'local',
      commentReaches: 'asker',
      approvalRule: { approvers: ['person:local'], excluded: [], approvals: 1, declines: 1 },
      useWithinMs: 30_000,
      state: { kind: 'open' },
    })
    expect(ask && ask.decideByMs - ask.raisedAtMs).toBe(70_000)
    expect(ask?.question).toMatchObject({ kind: 'approval', title: 'On record', action: { arguments: { env: 'x' } } })
  })

  test('[GATE-1] [GATE-8] its receipt has the grant of the store and its time', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    let receipt = ''
    const play = callWith(
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

  test.each<[string, (title: string) => (interaction: Interaction) => Promise<string>]>([
    [
      'asks something else in the next round',
      (title) => {
        let runs = 0
        return ({ gate }) => gate({ title, arguments: { run: runs++ } }, () => 'ran').then(({ value }) => value)
      },
    ],
    [
      'makes a mistake in the next round',
      (title) => {
        let runs = 0
        return async (interaction) => {
          if (++runs === 1) return gated(title)(interaction)
          await Promise.all([interaction.step('twice', () => 1), interaction.step('twice', () => 2)])
          return 'done'
        }
      },
    ],
  ])('[GATE-8] an approval of an earlier round is withdrawn when the handler %s', async (how, handler) => {
    const title = `Earlier: ${how}`
    const play = callWith(handler(title), store, { repeatWithinMs: 50, log: false })
    const { state } = await play()
    expect(await asksThat('open', title)).toHaveLength(1)
    await play({ state, answers: {} }).catch(() => undefined)
    expect(await asksThat('open', title)).toEqual([])
    expect((await asksThat('ended', title))[0]?.state).toMatchObject({ kind: 'withdrawn' })
  })

  test('[GATE-2] [GATE-8] an invalid answer closes it and withdraws the approval', async () => {
    const ran = vi.fn(() => 'ran')
    const play = callWith(gated('Malformed', ran))
    const { state } = await play()
    const { code, text } = await play({ state, answers: { 'ask-1': { action: 'yes' } } })
    expect(code).toBe('validation_failed')
    expect(text).toContain('The answer to "Malformed" is not valid: The action is accept, decline or cancel.')
    const [ask] = await asksThat('ended', 'Malformed')
    expect(ask?.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
    expect((await play({ state, answers: { 'ask-1': approve } })).code).toBe('validation_failed')
    expect(ran).not.toHaveBeenCalled()
  })

  test('[VOTE-7] a comment that looks like a secret is deleted once the handler has it', async () => {
    const comment = `ghp_${'a1B2'.repeat(9)}`
    let received: string | undefined
    const play = callWith(async ({ gate }) => {
      received = (await gate({ title: 'Secret', arguments: {} }, () => 1)).comment
      return ''
    })
    const { state } = await play()
    await play({ state, answers: { 'ask-1': { ...approve, _meta: answerMeta({ comment }) } } })
    expect(received).toBe(comment)
    const [ask] = await asksThat('ended', 'Secret')
    expect(ask?.state).toMatchObject({ kind: 'settled', deleted: { action: 'accept' } })
    expect(JSON.stringify(ask)).not.toContain(comment)

    const { raise, answer, withdraw } = withReplies({}).asks
    const older = callWith(gated('Older store'), { ...withReplies({}), asks: { raise, answer, withdraw } })
    const spoken = { ...approve, _meta: answerMeta({ comment }) }
    expect((await older({ state: (await older()).state, answers: { 'ask-1': spoken } })).text).toBe('ran')

    const deleteSecret = vi.fn(async () => undefined)
    const plain = callWith(gated('Plain'), withReplies({ asks: { deleteSecret } }))
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
  ])('[GATE-2] [GATE-4] stays closed if the store reports that %s', async (_, parts, words) => {
    const ran = vi.fn(() => 'ran')
    const play = callWith(gated('Closed', ran), withReplies(parts))
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    expect(code).toBe('grant_refused')
    expect(text).toContain(words)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-2] stays closed if the store reports an invalid answer without a reason', async () => {
    const play = callWith(gated('Unsaid'), withReplies({ asks: { answer: async () => ({ kind: 'malformed' }) } }))
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    expect(code).toBe('validation_failed')
    expect(text).toContain('it is not an answer to this question.')
  })

  test('[GATE-4] the grant is used for this action, for this person, by this call', async () => {
    const use = vi.fn(store.grants.use.bind(store.grants))
    const answer = vi.fn(store.asks.answer.bind(store.asks))
    const play = callWith(gated('Used'), withReplies({ grants: { use }, asks: { answer } }))
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
    ['has expired', { kind: 'expired', atMs: 1 }, 'timed_out', 'No person answered "Ended" in time.'],
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
  ])('[GATE-2] stays closed if the stored approval %s, whatever the client answered', async (_, state, code, words) => {
    const ran = vi.fn(() => 'ran')
    const play = callWith(gated('Ended', ran), withReplies({ asks: { answer: stateOf(state) } }))
    const round = await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    expect(round.code).toBe(code)
    expect(round.text).toContain(words)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-2] stays closed if the store did not store the answer', async () => {
    const play = callWith(gated('Ended'), withReplies({ asks: { answer: stateOf({ kind: 'open' }) } }))
    const { state } = await play()
    await expect(play({ state, answers: { 'ask-1': approve } })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'The answer to ask ask_9 was not stored.',
    })
  })

  test('[GATE-10] an approval that is too fast is withdrawn as unseen, unless an answer is recorded', async () => {
    const withdraw = vi.fn(store.asks.withdraw.bind(store.asks))
    // The clock stands still, so that every answer comes at once.
    const nowMs = Date.now()
    const settings = { unseenAfterMs: 9_000, nowMs: () => nowMs }
    const fast = callWith(gated('Fast'), withReplies({ asks: { withdraw } }), settings)
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
      const play = callWith(gated('Fast'), withReplies({ asks: { withdraw: said } }), settings)
      expect((await play({ state: (await play()).state, answers: { 'ask-1': approve } })).code).toBe(code)
    }
  })

  test('[WAIT-7] at its deadline the recorded answer counts; without one the approval is withdrawn', async () => {
    const settled = { kind: 'settled', answer: { action: 'accept' }, atMs: 1 }
    for (const [found, code] of [
      [{ kind: 'ended', ask: { id: 'ask_9', state: settled } as never }, 'grant_refused'],
      [{ kind: 'withdrawn' }, 'timed_out'],
    ] as const) {
      let nowMs = Date.now()
      const withdraw = vi.fn(async () => found)
      const durable = withReplies({ asks: { withdraw }, grants: { read: async () => undefined } })
      const play = callWith(gated('Late', undefined, { waitMs: 1_000 }), durable, { nowMs: () => nowMs })
      const { state } = await play()
      nowMs += 999
      expect((await play({ state })).state).toBeDefined()
      nowMs += 1
      expect((await play({ state, answers: { 'ask-1': approve } })).code).toBe(code)
      expect(withdraw).toHaveBeenCalledExactlyOnceWith(tenant, expect.stringMatching(/^ask_/), 'call-cancelled')
    }
  })

  test('[RUN-16] a failed round withdraws the approvals that it asked for', async () => {
    const play = callWith(async ({ gate, step }) => {
      for (let n = 0; n < 12; n++) await step(`big ${n}`, () => 'x'.repeat(15_000))
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

  test('[SDK-20] runs once, and its result is the same however often its answer is sent', async () => {
    const work = vi.fn(() => ({ n: work.mock.calls.length }))
    const play = callWith(stepping(work))
    const retry = { state: (await play()).state, answers: { 'ask-1': sure } }
    for (let n = 0; n < 3; n++) expect((await play(retry)).text).toBe('{"n":1}')
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-20] that has started and not finished is not started again, and the error has the start time', async () => {
    const work = vi.fn()
    const claim = async () => ({ kind: 'begun', atMs: Date.UTC(2026, 0, 2, 3, 4, 5) }) as const
    const play = callWith(stepping(work), withReplies({ steps: { claim } }))
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': sure } })
    expect(code).toBe('step_unclear')
    expect(text).toContain(
      'The step "work" was begun at 2026-01-02T03:04:05.000Z and has not finished: it is running elsewhere, or its ' +
        'process died in the middle. It is not run again. Look at what it changes, then start a new call if it is needed.',
    )
    expect(work).not.toHaveBeenCalled()
  })

  test('[SDK-20] whose result could not be stored is unclear', async () => {
    const play = callWith(
      stepping(() => 1),
      withReplies({ steps: { finish: async () => false } }),
    )
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': sure } })
    expect(code).toBe('step_unclear')
    expect(text).toContain('The step "work" was done, but its result could not be stored.')
  })

  test('[SDK-20] is claimed, finished and stored under its own name, in this call, by this process', async () => {
    const claim = vi.fn(store.steps.claim.bind(store.steps))
    const finish = vi.fn(store.steps.finish.bind(store.steps))
    const keep = vi.fn(store.steps.keep.bind(store.steps))
    const play = callWith(
      stepping(() => 'x'),
      withReplies({ steps: { claim, finish, keep } }),
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

  test('[SDK-33] a result that is too large for the state stays in the store, and is the same in every round', async () => {
    const large = 'x'.repeat(170_000)
    const work = vi.fn(() => large)
    const play = callWith(async ({ ask, step }) => {
      const result = await step('large', work)
      await ask.confirm('Sure?')
      return String(result === large)
    })
    const first = await play()
    expect(first.state?.length).toBeLessThan(5_000)
    expect((await play({ state: first.state, answers: { 'ask-1': sure } })).text).toBe('true')
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-36] is not recorded in the store if the handler waits, because no state could bring its call back', async () => {
    const unused = () => Promise.reject(new Error('not used'))
    const { interactive } = createAssent({
      store: withReplies({ steps: { claim: unused, finish: unused, keep: unused } }),
    })
    const handler = interactive<[], unknown, unknown>(async ({ step }) => step('work', () => 'done'))
    const surface: Surface = { name: 'client', refuses: () => undefined, put: unused }
    expect(await handler(onSurface(surface))).toEqual({ content: [{ type: 'text', text: 'done' }] })
  })

  test('[SDK-20] the first answer counts, with its comment, whatever is sent later', async () => {
    const play = callWith(async ({ ask }) => ask.text('Name?'))
    const { state } = await play()
    const no = { action: 'decline', _meta: answerMeta({ comment: 'not mine' }) }
    const first = await play({ state, answers: { 'ask-1': no } })
    expect(first.text).toContain('They wrote: not mine')
    const later = { action: 'accept', content: { text: 'Ada' } }
    expect(await play({ state, answers: { 'ask-1': later } })).toEqual(first)
  })
})
