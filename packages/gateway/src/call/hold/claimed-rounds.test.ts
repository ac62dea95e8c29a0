import { randomBytes } from 'node:crypto'
import { createKeyRing } from '@assent/core'
import type { RoundKey, Store } from '@assent/store'
import { expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { until } from '../../../../../test-kit/until.ts'
import { Heartbeat } from '../../cluster/heartbeat.ts'
import type { RoutingState } from '../call-state.ts'
import { failed, unsent } from '../model.ts'
import type { RoundResult } from '../route/send-answers.ts'
import { ClaimedRounds } from './claimed-rounds.ts'
import { limited, openStore, pause } from './sample-calls.suite.ts'

const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
const name: RoundKey = { tenant: 'default', id: 'round 1', principal: 'ann' }
const longWait = { forMs: 60_000, signal: new AbortController().signal }
const shortWait = { ...longWait, forMs: 20 }

function aReplica(store: Store, replica: string, errors: unknown[] = []) {
  const heartbeat = new Heartbeat(store, replica, (error) => errors.push(error))
  closeAfterTest(() => heartbeat.close())
  return new ClaimedRounds(store, heartbeat, keys, { askWaitMs: 60_000 }, (error) => errors.push(error))
}

function finished(run: number): RoundResult {
  return { kind: 'finished', result: { run } }
}

/** Sends a round and counts how often. */
function counting(outcome: (run: number) => RoundResult | Promise<RoundResult> = finished) {
  const counted = { runs: 0, send: async () => outcome(++counted.runs) }
  return counted
}

test('[RUN-5] two replicas and several requests at the same moment send a round once and get one outcome', async () => {
  const store = await openStore()
  const replicas = [aReplica(store, 'a'), aReplica(store, 'b')]
  const round = counting(async (run) => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return finished(run)
  })

  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, n) => replicas[n % 2]?.run(name, longWait, round.send)),
  )

  expect(outcomes).toEqual(Array.from({ length: 8 }, () => finished(1)))
  expect(round.runs).toBe(1)
})

test('[RUN-5] the outcome is stored before it is returned', async () => {
  const store = await openStore()
  const finish = store.rounds.finish.bind(store.rounds)
  let isStored = false
  store.rounds.finish = async (...stored) => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    isStored = await finish(...stored)
    return isStored
  }

  await aReplica(store, 'a').run(name, longWait, counting().send)

  expect(isStored).toBe(true)
})

test('[RUN-5] a request waits for the owner as long as it can, and then runs nothing', async () => {
  const store = await openStore()
  const [a, b] = [aReplica(store, 'a'), aReplica(store, 'b')]
  const { promise, resolve } = Promise.withResolvers<RoundResult>()
  const round = counting(() => promise)
  const running = a.run(name, longWait, round.send)
  await until(() => (round.runs === 1 ? true : undefined))

  expect(await a.run(name, shortWait, round.send)).toBe('running')
  expect(await b.run(name, shortWait, round.send)).toBe('running')
  expect(await b.find(name, shortWait)).toBe('running')
  resolve(finished(1))
  expect(await running).toEqual(finished(1))
  expect(await b.find(name, shortWait)).toEqual(finished(1))
  expect(round.runs).toBe(1)
})

test('[RUN-7] a round of which nothing was sent is sent by the next request, at any replica', async () => {
  const store = await openStore()
  const nothing = unsent(-32_000, 'Connection refused.')
  const round = counting((run) => (run === 1 ? nothing : finished(run)))

  expect(await aReplica(store, 'a').run(name, longWait, round.send)).toEqual(nothing)
  expect(await aReplica(store, 'b').run(name, longWait, round.send)).toEqual(finished(2))
})

test('[RUN-7] a failure that may have come after sending is stored, and not sent again', async () => {
  const store = await openStore()
  const round = counting((run) => failed(-32_000, `Connection broke ${run}.`))
  const [a, b] = [aReplica(store, 'a'), aReplica(store, 'b')]

  expect(await a.run(name, longWait, round.send)).toEqual(failed(-32_000, 'Connection broke 1.'))
  expect(await b.run(name, longWait, round.send)).toEqual(failed(-32_000, 'Connection broke 1.'))
})

test('[RUN-8] a round that throws after it was claimed has an unknown outcome, and is not sent again', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const round = counting(() => Promise.reject(new Error('broken')))

  await expect(replica.run(name, longWait, round.send)).rejects.toThrow('broken')
  const again = await replica.run(name, longWait, round.send)

  expect(again).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('check before calling') } })
  expect(round.runs).toBe(1)
})

test('[RUN-12] a failed write of an outcome is repeated when the store is available, and nothing runs again', async () => {
  const store = await openStore()
  const finish = store.rounds.finish.bind(store.rounds)
  store.rounds.finish = () => Promise.reject(new Error('The store is unavailable.'))
  const [a, b] = [aReplica(store, 'a'), aReplica(store, 'b')]
  const round = counting()

  await expect(a.run(name, longWait, round.send)).rejects.toThrow('unavailable')
  await expect(a.run(name, longWait, round.send)).rejects.toThrow('unavailable')
  expect(await b.run(name, shortWait, round.send)).toBe('running')
  store.rounds.finish = finish

  expect(await a.run(name, longWait, round.send)).toEqual(finished(1))
  expect(await b.run(name, longWait, round.send)).toEqual(finished(1))
  expect(round.runs).toBe(1)
})

test('[RUN-12] requests that store the same outcome at the same moment, after one of them failed, all get it', async () => {
  const store = await openStore()
  const finish = store.rounds.finish.bind(store.rounds)
  let failures = 2
  store.rounds.finish = async (...stored) => {
    if (failures-- > 0) throw new Error('The store is unavailable.')
    return finish(...stored)
  }
  const replica = aReplica(store, 'a')
  const round = counting()
  await expect(replica.run(name, longWait, round.send)).rejects.toThrow('unavailable')

  const found = await Promise.allSettled([
    replica.find(name, shortWait),
    replica.find(name, shortWait),
    replica.find(name, shortWait),
  ])

  expect(found.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(found.slice(1)).toMatchObject([{ value: finished(1) }, { value: finished(1) }])
  expect(await replica.run(name, longWait, round.send)).toEqual(finished(1))
  expect(round.runs).toBe(1)
})

/** A claim request that the store applies, or will apply later, and reports as failed. */
async function failToClaim(store: Store, replica: ClaimedRounds, isApplied = true): Promise<void> {
  const claim = store.rounds.claim.bind(store.rounds)
  store.rounds.claim = async (...claimed) => {
    if (isApplied) await claim(...claimed)
    throw new Error('The connection broke.')
  }
  await expect(replica.run(name, longWait, counting().send)).rejects.toThrow('broke')
  store.rounds.claim = claim
}

test('[RUN-12] a replica uses its own claim after a failed claim request, because nothing was sent', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const round = counting()
  await failToClaim(store, replica)

  expect(await replica.run(name, longWait, round.send)).toEqual(finished(1))
})

test.each(['claim', 'read'] as const)(
  '[RUN-7] after a failed %s request a beat releases the claim, and another replica runs the round',
  async (failing) => {
    limited({ renewEveryMs: 20 })
    const store = await openStore()
    const [a, b] = [aReplica(store, 'a'), aReplica(store, 'b')]
    if (failing === 'claim') await failToClaim(store, a)
    else {
      await store.rounds.claim(name, 'a', 60_000)
      vi.spyOn(store.rounds, 'read').mockRejectedValueOnce(new Error('The connection broke.'))
      await expect(a.run(name, longWait, counting().send)).rejects.toThrow('broke')
    }
    const round = counting()

    await until(async () => ((await store.rounds.read(name)) === undefined ? true : undefined), 5_000)

    expect(await b.run(name, shortWait, round.send)).toEqual(finished(1))
    expect(await a.run(name, longWait, round.send)).toEqual(finished(1))
  },
)

test.each(['not retried', 'retried, with nothing sent'])(
  '[RUN-7] a claim that arrives after it was released is released again (the round was %s)',
  async (how) => {
    limited({ renewEveryMs: 20, recordSettlesMs: 400 })
    const store = await openStore()
    const [a, b] = [aReplica(store, 'a'), aReplica(store, 'b')]
    const release = vi.spyOn(store.rounds, 'release')
    await failToClaim(store, a, false)
    await until(() => (release.mock.calls.length === 1 ? true : undefined))
    if (how !== 'not retried') await a.run(name, longWait, async () => unsent(-32_000, 'Connection refused.'))
    await store.rounds.claim(name, 'a', 60_000)
    expect(await b.run(name, shortWait, counting().send)).toBe('running')

    await until(async () => ((await store.rounds.read(name)) === undefined ? true : undefined), 5_000)

    expect(await b.run(name, shortWait, counting().send)).toEqual(finished(1))
  },
)

test('[RUN-7] a claim is not released when a later request of its replica may have sent the round', async () => {
  limited({ renewEveryMs: 20, recordSettlesMs: 100 })
  const store = await openStore()
  const [a, b] = [aReplica(store, 'a'), aReplica(store, 'b')]
  const { promise, resolve } = Promise.withResolvers<RoundResult>()
  await failToClaim(store, a)
  const release = vi.spyOn(store.rounds, 'release')
  const running = a.run(name, longWait, () => promise)
  const finishing = vi.spyOn(store.rounds, 'finish').mockRejectedValue(new Error('The store is unavailable.'))
  await pause(200)
  expect(await b.run(name, shortWait, counting().send)).toBe('running')

  resolve(finished(1))
  await expect(running).rejects.toThrow('unavailable')
  await pause(200)
  expect(await b.run(name, shortWait, counting().send)).toBe('running')
  finishing.mockRestore()

  expect(await b.run(name, longWait, counting().send)).toEqual(finished(1))
  expect(release).not.toHaveBeenCalled()
})

test('[RUN-7] a replica sends nothing under a claim that a failed release may still delete', async () => {
  limited({ renewEveryMs: 20, recordSettlesMs: 400 })
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const release = vi.spyOn(store.rounds, 'release').mockRejectedValueOnce(new Error('The connection broke.'))
  const nothing = unsent(-32_000, 'Connection refused.')
  await expect(replica.run(name, longWait, async () => nothing)).rejects.toThrow('broke')
  const round = counting()

  await until(() => (release.mock.calls.length > 1 ? true : undefined))
  expect(await replica.run(name, shortWait, round.send)).toBe('running')
  expect(round.runs).toBe(0)

  expect(await replica.run(name, longWait, round.send)).toEqual(finished(1))
})

test('[RUN-12] an outcome that cannot be stored holds up no other one', async () => {
  limited({ renewEveryMs: 20 })
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const other = { ...name, id: 'round 2' }
  const finish = store.rounds.finish.bind(store.rounds)
  const finishing = vi.spyOn(store.rounds, 'finish').mockRejectedValue(new Error('The store is unavailable.'))
  for (const one of [name, other]) await expect(replica.run(one, longWait, counting().send)).rejects.toThrow()
  finishing.mockImplementation(async (...stored) => {
    if (stored[0].id === name.id) throw new Error('This row cannot be written.')
    return finish(...stored)
  })

  await until(async () => ((await store.rounds.read(other))?.kind === 'finished' ? true : undefined), 5_000)
})

test('[RUN-8] a claim of a dead replica is not taken over or reported as unknown before the owner could renew', async () => {
  limited({ leaseMs: 300, renewEveryMs: 50 })
  const store = await openStore()
  await store.rounds.claim(name, 'dead', 60_000)
  const replica = aReplica(store, 'a')
  const round = counting()

  expect(await replica.run(name, shortWait, round.send)).toBe('running')
  const unknown = await until(async () => {
    const found = await replica.run(name, shortWait, round.send)
    return found === 'running' ? undefined : found
  })

  expect(unknown).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('check before calling') } })
  expect(round.runs).toBe(0)
})

test('[RUN-17] a stored state that was changed, or moved to another round, is rejected', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const state: RoutingState = {
    server: 'deploy',
    inner: {},
    schemas: {},
    isPrefixed: false,
    wanted: {},
    onRecord: {},
    inInbox: {},
    copies: {},
    kept: {},
    waits: 0,
  }
  await replica.run(name, longWait, counting(() => state).send)
  expect(await replica.run(name, longWait, counting().send)).toEqual(state)
  const stored = await store.rounds.read(name)
  const text = stored?.kind === 'finished' ? stored.outcome : ''
  const forged = `p${JSON.stringify({ ...state, kept: { q: { result: { action: 'accept' } } } })}`

  for (const [n, outcome] of [text, `${text.slice(0, -4)}AAAA`, forged].entries()) {
    const other = { ...name, id: `other ${n}` }
    await store.rounds.claim(other, 'b', 60_000)
    await store.rounds.finish(other, 'b', outcome)
    const found = await replica.run(other, longWait, counting().send)
    expect(found).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('cannot be read') } })
  }
})

test('[RUN-17] stored questions that were changed, written without a seal, or moved to another round, are rejected', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const state = { server: 'deploy', inner: { state: 'secret' }, schemas: {}, isPrefixed: false }
  const asked = { kind: 'input-required', wanted: {}, state } as const
  await replica.run(name, longWait, counting(() => asked).send)
  expect(await replica.run(name, longWait, counting().send)).toEqual(asked)
  const stored = await store.rounds.read(name)
  const text = stored?.kind === 'finished' ? stored.outcome : ''
  expect(text).not.toContain('secret')

  const moved = [text, `p${text.slice(1)}`, `${text.slice(0, -4)}AAAA`, `o${JSON.stringify(asked)}`]
  for (const [n, outcome] of moved.entries()) {
    const other = { ...name, id: `other ${n}` }
    await store.rounds.claim(other, 'b', 60_000)
    await store.rounds.finish(other, 'b', outcome)
    const found = await replica.run(other, longWait, counting().send)
    expect(found).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('cannot be read') } })
  }
})

test('[RUN-17] the end of a held call is not stored: it is valid in one process only', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const state = { server: 'deploy', inner: {}, schemas: {}, isPrefixed: false }
  const held = { kind: 'input-required', wanted: {}, state, isStreamed: true, over: Promise.resolve() } as const

  await replica.run(name, longWait, counting(() => held).send)

  expect(await aReplica(store, 'b').run(name, longWait, counting().send)).toEqual({
    kind: 'input-required',
    wanted: {},
    state,
  })
})

test('[RUN-10] a state that is too large to store ends the call, and a retry sends nothing', async () => {
  const store = await openStore()
  const replica = aReplica(store, 'a')
  const inner = { state: 'x'.repeat(300_000) }
  const large = { server: 'deploy', inner, schemas: {}, isPrefixed: false, wanted: {}, onRecord: {} }
  const round = counting(() => ({ ...large, inInbox: {}, copies: {}, kept: {}, waits: 0 }))

  await replica.run(name, longWait, round.send)

  expect(await replica.run(name, longWait, round.send)).toMatchObject({ kind: 'failed' })
  expect(round.runs).toBe(1)
})
