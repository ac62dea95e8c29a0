// Comments of approvers that look like secrets: where several people decide, the store keeps only their digests.

import type { Ask, JsonObject } from '@assent/core'
import { expect, test } from 'vitest'
import { givenOf, raiseAsk } from '../route/inbox-asks.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { aGate, allowAll, needsInput, type PolicyChanges, ran, refusedText } from './sample-gate.suite.ts'

const twoWithReasons: PolicyChanges = {
  name: 'release',
  effect: { ask: { ask: '2 of group:release', reason: 'required' } },
}
const secret = 'refund goes to card 4111 1111 1111 1111'

/** A call about which Ben and then Cleo decide; Cleo's answer decides. */
async function decidedBy(...answers: readonly JsonObject[]) {
  const { gated, store, server } = await aGate([allowAll, twoWithReasons])
  const asked = needsInput(await gated.start(callOf()))
  const wanted = asked.wanted.approval
  const id = (wanted && (await raiseAsk(store, callOf(), wanted, { server: 'ops', waitMs: 60_000 }))) ?? ''
  for (const [at, answer] of answers.entries()) {
    const person = { principal: at === 0 ? 'ben' : 'cleo', groups: ['release'] }
    await store.asks.answer({ tenant: 'default', id, person, via: 'inbox', answer })
  }
  const given = givenOf((await store.asks.read('default', id)) as Ask)
  return { outcome: await gated.continue(callOf(), asked.state, { approval: given }), given, server }
}

const reason: JsonObject = { action: 'accept', comment: 'The tests pass.' }

test('[POLICY-47] an approval by several people counts if the last reason was deleted because it looks like a secret', async () => {
  const { outcome, given, server } = await decidedBy(reason, { action: 'accept', comment: secret })

  expect(given).toMatchObject({ approval: { by: 'cleo' } })
  expect(JSON.stringify(given)).not.toContain('4111')
  expect(outcome).toEqual(ran)
  expect(server.runs()).toBe(1)
})

test('[POLICY-32] so does a decline, without its reason', async () => {
  const { outcome, server } = await decidedBy(reason, { action: 'decline', comment: secret })

  expect(refusedText(outcome)).toBe('cleo declined this call. Nothing ran.')
  expect(server.runs()).toBe(0)
})
