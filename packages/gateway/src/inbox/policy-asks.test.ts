import { type ApprovalRequirement, type OneAskView, ruleOf } from '@assent/core'
import { expect } from 'vitest'
import { anApproval, ann, ben, onEachEngine, signIn, stoppedClock } from './inbox-env.suite.ts'

const oneOfOps: ApprovalRequirement = { anyOf: [[{ from: ['group:ops'], approvals: 1 }]], excluded: ['ann'] }
const draft = () => ({ ...anApproval([], 1), approvalRule: ruleOf([oneOfOps], 1) })
const accept = { action: 'accept' }

onEachEngine('[POLICY-31] the requester sees what is needed and has no answers to give', async ({ store, app }) => {
  const inbox = app()
  const { id } = await store.asks.raise(draft())
  const browser = await signIn(inbox, ann)

  const { ask } = (await (await browser.get(`/api/asks/${id}`)).json()) as OneAskView
  const answered = await browser.answer(id, accept)

  expect(ask).toMatchObject({ answers: [], buttons: [], quorum: { needs: '1 approval from ops (not from ann)' } })
  expect(await answered.json()).toMatchObject({
    code: 'refused',
    message: 'You cannot decide this. It needs 1 approval from ops (not from ann).',
  })
  expect((await store.asks.read('acme', id))?.state.kind).toBe('open')
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
