import { expect, test } from 'vitest'
import { openSqlite } from '../store.ts'
import { minuteMs, noon, testKeys } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const step = { tenant: 'acme', callId: 'call_1', name: 'deploy' }
const mine = { ...step, owner: 'a', keepMs: minuteMs }
const theirs = { ...mine, owner: 'b' }

onEachEngine('[STORE-17] of concurrent claims of a step in several processes, one succeeds', async ({ open }) => {
  const stores = await Promise.all([open(), open()])

  const claims = await Promise.all(
    Array.from({ length: 40 }, (_, index) => stores[index % 2]?.steps.claim({ ...mine, owner: `owner-${index}` })),
  )

  expect(claims.filter((claim) => claim?.kind === 'yours')).toHaveLength(1)
  expect(claims.filter((claim) => claim?.kind === 'begun')).toHaveLength(39)
})

onEachEngine('[STORE-17] the owner stores the outcome once, and later claims return it', async ({ open }) => {
  const store = await open({ clock: stoppedClock() })
  expect(await store.steps.claim(mine)).toEqual({ kind: 'yours' })
  expect(await store.steps.claim(theirs)).toEqual({ kind: 'begun', atMs: noon })

  expect(await store.steps.finish({ ...step, owner: 'b', outcome: 'theirs' })).toBe(false)
  expect(await store.steps.finish({ ...step, owner: 'a', outcome: 'mine' })).toBe(true)
  expect(await store.steps.finish({ ...step, owner: 'a', outcome: 'again' })).toBe(false)

  expect(await store.steps.claim(theirs)).toEqual({ kind: 'finished', outcome: 'mine' })
  expect(await store.steps.claim(mine)).toEqual({ kind: 'finished', outcome: 'mine' })
})

onEachEngine(
  '[STORE-17] a step that has not finished is taken over once, and then has the new owner',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    await store.steps.claim(mine)
    clock.advance(1)
    const takeOver = (owner: string, begunAtMs: number) => store.steps.takeOver({ ...step, owner, begunAtMs })
    expect(await takeOver('b', noon - 1)).toBe(false)
    expect([await takeOver('b', noon), await takeOver('c', noon)]).toEqual([true, false])
    expect(await store.steps.claim(mine)).toEqual({ kind: 'begun', atMs: noon + 1 })
    expect(await store.steps.finish({ ...step, owner: 'a', outcome: 'old' })).toBe(false)
    expect(await store.steps.finish({ ...step, owner: 'b', outcome: 'new' })).toBe(true)
    expect(await takeOver('c', noon + 1)).toBe(false)
  },
)

onEachEngine('[STORE-17] of two outcomes stored directly, the first is returned to both', async ({ open }) => {
  const stores = await Promise.all([open(), open()])

  const kept = await Promise.all(
    Array.from({ length: 20 }, (_, index) => stores[index % 2]?.steps.keep({ ...mine, outcome: `answer ${index}` })),
  )

  expect(new Set(kept).size).toBe(1)
  expect(kept[0]).toMatch(/^answer \d+$/)
})

onEachEngine('[STORE-17] another step, call or tenant is another step', async ({ open }) => {
  const store = await open()
  for (const other of [{}, { name: 'x' }, { callId: 'call_2' }, { tenant: 'umbrella' }]) {
    expect(await store.steps.claim({ ...mine, ...other })).toEqual({ kind: 'yours' })
  }
})

onEachEngine('[STORE-13] [STORE-17] steps are deleted when all states of their call have expired', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await store.steps.claim(mine)

  clock.advance(minuteMs + 24 * 60 * minuteMs)
  expect(await store.sweep()).toMatchObject({ deleted: 0 })
  clock.advance(1)
  expect(await store.sweep()).toMatchObject({ deleted: 1 })
})

test('[STORE-46] a store in memory works, and each one is its own', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => openSqlite(':memory:', { keys: testKeys })))
  const claim = { tenant: 't', callId: 'c', name: 'build', owner: 'o', keepMs: 60_000 }
  expect(await one?.steps.claim(claim)).toMatchObject({ kind: 'yours' })
  expect(await other?.steps.claim(claim)).toMatchObject({ kind: 'yours' })
  expect(await one?.steps.claim({ ...claim, owner: 'p' })).toMatchObject({ kind: 'begun' })
  await one?.close()
  await other?.close()
})
