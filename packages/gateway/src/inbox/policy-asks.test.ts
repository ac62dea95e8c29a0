import { type ApprovalRequirement, type OneAskView, ruleOf } from '@assent/core'
import { expect } from 'vitest'
import {
  aDecisionId,
  anApproval,
  anAsk,
  ann,
  type Browser,
  ben,
  onEachEngine,
  signIn,
  stoppedClock,
} from './inbox-env.suite.ts'

const oneOfOps: ApprovalRequirement = { anyOf: [[{ from: ['group:ops'], approvals: 1 }]], excluded: ['ann'] }
const draft = () => ({ ...anApproval([], 1), approvalRule: ruleOf([oneOfOps], 1) })
const accept = { action: 'accept' }
const needing = { needsPresence: true } as const

onEachEngine('[POLICY-31] the requester sees what is needed and has no answers to give', async ({ store, app }) => {
  const inbox = app()
  const { id } = await store.asks.raise(draft())
  const browser = await signIn(inbox, ann)

  const { ask } = (await (await browser.get(`/api/asks/${id}`)).json()) as OneAskView
  const answered = await browser.answer(id, accept)

  expect(ask).toMatchObject({ answers: [], buttons: [], quorum: { needs: '1 approval from ops (not from you)' } })
  expect(await answered.json()).toMatchObject({
    code: 'refused',
    message: 'You cannot decide this. It needs 1 approval from ops (not from you).',
  })
  expect((await store.asks.read('acme', id))?.state.kind).toBe('open')
})

onEachEngine('[POLICY-22] an approval by several people names all of them', async ({ store, app }) => {
  const twoOfOps = { ...oneOfOps, anyOf: [[{ from: ['group:ops'] as const, approvals: 2 }]] }
  const inbox = app()
  const { id } = await store.asks.raise({ ...draft(), approvalRule: ruleOf([twoOfOps], 1) })
  const requester = await signIn(inbox, ann)
  const what = async (browser: typeof requester) => {
    const { ask } = (await (await browser.get(`/api/asks/${id}`)).json()) as OneAskView
    return ask.state.kind === 'settled' ? ask.state.what : ask.state.kind
  }
  const first = await signIn(inbox, ben)
  const second = await signIn(inbox, { principal: 'cleo', groups: ['ops'] })

  await first.answer(id, accept)
  expect(await what(requester)).toBe('open')
  await second.answer(id, accept)

  expect(await what(requester)).toBe('ben and cleo approved this')
  expect(await what(second)).toBe('You and ben approved this')
})

const clock = stoppedClock()

onEachEngine(
  '[POLICY-42] a vote counts for a group only if the group was confirmed in the last 15 minutes',
  async ({ store, app }) => {
    const inbox = app({ now: clock })
    const { id } = await store.asks.raise({ ...draft(), decideWithinMs: 7_200_000 })
    const earlier = await signIn(inbox, ben)
    clock.advance(15 * 60_000 + 1)

    const refused = await (await earlier.answer(id, accept)).json()
    expect(refused).toMatchObject({ code: 'refused', message: expect.stringContaining('Sign out, sign in again') })
    expect((await store.asks.read('acme', id))?.state.kind).toBe('open')

    const now = await signIn(inbox, ben)
    expect(await (await now.answer(id, accept)).json()).toMatchObject({ result: 'settled' })
  },
  { clock },
)

onEachEngine(
  '[INBOX-3] [INBOX-4] a person whose groups were confirmed too long ago gets the outcome of an ask that has ended',
  async ({ store, app }) => {
    const inbox = app({ now: clock })
    const [first, expired] = [await store.asks.raise(draft()), await store.asks.raise(draft())]
    const [winner, late] = [await signIn(inbox, ben), await signIn(inbox, { principal: 'cleo', groups: ['ops'] })]
    const decisionId = aDecisionId()
    await winner.answer(first.id, accept, decisionId)
    clock.advance(15 * 60_000 + 1)
    const fresh = await signIn(inbox, ben)
    const second = await store.asks.raise(draft())
    // The inbox remembers this one as open.
    await late.get('/api/asks')
    await fresh.answer(second.id, accept)

    expect(await (await winner.answer(first.id, accept, decisionId)).json()).toMatchObject({ result: 'settled' })
    for (const id of [first.id, second.id]) {
      expect(await (await late.answer(id, accept)).json()).toMatchObject({
        code: 'ended',
        message: expect.stringContaining('ben approved this'),
      })
    }
    expect(await (await late.answer(expired.id, accept)).json()).toMatchObject({ code: 'ended' })
    const stranger = await signIn(inbox, { principal: 'dora', groups: ['other'] })
    expect((await stranger.answer(first.id, accept)).status).toBe(404)
  },
  { clock },
)

onEachEngine(
  '[POLICY-42] [PRESENCE-11] a person is not asked for their passkey for an answer that would be refused',
  async ({ store, app }) => {
    const inbox = app({ now: clock })
    const { id } = await store.asks.raise({ ...draft(), ...needing, decideWithinMs: 7_200_000 })
    const start = async (browser: Browser) =>
      (await browser.post(`/api/asks/${id}/presence`, { answer: accept })).json() as Promise<unknown>
    const [requester, earlier] = [await signIn(inbox, ann), await signIn(inbox, ben)]
    clock.advance(15 * 60_000 + 1)

    expect(await start(requester)).toMatchObject({ message: expect.stringContaining('You cannot decide this.') })
    expect(await start(earlier)).toMatchObject({ message: expect.stringContaining('Sign out, sign in again') })
    // It may decide, so that the next thing it needs is a passkey.
    expect(await start(await signIn(inbox, ben))).toMatchObject({ code: 'presence' })

    const url = 'https://user@bank.example/'
    const unsafe = await store.asks.raise(anAsk({ question: { kind: 'url', message: 'Sign in', url }, ...needing }))
    const refused = await requester.post(`/api/asks/${unsafe.id}/presence`, { answer: accept })
    expect(await refused.json()).toMatchObject({ code: 'refused' })
  },
  { clock },
)
