import type { Surface } from '@assent/core'
import { expect, test } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import type { RelayState } from '../call-state.ts'
import type { CallLayer } from '../layers.ts'
import { type Answers, failed, type NeedsInput, type Outcome } from '../model.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import { Shutdown } from '../shutdown.ts'
import { Routing, type RoutingSettings } from './routing.ts'
import { callOf, form, openRounds, settings } from './sample-rounds.suite.ts'
import type { RoundClaims } from './send-answers.ts'

const state: RelayState = { server: 'deploy', inner: null, schemas: { one: true }, isPrefixed: false }
const asked: NeedsInput<RelayState> = { kind: 'input-required', wanted: { one: form('One?') }, state }
const done: Outcome<RelayState> = { kind: 'finished', result: { content: [] } }
const showsForms = callOf({ client: { info: {}, declared: { elicitation: {} }, capabilities: {} } })
const noClaims: RoundClaims = { find: async () => undefined, run: (_name, _wait, send) => send() }

async function routed(changes: Partial<RoutingSettings>) {
  const rounds = await openRounds()
  const sent: Answers[] = []
  const below: CallLayer = {
    start: async () => asked,
    refuse: async () => failed(0, 'Not used here.'),
    continue: async (_call, _state, given) => {
      sent.push(given)
      return done
    },
  }
  const asking = new OpenAskLimits({ isEnabled: true, askWaitMs: settings.askWaitMs })
  const all = { ...settings, unseenAfterMs: 300, ...changes }
  const routing = new Routing(rounds.store, all, asking, new Shutdown(), noClaims)
  return { ...rounds, sent, exchange: routing.through(below, { forMs: 60_000, canRetry: false }) }
}

test('[ROUTE-1] [ROUTE-3] a question that the client cannot show is answered in the inbox, and the call continues', async () => {
  const { exchange, open, answer, sent } = await routed({})
  const calling = exchange.start(callOf())
  const [ask] = await until(async () => ((await open()).length > 0 ? open() : undefined))
  await answer(ask?.id)

  expect(await calling).toEqual(done)
  expect(sent).toEqual([{ one: { result: { action: 'accept', content: {} } } }])
})

test('[ROUTE-2] an answer of the client that no person can have given moves the question to the inbox', async () => {
  const { exchange, open, answer, sent } = await routed({})
  const first = await exchange.start(showsForms)
  if (first.kind !== 'input-required') throw new Error('The client was not asked.')
  expect(Object.keys(first.wanted)).toEqual(['one'])

  const given = { result: { action: 'accept', content: {} } }
  const calling = exchange.continue(showsForms, first.state, { one: { given, afterMs: 5 } })
  const [ask] = await until(async () => ((await open()).length > 0 ? open() : undefined))
  expect(sent).toEqual([])
  await answer(ask?.id, { action: 'decline' })

  expect(await calling).toEqual(done)
  expect(sent).toEqual([{ one: { result: { action: 'decline' } } }])
})

test('[SERVER-6] a reload while the inbox is asked first applies: the client is then not asked', async () => {
  let surfaces: readonly Surface[] = ['inbox', 'client']
  const { exchange, open, answer } = await routed({ silentAfterMs: 500, surfacesOf: () => surfaces })
  const calling = exchange.start(showsForms)
  const [ask] = await until(async () => ((await open()).length > 0 ? open() : undefined))
  surfaces = ['inbox']
  // Longer than `silentAfterMs`.
  const early = await Promise.race([calling, new Promise((resolve) => setTimeout(resolve, 1_500, 'waiting'))])
  expect(early).toBe('waiting')
  await answer(ask?.id)

  expect(await calling).toEqual(done)
})

test('[ROUTE-11] with the inbox first, the client is asked too after the silence', async () => {
  const { exchange } = await routed({ surfaces: ['inbox', 'client'], silentAfterMs: 100 })

  const outcome = await exchange.start(showsForms)

  expect(outcome).toMatchObject({ kind: 'input-required', wanted: { one: { message: 'One?' } } })
})
