import type { IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { aCertificate } from '../../../../test-kit/certificate.ts'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { freePort } from '../../../../test-kit/listen.ts'
import { until } from '../../../../test-kit/until.ts'
import { clusterLimits, setLimits } from '../limits.ts'
import { readReply } from '../protocol/http.ts'
import { aRequest, keys } from './cluster.suite.ts'
import { ForwardSeals, sealHeader } from './forward-seal.ts'
import { aForwarder, aReceiver, forAnn } from './forwarder.suite.ts'
import { refuseForwarded } from './forwarder.ts'
import { PlainNetworks } from './plain-networks.ts'

const never = new AbortController().signal
const aGet = { method: 'GET', path: '/replica', headers: { accept: 'text/plain' }, body: '' }

beforeEach(() => {
  onTestFinished(setLimits(clusterLimits, { forwardLookMs: 10, peersAgainMs: 0, peersKeptMs: 0 }))
})

async function textOf(response: IncomingMessage | string): Promise<string> {
  return typeof response === 'string' ? `not sent: ${response}` : readReply(response)
}

describe('a request to another replica', () => {
  test('[FLEET-16] the receiver gets the request, sealed for it and for the person', async () => {
    const { forwarder } = aForwarder()
    const receiver = await aReceiver((_request, response) => response.writeHead(202).end('done'))
    const request = { ...aRequest, body: '{"name":"ü"}' }

    const response = await forwarder.send(receiver.to, forAnn, request, never)

    expect(response).toMatchObject({ statusCode: 202 })
    expect(await textOf(response)).toBe('done')
    const [received] = receiver.requests
    expect(received).toMatchObject({
      method: 'POST',
      path: '/mcp',
      body: request.body,
      headers: { ...request.headers, 'content-length': '13' },
    })
    const opened = new ForwardSeals(keys, 'b', Date.now).open(received?.headers[sealHeader], request)
    expect(opened).toEqual({ ok: true, forwarding: { ...forAnn, from: 'a', to: 'b' } })
  })

  test('[FLEET-16] a GET request has no body', async () => {
    const { forwarder } = aForwarder()
    const receiver = await aReceiver((_request, response) => response.end('b'))

    expect(await textOf(await forwarder.send(receiver.to, forAnn, { ...aGet, body: 'ignored' }, never))).toBe('b')

    expect(receiver.requests[0]).toMatchObject({ method: 'GET', path: '/replica', body: '' })
    expect(receiver.requests[0]?.headers).not.toHaveProperty('content-length')
    expect(receiver.requests[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  test('[FLEET-16] requests use one connection after another, and close ends it', async () => {
    const { forwarder } = aForwarder()
    const receiver = await aReceiver((_request, response) => response.end('b'))

    for (let turn = 0; turn < 3; turn++) await textOf(await forwarder.send(receiver.to, forAnn, aGet, never))
    expect(receiver.sockets).toHaveLength(1)
    forwarder.close()

    await until(() => (receiver.sockets[0]?.destroyed === true ? true : undefined))
  })

  test('[FLEET-16] a connection that is not used is closed after a while', async () => {
    onTestFinished(setLimits(clusterLimits, { idleMs: 30 }))
    const { forwarder } = aForwarder()
    const receiver = await aReceiver((_request, response) => response.end('b'))

    await textOf(await forwarder.send(receiver.to, forAnn, aGet, never))

    await until(() => (receiver.sockets[0]?.destroyed === true ? true : undefined))
  })
})

describe('a receiver that refuses', () => {
  test.each([
    ['refused', 'refused'],
    ['unknown', 'unknown'],
    ['something else', 'unknown'],
  ])('[FLEET-16] a refusal marked as %j is reported to the caller as %j', async (how, outcome) => {
    const { forwarder, failures } = aForwarder()
    const receiver = await aReceiver((_request, response) => refuseForwarded(response, how as 'refused'))

    expect(await forwarder.send(receiver.to, forAnn, aRequest, never)).toBe(outcome)
    expect(failures).toEqual([])
  })

  test('[FLEET-16] a refusal is marked as one of a request that was not run, unless stated', async () => {
    const receiver = await aReceiver((_request, response) => refuseForwarded(response))

    const response = await fetch(receiver.to.address)

    expect(response.status).toBe(421)
    expect(Object.fromEntries(response.headers)).toMatchObject({ [sealHeader]: 'refused', connection: 'close' })
  })

  test('[FLEET-17] status 421 of a server, without the mark, is a response', async () => {
    const { forwarder } = aForwarder()
    const receiver = await aReceiver((_request, response) => response.writeHead(421).end('of a server'))

    expect(await textOf(await forwarder.send(receiver.to, forAnn, aRequest, never))).toBe('of a server')
  })

  test('[FLEET-16] the connection can be used again after a refusal with a body', async () => {
    const { forwarder } = aForwarder()
    const receiver = await aReceiver((_request, response) =>
      response.writeHead(421, { [sealHeader]: 'refused' }).end('x'.repeat(100_000)),
    )

    for (let turn = 0; turn < 2; turn++) {
      await forwarder.send(receiver.to, forAnn, aRequest, never)
      await until(() => (receiver.sockets[0]?.writableLength === 0 ? true : undefined))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }

    expect(receiver.sockets).toHaveLength(1)
  })
})

describe('a receiver that cannot be reached', () => {
  const nowhere = async (id = 'b') => ({ id, address: `http://127.0.0.1:${await freePort()}` })

  test('[FLEET-16] where nothing listens the request is refused, and the reason is reported', async () => {
    const { forwarder, failures } = aForwarder()
    const to = await nowhere()

    expect(await forwarder.send(to, forAnn, aRequest, never)).toBe('refused')

    const reason = `connect ECONNREFUSED ${new URL(to.address).host}`
    expect(failures.map(({ message }) => message)).toEqual([
      `A request to the gateway at ${to.address} failed: ${reason}`,
    ])
    expect(failures[0]?.cause).toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('[FLEET-16] failures are reported at most every ten seconds for each replica', async () => {
    const { forwarder, failures } = aForwarder()
    const clock = { nowMs: 1_000_000 }
    const now = vi.spyOn(performance, 'now').mockImplementation(() => clock.nowMs)
    onTestFinished(() => void now.mockRestore())
    const [b, c] = [await nowhere('b'), await nowhere('c')]
    const fail = async (to: typeof b) => {
      await forwarder.send(to, forAnn, aRequest, never)
      return failures.length
    }

    expect([await fail(b), await fail(b), await fail(c), await fail(c)]).toEqual([1, 1, 2, 2])
    clock.nowMs += 9_999
    expect([await fail(b), await fail(c)]).toEqual([2, 2])
    clock.nowMs += 1
    expect([await fail(b), await fail(b), await fail(c)]).toEqual([3, 3, 4])
  })

  test('[FLEET-16] nothing is sent without TLS outside loopback and the stated networks', async () => {
    const { forwarder, failures } = aForwarder()

    expect(await forwarder.send({ id: 'b', address: 'http://198.51.100.7:7421' }, forAnn, aRequest, never)).toBe(
      'unreached',
    )
    expect(failures[0]?.message).toContain('http://198.51.100.7:7421 failed: Requests to this address need TLS.')
  })

  test('[FLEET-16] nothing is sent without TLS to a name that is resolved to an address outside them', async () => {
    const lookup = vi.fn((_host, _options, callback) => callback(new Error('Not in a stated network.'), '', 0))
    const { forwarder, failures } = aForwarder({ plain: { mayContain: () => true, lookup } as never })

    expect(await forwarder.send({ id: 'b', address: 'http://replica.internal' }, forAnn, aRequest, never)).toBe(
      'unreached',
    )
    expect(lookup).toHaveBeenCalledTimes(1)
    expect(failures[0]?.message).toContain('Not in a stated network.')
  })

  test('[FLEET-3] a request was not sent when the system refuses the connection at once', async () => {
    // Connecting to the broadcast address fails immediately, as on a machine without a network.
    const broadcast = '255.255.255.255'
    const { forwarder, failures } = aForwarder({ plain: new PlainNetworks([`${broadcast}/32`]) })

    expect(await forwarder.send({ id: 'b', address: `http://${broadcast}` }, forAnn, aRequest, never)).toBe('unreached')
    expect(failures[0]?.message).toMatch(/connect E[A-Z]+/)
  })

  test('[FLEET-12] a connection that takes too long to open is closed, and the request was not sent', async () => {
    onTestFinished(setLimits(clusterLimits, { connectMs: 20 }))
    const { forwarder, failures } = aForwarder({ plain: { mayContain: () => true, lookup: () => undefined } as never })

    expect(await forwarder.send({ id: 'b', address: 'http://replica.internal' }, forAnn, aRequest, never)).toBe(
      'unreached',
    )
    expect(failures[0]?.message).toContain('The connection could not be opened in time.')
  })

  test('[FLEET-12] a TLS handshake that takes too long is closed, and the request was not sent', async () => {
    onTestFinished(setLimits(clusterLimits, { connectMs: 50 }))
    const { url } = await listening(createTcpServer((socket) => closeAfterTest(() => void socket.destroy())))
    const { forwarder } = aForwarder()

    expect(await forwarder.send({ id: 'b', address: url.replace('http:', 'https:') }, forAnn, aRequest, never)).toBe(
      'unreached',
    )
  })

  test('[FLEET-12] the timeout for connecting does not end a request on an open connection', async () => {
    onTestFinished(setLimits(clusterLimits, { connectMs: 50 }))
    const { forwarder } = aForwarder()
    const receiver = await aReceiver((_request, response) => void setTimeout(() => response.end('slow'), 120))

    expect(await textOf(await forwarder.send(receiver.to, forAnn, aRequest, never))).toBe('slow')
  })

  test('[FLEET-3] whether a request ran is not known when its connection breaks, new or used before', async () => {
    const { forwarder, failures } = aForwarder()
    const receiver = await aReceiver(
      ({ url, socket }, response) => void (url === '/mcp' ? socket.destroy() : response.end()),
    )

    expect(await forwarder.send(receiver.to, forAnn, aRequest, never)).toBe('unknown')
    await textOf(await forwarder.send(receiver.to, forAnn, aGet, never))
    expect(await forwarder.send(receiver.to, forAnn, aRequest, never)).toBe('unknown')

    expect(receiver.sockets).toHaveLength(2)
    expect(failures.map(({ message }) => message)).toEqual([
      `A request to the gateway at ${receiver.to.address} failed: socket hang up`,
    ])
  })
})

describe('TLS', () => {
  async function aTlsReceiver() {
    const { ca, ...tls } = await aCertificate()
    const server = createTlsServer(tls, (request, response) => {
      request.resume()
      setTimeout(() => response.end('encrypted'), 80)
    })
    const { url } = await listening(server)
    return { ca, to: { id: 'b', address: url.replace('http:', 'https:') } }
  }

  test('[FLEET-16] a certificate of the stated authority is accepted', async () => {
    onTestFinished(setLimits(clusterLimits, { connectMs: 10_000 }))
    const { ca, to } = await aTlsReceiver()
    const { forwarder } = aForwarder({ ca })

    expect(await textOf(await forwarder.send(to, forAnn, aRequest, never))).toBe('encrypted')
  })

  test('[FLEET-16] a certificate of another authority is refused, and nothing is sent', async () => {
    const { to } = await aTlsReceiver()
    const { forwarder, failures } = aForwarder()

    expect(await forwarder.send(to, forAnn, aRequest, never)).toBe('unreached')
    expect(failures[0]?.message).toContain('certificate')
  })
})

describe('a request that ends early', () => {
  const silent = () => aReceiver(() => undefined)

  test('[FLEET-3] a request that the caller cancels ends, and is not reported as a failure', async () => {
    const { forwarder, failures } = aForwarder()
    const receiver = await silent()
    const cancelled = new AbortController()
    const sent = forwarder.send(receiver.to, forAnn, aRequest, cancelled.signal)
    await until(() => receiver.requests[0])

    cancelled.abort()

    expect(await sent).toBe('unknown')
    expect(failures).toEqual([])
  })

  test('[FLEET-4] a request ends when the lease of the receiver has ended', async () => {
    const { forwarder, store } = aForwarder()
    const receiver = await silent()
    const sent = forwarder.send(receiver.to, forAnn, aRequest, never)
    await until(() => receiver.requests[0])

    store.isDead = true

    expect(await sent).toBe('unknown')
  })

  test('[FLEET-20] a request continues while the store is unavailable', async () => {
    const { forwarder, store } = aForwarder()
    const receiver = await aReceiver((_request, response) => void setTimeout(() => response.end('done'), 100))
    store.isDead = undefined

    expect(await textOf(await forwarder.send(receiver.to, forAnn, aRequest, never))).toBe('done')
    expect(store.looks).toBeGreaterThan(1)
  })

  test('[FLEET-21] after a response the store is not asked about the receiver any more', async () => {
    const { forwarder, store } = aForwarder()
    const receiver = await aReceiver((_request, response) => response.end())
    await textOf(await forwarder.send(receiver.to, forAnn, aRequest, never))

    const before = store.looks
    await new Promise((resolve) => setTimeout(resolve, 60))

    expect(store.looks).toBe(before)
  })
})
