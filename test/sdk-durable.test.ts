// The promises of the SDK with a store, tested with the real store on both engines.

import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import {
  type AssentSettings,
  createAssent,
  type DurableStore,
  type Interaction,
  onSurface,
  type Surface,
  sdkLimits,
} from '@assent/sdk'
import { openPostgres, openSqlite, type Store } from '@assent/store'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { contextOf, type Retry, type Round, roundOf } from '../test-kit/mcp/rounds-2026-07-28.ts'
import { newSchema } from '../test-kit/postgres.ts'
import { removeFolder } from '../test-kit/remove-folder.ts'

const ring = createKeyRing([{ id: 'k1', secret: randomBytes(32) }])
const local = { principal: 'local', groups: [] }
const accept = { action: 'accept' }
const approve = { action: 'accept', content: { decision: 'approve' } }

describe.each(['PostgreSQL', 'SQLite'] as const)('%s', (engine) => {
  // Two stores, as of two replicas.
  const stores: Store[] = []
  let tidy: () => Promise<void> = async () => undefined

  beforeAll(async () => {
    if (engine === 'SQLite') {
      const folder = await mkdtemp(join(tmpdir(), 'assent-'))
      for (let n = 0; n < 2; n++) stores.push(await openSqlite(join(folder, 'assent.db'), { keys: ring }))
      tidy = () => removeFolder(folder)
      return
    }
    const { url, schema, drop } = await newSchema()
    for (let n = 0; n < 2; n++) stores.push(await openPostgres(url, { keys: ring, schema, connections: 4 }))
    tidy = drop
  })

  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await tidy()
  })

  /** The same handler on two replicas that share a database and keys. */
  function replicas(handler: (interaction: Interaction) => Promise<string>, settings: AssentSettings = {}) {
    const keys = [{ id: 'k1', secret: randomBytes(32) }]
    return stores.map((store): ((retry?: Retry) => Promise<Round>) => {
      // Assigned as the interface, so that this line fails to compile when the store no longer has its shape.
      const durable: DurableStore = store
      const { interactive } = createAssent({
        name: 'ops',
        keys,
        store: durable,
        tenant: 'acme',
        unseenAfterMs: 0,
        ...settings,
      })
      const wrapped = interactive<[], unknown, unknown>(handler, { name: 'deploy' })
      return async (retry = {}) => roundOf(await wrapped(contextOf(retry)))
    }) as [(retry?: Retry) => Promise<Round>, (retry?: Retry) => Promise<Round>]
  }

  test('[SDK-20] a step runs once although its answer is sent again several times, to both replicas', async () => {
    const work = vi.fn(() => ({ id: work.mock.calls.length }))
    const [here, there] = replicas(async ({ ask, step }) => {
      const name = await ask.text('Name?')
      const { id } = await step('work', work)
      return `${name} ${id}`
    })
    const { state } = await here()
    const retry = { state, answers: { 'ask-1': { ...accept, content: { text: 'Ada' } } } }
    for (const replica of [here, there, here, there]) expect((await replica(retry)).text).toBe('Ada 1')
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-20] the first answer counts, whatever is sent later with the same state', async () => {
    const [here, there] = replicas(async ({ ask }) => ask.text('Name?'))
    const { state } = await here()
    const saying = (text: string) => ({ state, answers: { 'ask-1': { ...accept, content: { text } } } })
    expect((await there(saying('first'))).text).toBe('first')
    expect((await here(saying('second'))).text).toBe('first')
    expect((await here({ state, answers: { 'ask-1': { action: 'decline' } } })).text).toBe('first')
  })

  test('[SDK-20] [SDK-32] of concurrent retries one runs the step, and the others wait for its result', async () => {
    const work = vi.fn(() => new Promise((resolve) => setTimeout(() => resolve('done'), 100)))
    const [here, there] = replicas(async ({ ask, step }) => {
      await ask.confirm('Sure?')
      return String(await step('work', work))
    })
    const { state } = await here()
    const retry = { state, answers: { 'ask-1': { ...accept, content: { confirmed: true } } } }
    const all = await Promise.all([here, there, here, there, here].map((replica) => replica(retry)))
    expect(work).toHaveBeenCalledTimes(1)
    expect(all.map(({ text }) => text)).toEqual(Array.from({ length: 5 }, () => 'done'))
  })

  test('[SDK-20] a failed step is not retried, and returns the same error on the other replica', async () => {
    const work = vi.fn(() => Promise.reject(new Error('no space')))
    const [here, there] = replicas(async ({ ask, step }) => {
      await ask.confirm('Sure?')
      return step('work', work).catch((error: Error) => error.message)
    })
    const { state } = await here()
    const retry = { state, answers: { 'ask-1': { ...accept, content: { confirmed: true } } } }
    for (const replica of [here, there]) expect((await replica(retry)).text).toBe('no space')
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[GATE-4] [GATE-8] an approval opens its gate once on all replicas, and all its transitions are recorded', async () => {
    const work = vi.fn(() => 'ran')
    const [here, there] = replicas(
      async ({ gate }) => (await gate({ title: 'Deploy', arguments: { env: 'x' } }, work)).value,
    )
    const { state } = await here()
    const retry = { state, answers: { 'ask-1': approve } }
    for (const replica of [there, here, there]) expect((await replica(retry)).text).toBe('ran')
    expect(work).toHaveBeenCalledTimes(1)
    const kinds: string[] = []
    for await (const { kind } of (stores[0] as Store).audit.entries('acme')) kinds.push(kind)
    expect(kinds).toEqual(['ask.raised', 'ask.settled', 'grant.used'])
  })

  test('[GATE-10] an approval that is too fast is recorded as unseen, and no later answer opens its gate', async () => {
    const work = vi.fn(() => 'ran')
    let nowMs = Date.now()
    const [here, there] = replicas(
      async ({ gate }) => (await gate({ title: 'Wipe', arguments: { env: 'x' } }, work)).value,
      { unseenAfterMs: 2_500, nowMs: () => nowMs },
    )
    const { state } = await here()
    const retry = { state, answers: { 'ask-1': approve } }
    expect((await there(retry)).code).toBe('unseen')
    nowMs += 2_600
    expect((await here(retry)).code).toBe('unseen')
    expect(work).not.toHaveBeenCalled()
    const person = { principal: 'local', groups: [] }
    const { asks } = await (stores[0] as Store).inbox.page({ tenant: 'acme', person, show: 'ended' })
    expect(asks.map(({ state }) => state)).toContainEqual(expect.objectContaining({ reason: 'unseen' }))
  })

  test('[GATE-2] [GATE-8] a no stays a no, also when a yes is sent later with the same state', async () => {
    const work = vi.fn(() => 'ran')
    const [here, there] = replicas(async ({ gate }) => (await gate({ title: 'Deploy', arguments: {} }, work)).value)
    const { state } = await here()
    expect((await here({ state, answers: { 'ask-1': { action: 'decline' } } })).code).toBe('declined')
    expect((await there({ state, answers: { 'ask-1': approve } })).code).toBe('declined')
    expect(work).not.toHaveBeenCalled()
  })

  test('[GATE-2] [STORE-36] an approval beyond the limit of open asks is not shown, and its caller gets the reason', async () => {
    const work = vi.fn(() => 'ran')
    const { asks } = await (stores[0] as Store).inbox.page({ tenant: 'acme', person: local, show: 'open' })
    const most = { openAsks: { perCaller: asks.length + 1 } }
    const [here, there] = replicas(
      async ({ gate }) => (await gate({ title: 'Deploy', arguments: {} }, work)).value,
      most,
    )
    const { state } = await here()
    const refused = await there()
    expect(refused).toMatchObject({ questions: {}, state: undefined, code: 'limit_exceeded' })
    expect(refused.text).toMatch(/You may have .* open at once.* This question was not asked/)
    expect(work).not.toHaveBeenCalled()
    expect((await there({ state, answers: { 'ask-1': approve } })).text).toBe('ran')
    expect((await here()).state).toBeDefined()
  })

  test('[GATE-2] nothing runs while the store is unavailable', async () => {
    const work = vi.fn(() => 'ran')
    const store = stores[0] as Store
    const failing = (part: object, name: string) =>
      new Proxy(part, {
        get: (target, key) =>
          key === name
            ? () => Promise.reject(new Error('away'))
            : (Reflect.get(target, key) as () => unknown).bind(target),
      })
    for (const [part, name] of [
      ['asks', 'raise'],
      ['asks', 'answer'],
      ['steps', 'claim'],
      ['grants', 'read'],
      ['grants', 'use'],
    ] as const) {
      const broken = { asks: store.asks, steps: store.steps, grants: store.grants, [part]: failing(store[part], name) }
      const { interactive } = createAssent({ store: broken as DurableStore, tenant: 'acme', unseenAfterMs: 0 })
      const wrapped = interactive<[], unknown, unknown>(
        async ({ gate }) => (await gate({ title: 'Deploy', arguments: {} }, work)).value,
        { name: 'deploy' },
      )
      const play = async (retry: Retry) => roundOf(await wrapped(contextOf(retry)))
      const first = await play({}).catch(() => undefined)
      if (first !== undefined) {
        const second = await play({ state: first.state, answers: { 'ask-1': approve } }).catch(
          (error: Error) => error.message,
        )
        expect(second).toContain('away')
      }
    }
    expect(work).not.toHaveBeenCalled()
  })

  test('[RUN-16] approvals that a round requested are withdrawn when the round fails', async () => {
    const [store] = stores
    const open = async () => (await store?.inbox.page({ tenant: 'acme', person: local, show: 'open' }))?.asks ?? []
    const before = (await open()).length
    const pay = { title: 'Pay', arguments: { to: 'Ann' } }
    let round = 0
    // A handler that asks something else the second time; two approvals at once, one of which cannot be asked.
    const [diverging] = replicas(
      async ({ gate }) => (await gate({ ...pay, title: `Pay ${++round}` }, () => 'paid')).value,
    )
    const [overfull] = replicas(async ({ gate, ask }) => {
      const asks = Array.from({ length: 20 }, (_, n) => ask.text(`Question ${n}?`))
      await Promise.all([gate(pay, () => 'paid'), ...asks])
      return 'done'
    })

    const first = await diverging()
    expect(await open()).toHaveLength(before + 1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const stopped = diverging({ state: first.state })
    await vi.advanceTimersByTimeAsync(sdkLimits.repeatWithinMs)
    vi.useRealTimers()
    expect((await stopped).code).toBe('out_of_order')
    // The one of the first round too: its call has failed.
    expect(await open()).toHaveLength(before)
    await overfull().catch(() => undefined)
    expect(await open()).toHaveLength(before)
  })

  describe('a gate whose timeout passes', () => {
    const work = vi.fn(() => 'ran')
    const gatedFor =
      (waitMs: number) =>
      async ({ gate }: Interaction) =>
        (await gate({ title: 'In time', arguments: { env: 'x' }, waitMs }, work)).value
    const open = async () => {
      const { asks } = await (stores[0] as Store).inbox.page({ tenant: 'acme', person: local, show: 'open' })
      return asks.find(({ question }) => question.kind === 'approval' && question.title === 'In time')
    }
    const answers = async (action: 'accept' | 'decline' | undefined) => {
      if (action === undefined) return
      const ask = await vi.waitUntil(open, { timeout: 60_000 })
      const { asks } = stores[0] as Store
      const id = ask?.id ?? ''
      await asks.answer({ tenant: 'acme', id, person: local, via: 'inbox', answer: { action } })
    }

    test.each([
      { action: 'accept', text: 'ran', code: undefined, runs: 1 },
      { action: 'decline', text: expect.any(String), code: 'declined', runs: 0 },
      { action: undefined, text: expect.any(String), code: 'timed_out', runs: 0 },
    ] as const)('[WAIT-7] uses the recorded answer: $action', async ({ action, text, code, runs }) => {
      // With an answer: long enough to record it in time.
      const waitMs = action === undefined ? 1_000 : 6_000
      const gated = gatedFor(waitMs)

      // A handler that waits on a surface without an answer.
      work.mockClear()
      const surface: Surface = { name: 'client', refuses: () => undefined, put: () => new Promise(() => undefined) }
      const { interactive } = createAssent({ name: 'ops', store: stores[0] as Store, tenant: 'acme' })
      const waiting = interactive<[], unknown, unknown>(gated, { name: 'deploy' })(onSurface(surface))
      await answers(action)
      expect(roundOf(await waiting)).toMatchObject({ text, code })
      expect(work).toHaveBeenCalledTimes(runs)

      // A handler that runs again, whose caller retries too late and without an answer.
      work.mockClear()
      const [here, there] = replicas(gated)
      const { state } = await here()
      await answers(action)
      await new Promise((resolve) => setTimeout(resolve, waitMs + 50))
      expect(await there({ state })).toMatchObject({ text, code })
      expect(work).toHaveBeenCalledTimes(runs)
    })
  })
})
