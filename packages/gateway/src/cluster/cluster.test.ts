import { createServer } from 'node:http'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { aCertificate } from '../../../../test-kit/certificate.ts'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { freePort, listen } from '../../../../test-kit/listen.ts'
import { openTestStore, type TestStore } from '../../../../test-kit/store/open.ts'
import { until } from '../../../../test-kit/until.ts'
import { clusterLimits, relayLimits, setLimits } from '../limits.ts'
import { readReply } from '../protocol/http.ts'
import { aRequest } from './cluster.suite.ts'
import { Cluster, type ClusterParts, type ClusterSettings } from './cluster.ts'
import { forAnn } from './forwarder.suite.ts'
import { Heartbeat } from './heartbeat.ts'
import type { ForwardedIn, ListenerOptions } from './listener.ts'

const loopback = { listen: { host: '127.0.0.1', port: 0 } }
const never = new AbortController().signal

beforeEach(() => {
  onTestFinished(setLimits(clusterLimits, { peersAgainMs: 0, peersKeptMs: 0, leaveGraceMs: 0 }))
})

async function aStore(): Promise<TestStore> {
  const store = await openTestStore()
  closeAfterTest(store.close)
  return store
}

/** A replica on the store that has not joined yet. */
function aReplica(
  { store, keys }: TestStore,
  id: string,
  settings: ClusterSettings,
  changes: Partial<ClusterParts> = {},
) {
  const errors: Error[] = []
  const refused: string[] = []
  const state = { waits: 0, inProgress: [] as number[] }
  const onError = (error: unknown) => void errors.push(error as Error)
  const heartbeat = new Heartbeat(store, id, onError)
  closeAfterTest(() => heartbeat.close())
  const cluster = new Cluster({ settings, store, keys, tenant: 'default', heartbeat, onError, ...changes })
  closeAfterTest(() => cluster.close())
  const serve = async ({ response, by }: ForwardedIn) => {
    state.inProgress.push(cluster.inProgress)
    response.writeHead(200).end(`${id} serves ${by.principal}`)
  }
  const join = (
    listenAt: Parameters<Cluster['join']>[1] = (server) => listen(server),
    handlers: ListenerOptions['handlers'] = { '/mcp': serve },
  ) =>
    cluster.join(handlers, listenAt, {
      onRefused: (why) => refused.push(why),
      onWait: () => {
        state.waits += 1
      },
    })
  return { cluster, heartbeat, join, errors, refused, state }
}

async function addressOf({ store }: TestStore, id: string): Promise<string | undefined> {
  return (await store.replicas.live()).find((replica) => replica.id === id)?.address
}

describe('joining', () => {
  test.each(['0.0.0.0', '::', '::0', ''])(
    '[FLEET-18] a replica that listens on the wildcard "%s" needs an address',
    async (host) => {
      const store = await aStore()
      const { join } = aReplica(store, 'a', { listen: { host, port: 0 } })
      const listenAt = vi.fn()

      await expect(join(listenAt)).rejects.toThrow('cluster.address is required')

      expect(listenAt).not.toHaveBeenCalled()
      expect(await addressOf(store, 'a')).toBeUndefined()
    },
  )

  test('[FLEET-18] the only replica needs no address', async () => {
    const store = await aStore()
    const { cluster, join, state } = aReplica(store, 'a', {})
    const listenAt = vi.fn()

    await join(listenAt)

    expect(await addressOf(store, 'a')).toBe('')
    expect(listenAt).not.toHaveBeenCalled()
    expect([cluster.inProgress, state.waits]).toEqual([0, 0])
  })

  test('[FLEET-18] a replica is listed with the address at which it listens', async () => {
    const store = await aStore()
    const { join } = aReplica(store, 'a', loopback)
    let port = 0

    await join(async (server, at) => {
      expect(at).toEqual(loopback.listen)
      const listening = await listen(server)
      port = listening.port
      return listening
    })

    expect(await addressOf(store, 'a')).toBe(`http://127.0.0.1:${port}`)
  })

  test('[FLEET-18] a replica is listed with its configured address', async () => {
    const store = await aStore()
    const port = await freePort()
    const address = `http://localhost:${port}`
    const { join } = aReplica(store, 'a', { ...loopback, address })

    await join((server) => listen(server, port))

    expect(await addressOf(store, 'a')).toBe(address)
  })

  test('[FLEET-16] with a certificate its address is one with TLS', async () => {
    const store = await aStore()
    const { join } = aReplica(store, 'a', { ...loopback, tls: await aCertificate() })

    await join()

    expect(await addressOf(store, 'a')).toMatch(/^https:\/\/127\.0\.0\.1:[0-9]+$/)
  })

  test('[FLEET-16] a certificate of an authority that it does not trust is refused', async () => {
    const store = await aStore()
    const { ca: _own, ...tls } = await aCertificate()

    await expect(aReplica(store, 'a', { ...loopback, tls }).join()).rejects.toThrow('certificate')
    expect(await store.store.replicas.live()).toEqual([])
  })

  test.each([
    [new Error('The port is in use.'), 'The port is in use.'],
    ['no permission', 'no permission'],
  ])('[FLEET-18] a replica that cannot listen does not start (%s)', async (cause, reason) => {
    const store = await aStore()
    const { join } = aReplica(store, 'a', loopback)

    const error = await join(() => Promise.reject(cause)).catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({ message: `The gateway cannot listen at cluster.listen: ${reason}`, cause })
    expect(await store.store.replicas.live()).toEqual([])
  })
})

describe('a replica that does not reach itself', () => {
  async function joiningAt(address: string | undefined, host = '127.0.0.1') {
    const store = await aStore()
    const settings = { listen: { host, port: 0 }, ...(address === undefined ? {} : { address }) }
    const { join, errors } = aReplica(store, 'a', settings)
    let origin = ''
    const error = await join(async (server) => {
      const listening = await listen(server)
      origin = listening.origin
      return listening
    }).catch((thrown: Error) => thrown.message)
    // It has stopped listening, and is not listed.
    await expect(fetch(origin)).rejects.toThrow()
    expect(await store.store.replicas.live()).toEqual([])
    return { message: String(error), errors, port: new URL(origin).port }
  }

  test('[FLEET-18] it is refused when nothing listens at its address, with the reason', async () => {
    const address = `http://127.0.0.1:${await freePort()}`
    const { message, errors } = await joiningAt(address)

    expect(message).toContain(`This gateway does not reach itself at ${address}, so other gateways could not either.`)
    expect(message).toContain('Check cluster.address, its port and its certificate.')
    expect(message).toContain('ECONNREFUSED')
    expect(errors).toHaveLength(1)
  })

  test('[FLEET-18] it is refused when another program responds at its address', async () => {
    const { url } = await listening(createServer((_request, response) => void response.end('something else')))

    const { message } = await joiningAt(url)

    expect(message).toContain(`does not reach itself at ${url}`)
    expect(message).toContain('Another program responds there.')
  })

  test('[FLEET-18] it is refused when another replica responds at its address', async () => {
    const other = await aStore()
    const { join, refused } = aReplica(other, 'b', loopback)
    await join()

    const { message } = await joiningAt(await addressOf(other, 'b'))

    expect(message).toContain('Another program responds there.')
    expect(refused).toEqual(['forged'])
  })

  test('[FLEET-18] the address of an IPv6 host is in brackets', async () => {
    const { message, port } = await joiningAt(undefined, '2001:db8::1')

    expect(message).toContain(`does not reach itself at http://[2001:db8::1]:${port},`)
    expect(message).toContain('Requests to this address need TLS.')
  })
})

describe('other replicas on the same store', () => {
  beforeEach(() => {
    onTestFinished(setLimits(relayLimits, { leaseMs: 200, renewEveryMs: 40 }))
  })

  test.each([
    ['without an address', {}, 'Another gateway uses this database, and it could not reach this one.'],
    ['with an address', loopback, 'Another gateway that uses this database has no address'],
  ])('[FLEET-18] a replica %s does not start next to one without an address', async (_what, settings, reason) => {
    const store = await aStore()
    await store.store.replicas.renew('other', 60_000, '')
    const { join, state } = aReplica(store, 'a', settings)

    await expect(join()).rejects.toThrow(reason)

    expect(state.waits).toBe(1)
    expect((await store.store.replicas.live()).map(({ id }) => id)).toEqual(['other'])
  })

  test('[FLEET-18] a replica without an address does not start next to one with an address', async () => {
    const store = await aStore()
    await store.store.replicas.renew('other', 60_000, 'http://127.0.0.1:1')

    await expect(aReplica(store, 'a', {}).join()).rejects.toThrow('Set cluster.listen in every gateway')
  })

  test('[FLEET-18] replicas with addresses start next to each other at once', async () => {
    const store = await aStore()
    await aReplica(store, 'b', loopback).join()
    const { join, state } = aReplica(store, 'a', loopback)

    await join()

    expect(state.waits).toBe(0)
    expect(await store.store.replicas.live()).toHaveLength(2)
  })

  test('[FLEET-18] a replica starts when the lease of one that crashed has ended', async () => {
    const store = await aStore()
    await store.store.replicas.renew('other', relayLimits.leaseMs, '')
    const { join, state } = aReplica(store, 'a', loopback)

    await join()

    expect(state.waits).toBe(1)
    expect(await addressOf(store, 'other')).toBeUndefined()
  })

  test('[FLEET-18] of two replicas that start at the same time, one that could not reach the other stops', async () => {
    const store = await aStore()
    const { join, heartbeat, cluster } = aReplica(store, 'a', loopback)
    const announce = heartbeat.announce.bind(heartbeat)
    heartbeat.announce = async (address) => {
      await store.store.replicas.renew('other', 60_000, '')
      await announce(address)
    }

    await expect(join()).rejects.toThrow('has no address at which this one could reach it')

    const to = { id: 'a', address: (await addressOf(store, 'a')) ?? '' }
    expect(await cluster.forwarder.send(to, forAnn, aRequest, never)).toBe('refused')
  })
})

describe('replicas that have joined', () => {
  async function twoReplicas() {
    const store = await aStore()
    const [a, b] = [aReplica(store, 'a', loopback), aReplica(store, 'b', loopback)]
    await a.join()
    await b.join()
    const fromAToB = async () => {
      const to = await a.cluster.peers.find('b')
      if (to === undefined) return 'not found'
      const response = await a.cluster.forwarder.send(to, forAnn, aRequest, never)
      return typeof response === 'string' ? response : readReply(response)
    }
    return { store, a, b, fromAToB }
  }

  test('[FLEET-1] a request is served by the other replica, which counts it while it is in progress', async () => {
    const { b, fromAToB } = await twoReplicas()

    expect(await fromAToB()).toBe('b serves issuer#ann')

    expect(b.state.inProgress).toEqual([1])
    await until(() => (b.cluster.inProgress === 0 ? true : undefined))
    expect(b.refused).toEqual([])
  })

  test('[FLEET-16] a request with another tenant is refused and counted', async () => {
    const { a, b } = await twoReplicas()
    const to = await a.cluster.peers.find('b')
    if (to === undefined) throw new Error('Replica b is not listed.')

    expect(await a.cluster.forwarder.send(to, { ...forAnn, tenant: 'other' }, aRequest, never)).toBe('refused')
    expect(b.refused).toEqual(['misdirected'])
  })

  test('[FLEET-5] after a replica leaves, the others forward nothing to it, and it forwards to them', async () => {
    const { a, b, fromAToB } = await twoReplicas()

    await b.cluster.leave()

    expect(await fromAToB()).toBe('not found')
    expect(await b.cluster.peers.find('a')).toBeDefined()
    expect([a.errors, b.errors]).toEqual([[], []])
  })

  test('[FLEET-5] a replica that leaves waits for requests that were sent before', async () => {
    onTestFinished(setLimits(clusterLimits, { leaveGraceMs: 50 }))
    const { b } = await twoReplicas()
    const startedAt = performance.now()

    await b.cluster.leave()

    expect(performance.now() - startedAt).toBeGreaterThan(45)
  })

  test('[FLEET-5] leaving does not wait where no other replica forwards requests', async () => {
    onTestFinished(setLimits(clusterLimits, { leaveGraceMs: 60_000 }))
    const store = await aStore()
    const only = aReplica(store, 'a', loopback)
    await only.join()
    await only.cluster.leave()

    const without = aReplica(await aStore(), 'a', {})
    await without.join()
    const all = vi.spyOn(without.cluster.peers, 'all')
    await without.cluster.leave()
    expect(all).not.toHaveBeenCalled()
  })

  test('[FLEET-5] leaving ends in time when another replica does not respond, or the store is unavailable', async () => {
    onTestFinished(setLimits(clusterLimits, { leaveMs: 50 }))
    const store = await aStore()
    const { cluster, join } = aReplica(store, 'a', loopback)
    await join()
    const { url } = await listening(() => undefined)
    await store.store.replicas.renew('hanging', 60_000, url)
    await store.store.replicas.renew('gone', 60_000, `http://127.0.0.1:${await freePort()}`)

    await cluster.leave()

    vi.spyOn(cluster.peers, 'all').mockRejectedValue(new Error('The store is unavailable.'))
    await cluster.leave()
  })

  test('[FLEET-5] a replica that is closed serves nothing', async () => {
    const { b, fromAToB } = await twoReplicas()

    b.cluster.close()

    expect(await fromAToB()).toBe('refused')
  })
})
