// How the gates of the SDK handle replies of the store, with the real store on SQLite.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { answerMeta } from '@assent/core'
import { type AssentSettings, type DurableStore, type Interaction, verifyReceipt } from '@assent/sdk'
import type { Store } from '@assent/store'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openTestStore } from '../test-kit/store/open.ts'
import { callsOn, type Replies, withReplies } from './sdk-on-store.ts'

const tenant = 'acme'
const person = { principal: 'local', groups: [] }
const keys = [{ id: 'k1', secret: randomBytes(32) }]
const approve = { action: 'accept', content: { decision: 'approve' } }
let store: Store
let close: () => Promise<void>

beforeAll(async () => {
  ;({ store, close } = await openTestStore())
})
afterAll(() => close())

const replying = (replies: Replies) => withReplies(store, replies)
const callWith = (
  handler: (interaction: Interaction) => Promise<string>,
  durable: DurableStore = store,
  settings: AssentSettings = {},
) => callsOn(durable, handler, settings)

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

  test('[RUN-16] a round that finds its step running elsewhere leaves the approval open for the other one', async () => {
    const title = 'Waiting elsewhere'
    const handler = async ({ ask, gate, step }: Interaction) => {
      const waiting = gate({ title, arguments: {} }, () => 'ran')
      const named = async () => {
        await ask.text('Name?')
        return step('build', () => 'built')
      }
      const [{ value }] = await Promise.all([waiting, named()])
      return value
    }
    const { state } = await callWith(handler, store, { keys })()
    const claim = async () => ({ kind: 'begun', atMs: 5 }) as const
    const retry = { state, answers: { 'ask-2': { action: 'accept', content: { text: 'Ada' } } } }
    const duplicate = callWith(handler, replying({ steps: { claim } }), { keys, log: false })
    expect((await duplicate(retry)).code).toBe('step_unclear')
    const running = await callWith(handler, store, { keys })(retry)
    const last = await callWith(handler, store, { keys })({ state: running.state, answers: { 'ask-1': approve } })
    expect(last.text).toBe('ran')
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

    const { raise, answer, withdraw } = replying({}).asks
    const older = callWith(gated('Older store'), { ...replying({}), asks: { raise, answer, withdraw } })
    const spoken = { ...approve, _meta: answerMeta({ comment }) }
    expect((await older({ state: (await older()).state, answers: { 'ask-1': spoken } })).text).toBe('ran')

    const deleteSecret = vi.fn(async () => undefined)
    const plain = callWith(gated('Plain'), replying({ asks: { deleteSecret } }))
    await plain({ state: (await plain()).state, answers: { 'ask-1': approve } })
    expect(deleteSecret).not.toHaveBeenCalled()
  })

  test.each<[string, Replies, string]>([
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
    const play = callWith(gated('Closed', ran), replying(parts))
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    expect(code).toBe('grant_refused')
    expect(text).toContain(words)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-2] stays closed if the store reports an invalid answer without a reason', async () => {
    const play = callWith(gated('Unsaid'), replying({ asks: { answer: async () => ({ kind: 'malformed' }) } }))
    const { code, text } = await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    expect(code).toBe('validation_failed')
    expect(text).toContain('it is not an answer to this question.')
  })

  test('[GATE-4] the grant is used for this action, for this person, by this call', async () => {
    const use = vi.fn(store.grants.use.bind(store.grants))
    const answer = vi.fn(store.asks.answer.bind(store.asks))
    const play = callWith(gated('Used'), replying({ grants: { use }, asks: { answer } }))
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
    const play = callWith(gated('Ended', ran), replying({ asks: { answer: stateOf(state) } }))
    const round = await play({ state: (await play()).state, answers: { 'ask-1': approve } })
    expect(round.code).toBe(code)
    expect(round.text).toContain(words)
    expect(ran).not.toHaveBeenCalled()
  })

  test('[GATE-2] stays closed if the store did not store the answer', async () => {
    const play = callWith(gated('Ended'), replying({ asks: { answer: stateOf({ kind: 'open' }) } }))
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
    const fast = callWith(gated('Fast'), replying({ asks: { withdraw } }), settings)
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
      const play = callWith(gated('Fast'), replying({ asks: { withdraw: said } }), settings)
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
      const durable = replying({ asks: { withdraw }, grants: { read: async () => undefined } })
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
      const invalid = async () => step('', () => 1)
      const [{ value }] = await Promise.all([gate({ title: 'Failed round', arguments: {} }, () => 'ran'), invalid()])
      return value
    })
    await expect(play()).rejects.toMatchObject({ code: 'misconfigured' })
    const [ask] = await asksThat('ended', 'Failed round')
    expect(ask?.state).toMatchObject({ kind: 'withdrawn', reason: 'call-cancelled' })
  })
})
