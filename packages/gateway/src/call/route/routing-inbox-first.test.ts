// Routing with the inbox first: the client is asked after a silence.
import type { Surface } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { asking, done, routed, showsForms, stateIn } from './sample-routing.suite.ts'

const inboxFirst = { surfaces: ['inbox', 'client'] } as const

test('[SERVER-6] a reload while the inbox is asked first applies: the client is then not asked', async () => {
  let surfaces: readonly Surface[] = inboxFirst.surfaces
  const { exchange, firstAsk, answer, store } = await routed([asking(), done], {
    settings: { silentAfterMs: 50, surfacesOf: () => surfaces },
  })
  const raise = store.asks.raise.bind(store.asks)
  vi.spyOn(store.asks, 'raise').mockImplementation((draft) => {
    surfaces = ['inbox']
    return raise(draft)
  })
  const calling = exchange.start(showsForms)
  const id = await firstAsk()
  // Longer than `silentAfterMs`.
  const early = await Promise.race([calling, new Promise((resolve) => setTimeout(resolve, 150, 'waiting'))])
  expect(early).toBe('waiting')
  await answer(id)

  expect(await calling).toEqual(done)
})

test('[ROUTE-11] with the inbox first, the client is asked too after the silence, and both copies stay open', async () => {
  const { exchange, open } = await routed([asking()], { settings: { ...inboxFirst, silentAfterMs: 50 } })
  const outcome = await exchange.start(showsForms)

  expect(outcome).toMatchObject({ kind: 'input-required', wanted: { one: { message: 'One?' } } })
  expect((await open()).map(({ id }) => id)).toEqual(Object.values(stateIn(outcome).copies))
})

test('[ROUTE-11] a caller whose time ends before the silence has to retry, and is not asked', async () => {
  const { exchange } = await routed([asking()], {
    settings: { ...inboxFirst, silentAfterMs: 5_000 },
    wait: { forMs: 20, canRetry: true },
  })
  expect(await exchange.start(showsForms)).toMatchObject({ wanted: {}, state: { waits: 1, copies: {} } })
})

test('[ROUTE-11] an answer in the inbox before the silence is sent, and a caller without time is not asked', async () => {
  const patientCaller = await routed([asking(), done], { settings: { ...inboxFirst, silentAfterMs: 5_000 } })
  const calling = patientCaller.exchange.start(showsForms)
  await patientCaller.answer(await patientCaller.firstAsk(), { action: 'decline' })
  expect(await calling).toEqual(done)

  const settings = { ...inboxFirst, silentAfterMs: 0 }
  const { exchange } = await routed([asking()], { settings, wait: { forMs: 0, canRetry: true } })
  expect(await exchange.start(showsForms)).toMatchObject({ wanted: {}, state: { waits: 1, copies: {} } })
})

test('[FLEET-5] a caller that is sent to another replica is not asked here', async () => {
  const { exchange, shutdown, firstAsk } = await routed([asking()], {
    settings: { ...inboxFirst, silentAfterMs: 5_000 },
    wait: { forMs: 60_000, canRetry: true, goesAt: 'draining' },
  })
  const calling = exchange.start(showsForms)
  await firstAsk()
  shutdown.enter('draining')

  expect(await calling).toMatchObject({ wanted: {}, state: { waits: 1, copies: {} } })
})
