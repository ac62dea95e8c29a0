import type { LiveReplica } from '@assent/store'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { clusterLimits } from '../limits.ts'
import { Peers, ranked } from './peers.ts'

const clock = { nowMs: 1_000_000 }

beforeEach(() => {
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock.nowMs)
  onTestFinished(() => void now.mockRestore())
})

function somePeers(live: LiveReplica[], own = 'a') {
  const state = { live, reads: 0, isSteady: true }
  const replicas = {
    live: async () => {
      state.reads += 1
      return state.live
    },
  }
  return { state, peers: new Peers(own, { replicas } as never, () => state.isSteady) }
}

const at = (id: string, address = `http://${id}`) => ({ id, address })
const advance = (ms: number) => {
  clock.nowMs += ms
}

test('[FLEET-16] only another replica that is alive and has an address is found', async () => {
  const { peers } = somePeers([at('a'), at('b'), at('c', '')])

  expect(await peers.find('b')).toEqual(at('b'))
  expect(await peers.find('a')).toBeUndefined()
  expect(await peers.find('c')).toBeUndefined()
  expect(await peers.find('d')).toBeUndefined()
})

test('[FLEET-16] the list is read once for many requests, and again soon for a replica that is missing in it', async () => {
  const { state, peers } = somePeers([at('a'), at('b')])
  await Promise.all([peers.find('b'), peers.find('b'), peers.before('x')])
  expect(state.reads).toBe(1)

  state.live = [at('a'), at('b'), at('c')]
  advance(clusterLimits.peersAgainMs)
  expect(await peers.find('c')).toEqual(at('c'))
  expect(state.reads).toBe(2)
})

test('[FLEET-16] after an outage of the store, a replica that was alive is still listed until this one is steady', async () => {
  const { state, peers } = somePeers([at('a'), at('b')])
  await peers.find('b')

  state.isSteady = false
  state.live = []
  advance(clusterLimits.peersKeptMs)
  expect(await peers.find('b')).toEqual(at('b'))
  state.isSteady = true
  advance(clusterLimits.peersKeptMs)
  expect(await peers.find('b')).toBeUndefined()
})

test('[FLEET-17] the order of the replicas of a key ends at this one', async () => {
  const all = ['a', 'b', 'c'].map((id) => at(id))
  const lists = await Promise.all(
    all.map(async ({ id }) => (await somePeers(all, id).peers.before('key')).map((one) => one.id)),
  )

  // The first replica is before no other, the second after the first, the third after both.
  expect(lists.map((list) => list.length).toSorted()).toEqual([0, 1, 2])
  const longest = lists.find((list) => list.length === 2) ?? []
  expect(lists.find((list) => list.length === 1)).toEqual(longest.slice(0, 1))
})

test('[FLEET-16] a replica is declared dead only by a steady one, and never while the store is unavailable', async () => {
  const { state, peers } = somePeers([at('a'), at('b')])
  expect(await peers.isDead('b')).toBe(false)

  state.live = [at('a')]
  state.isSteady = false
  advance(clusterLimits.peersAgainMs)
  expect(await peers.isDead('b')).toBe(false)
  state.isSteady = true
  advance(clusterLimits.peersAgainMs)
  expect(await peers.isDead('b')).toBe(true)

  const failing = { replicas: { live: () => Promise.reject(new Error('away')) } }
  await expect(new Peers('a', failing as never, () => true).isDead('b')).rejects.toThrow('away')
})

test('[FLEET-17] every replica computes the same owner of a key, keys are spread, and few move when one replica ends', async () => {
  const all = ['a', 'b', 'c', 'd'].map((id) => at(id))
  const keys = Array.from({ length: 400 }, (_, number) => `program ${number}`)
  const owners = async (live: LiveReplica[], own: string) => {
    const { peers } = somePeers(live, own)
    return Promise.all(keys.map(async (key) => (await peers.before(key))[0]?.id ?? own))
  }

  const [seenByA, seenByB] = [await owners(all, 'a'), await owners([...all].reverse(), 'b')]
  const afterwards = await owners(all.slice(0, 3), 'a')

  expect(seenByB).toEqual(seenByA)
  for (const { id } of all) expect(seenByA.filter((one) => one === id).length).toBeGreaterThan(60)
  // Only the keys of the replica that ended have moved.
  expect(afterwards.filter((owner, index) => owner !== seenByA[index]).length).toBe(
    seenByA.filter((one) => one === 'd').length,
  )
})

test('[FLEET-17] when a replica joins, only the keys that it owns move', async () => {
  const all = ['b', 'c', 'd'].map((id) => at(id))
  const keysOf = Array.from({ length: 300 }, (_, index) => `program ${index}`)
  const ownerOf = (replicas: LiveReplica[], key: string) => ranked(replicas, key)[0]?.id

  const moved = keysOf.filter((key) => ownerOf(all, key) !== ownerOf([...all, at('e')], key))

  expect(moved.every((key) => ownerOf([...all, at('e')], key) === 'e')).toBe(true)
  expect(moved.length).toBeGreaterThan(40)
  expect(moved.length).toBeLessThan(120)
})

test('[FLEET-17] a replica without an address owns no key', async () => {
  const { peers } = somePeers([at('b', '')])

  expect(await peers.before('x')).toEqual([])
})

test('[FLEET-5] a replica that leaves gets no requests, and it is not declared dead', async () => {
  const { peers } = somePeers([at('a'), at('b')])
  peers.leaves('b')

  expect(await peers.find('b')).toBeUndefined()
  expect(await peers.all()).toEqual([])
  expect(await peers.before('x')).toEqual([])
  expect(await peers.isDead('b')).toBe(false)
})

test('[FLEET-17] the order of the replicas of a key is that of their hashes, also in other versions of the gateway', () => {
  const all = ['a', 'b', 'c', 'd'].map((id) => at(id))

  expect(ranked(all, 'program 1').map(({ id }) => id)).toEqual(['d', 'c', 'b', 'a'])
  expect(ranked([...all].reverse(), 'program 1').map(({ id }) => id)).toEqual(['d', 'c', 'b', 'a'])
})

test('[FLEET-17] every replica of a key is listed where this one is not among them', async () => {
  const { peers } = somePeers([at('b'), at('c')])

  expect((await peers.before('x')).map(({ id }) => id).toSorted()).toEqual(['b', 'c'])
})

test('[FLEET-5] the other replicas that can be reached are listed without this one', async () => {
  const { state, peers } = somePeers([at('a'), at('b'), at('c', ''), at('d')])
  expect(await peers.all()).toEqual([at('b'), at('d')])

  state.live = [at('a')]
  advance(clusterLimits.peersAgainMs - 1)
  expect(await peers.all()).toHaveLength(2)
  advance(1)
  expect(await peers.all()).toEqual([])
})

test('[FLEET-21] the list is read again only when it is old, or a replica is missing in it', async () => {
  const { state, peers } = somePeers([at('a'), at('b')])
  const readsAfter = async (use: () => Promise<unknown>) => {
    await use()
    return state.reads
  }

  expect(await readsAfter(() => peers.find('a'))).toBe(0)
  expect(await readsAfter(() => peers.find('b'))).toBe(1)
  advance(clusterLimits.peersAgainMs)
  expect(await readsAfter(() => peers.find('b'))).toBe(1)
  expect(await readsAfter(() => peers.before('x'))).toBe(1)
  expect(await readsAfter(() => peers.find('c'))).toBe(2)
  advance(clusterLimits.peersKeptMs - 1)
  expect(await readsAfter(() => peers.before('x'))).toBe(2)
  expect(await readsAfter(() => peers.isDead('b'))).toBe(3)
  advance(clusterLimits.peersKeptMs)
  expect(await readsAfter(() => peers.find('b'))).toBe(4)
  advance(clusterLimits.peersKeptMs)
  expect(await readsAfter(() => peers.before('x'))).toBe(5)
})

test('[FLEET-16] the age of the list counts from when the read began', async () => {
  const { state, peers } = somePeers([at('a'), at('b')])
  const { promise, resolve } = Promise.withResolvers<LiveReplica[]>()
  const replicas = { live: () => promise }
  const slow = new Peers('a', { replicas } as never, () => true)
  const reading = slow.all()
  advance(clusterLimits.peersAgainMs)
  resolve(state.live)
  await reading
  await peers.all()

  replicas.live = async () => [at('a')]

  expect(await slow.all()).toEqual([])
})

test('[FLEET-16] after a failure of the store the list is read again at once', async () => {
  const { peers } = somePeers([at('a'), at('b')])
  const replicas = { live: () => Promise.reject<LiveReplica[]>(new Error('The store is unavailable.')) }
  const failing = new Peers('a', { replicas } as never, () => true)
  await expect(failing.find('b')).rejects.toThrow('unavailable')

  replicas.live = async () => [at('a'), at('b')]

  expect(await failing.find('b')).toEqual(await peers.find('b'))
})

test('[FLEET-16] a replica that is listed again after an outage has its new address, once', async () => {
  const { state, peers } = somePeers([at('a'), at('b'), at('c')])
  await peers.all()

  state.isSteady = false
  state.live = [at('a'), at('b', 'http://new')]
  advance(clusterLimits.peersAgainMs)

  expect(await peers.all()).toEqual([at('b', 'http://new'), at('c')])
})

test('[FLEET-5] an id that has left is deleted when its lease has ended', async () => {
  const { state, peers } = somePeers([at('a'), at('b')])
  peers.leaves('b')
  expect(await peers.all()).toEqual([])

  state.live = [at('a')]
  advance(clusterLimits.peersAgainMs)
  await peers.all()
  state.live = [at('a'), at('b')]
  advance(clusterLimits.peersAgainMs)

  expect(await peers.all()).toEqual([at('b')])
})
