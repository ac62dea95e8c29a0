import { getEventListeners, once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { freePort } from '../../../../test-kit/listen.ts'
import { until } from '../../../../test-kit/until.ts'
import { clusterLimits, setLimits } from '../limits.ts'
import { aRequest } from './cluster.suite.ts'
import { aForwarder, aReceiver, forAnn } from './forwarder.suite.ts'
import { refuseForwarded, type Until } from './forwarder.ts'

beforeEach(() => {
  onTestFinished(setLimits(clusterLimits, { forwardLookMs: 10, peersAgainMs: 0, peersKeptMs: 0 }))
})

/** A replica that passes every request on to another one, and the outcome of each. */
async function aPassingReplica(respond: RequestListener, changes: Partial<Until> = {}) {
  const { forwarder, store, failures } = aForwarder()
  const receiver = await aReceiver(respond)
  const stop = new AbortController()
  const outcomes: string[] = []
  const responses: ServerResponse[] = []
  const state = { to: receiver.to, hasLeft: false }
  const { url } = await listening(async (_request, response) => {
    responses.push(response)
    if (state.hasLeft) response.destroy()
    const listeners = response.listenerCount('close')
    const until = { signal: stop.signal, isStream: false, ...changes }
    const outcome = await forwarder.pass(state.to, forAnn, aRequest, response, until)
    outcomes.push(outcome)
    if (outcome === 'served') return
    expect(response.listenerCount('close')).toBe(listeners)
    response.writeHead(503).end(outcome)
  })
  return { url, receiver, state, stop, outcomes, responses, store, failures }
}

/** The client's side of a response, as it arrives. */
async function request(url: string) {
  const sending = httpRequest(url, { agent: false }).end()
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  const received = { text: '', end: undefined as 'complete' | 'broken' | undefined }
  response
    .setEncoding('utf8')
    .on('data', (chunk: string) => {
      received.text += chunk
    })
    .on('error', () => undefined)
    .on('close', () => {
      received.end = response.complete ? 'complete' : 'broken'
    })
  return { response, received, ended: () => until(() => received.end) }
}

const begun = (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(200).write('begun')

describe('a response that is passed on', () => {
  test('[FLEET-1] the client gets the status, the body and only the headers that it needs', async () => {
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'mcp-session-id': 's',
      'retry-after': '7',
      'x-accel-buffering': 'no',
    }
    const { url, outcomes } = await aPassingReplica((_request, response) =>
      response.writeHead(207, { ...headers, 'set-cookie': 'a=b', 'x-other': '1' }).end('body'),
    )

    const { response, received, ended } = await request(url)
    await ended()

    expect(response.statusCode).toBe(207)
    expect(response.headers).toMatchObject(headers)
    expect(response.headers).not.toHaveProperty('set-cookie')
    expect(response.headers).not.toHaveProperty('x-other')
    expect(received).toEqual({ text: 'body', end: 'complete' })
    await until(() => outcomes[0])
    expect(outcomes).toEqual(['served'])
  })

  test('[FLEET-1] the length of the body is passed on', async () => {
    const { url } = await aPassingReplica((_request, response) =>
      response.writeHead(200, { 'content-length': 4 }).end('body'),
    )

    expect((await request(url)).response.headers).toMatchObject({ 'content-length': '4' })
  })

  test('[FLEET-1] the client gets the headers and each part as soon as the other replica sends them', async () => {
    const held: ServerResponse[] = []
    const { url } = await aPassingReplica((_request, response) => {
      response.writeHead(200).flushHeaders()
      held.push(response)
    })

    const { received, ended } = await request(url)
    held[0]?.write('first')
    await until(() => (received.text === 'first' ? true : undefined))
    held[0]?.end('second')

    expect(await ended()).toBe('complete')
    expect(received.text).toBe('firstsecond')
  })

  test('[FLEET-21] after the response nothing of it is left at the sender', async () => {
    const { url, stop, outcomes, store } = await aPassingReplica((_request, response) => response.end('body'))
    await (await request(url)).ended()
    await until(() => outcomes[0])

    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
    const before = store.looks
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(store.looks).toBe(before)
  })
})

describe('a request that is not served', () => {
  test.each(['refused', 'unknown'] as const)('[FLEET-16] nothing is written when it was %s', async (how) => {
    const { url } = await aPassingReplica((_request, response) => refuseForwarded(response, how))

    const { response, received, ended } = await request(url)
    await ended()

    expect([response.statusCode, received.text]).toEqual([503, how])
  })

  test('[FLEET-16] nothing is written when nothing listens at the address', async () => {
    const { url, state, failures } = await aPassingReplica(begun)
    state.to = { id: 'b', address: `http://127.0.0.1:${await freePort()}` }

    const { response, received, ended } = await request(url)
    await ended()

    expect([response.statusCode, received.text, failures.length]).toEqual([503, 'refused', 1])
  })
})

describe('a connection that closes', () => {
  test('[FLEET-13] when the client disconnects during the response, the other replica notices', async () => {
    const { url, receiver, outcomes } = await aPassingReplica(begun)
    const { response, received } = await request(url)
    await until(() => (received.text === 'begun' ? true : undefined))

    response.destroy()

    await until(() => (receiver.sockets[0]?.destroyed === true ? true : undefined))
    await until(() => outcomes[0])
    expect(outcomes).toEqual(['served'])
  })

  test('[FLEET-13] when the client disconnects before the response, the other replica notices', async () => {
    const { url, receiver, outcomes, failures } = await aPassingReplica(() => undefined)
    const sending = httpRequest(url, { agent: false }).on('error', () => undefined)
    sending.end()
    await until(() => receiver.requests[0])

    sending.destroy()

    await until(() => (receiver.sockets[0]?.destroyed === true ? true : undefined))
    await until(() => outcomes[0])
    expect([outcomes, failures]).toEqual([['served'], []])
  })

  test('[FLEET-13] for a client that has disconnected before, nothing is sent', async () => {
    const { url, receiver, state, outcomes, failures } = await aPassingReplica(begun)
    state.hasLeft = true

    const sending = httpRequest(url, { agent: false }).on('error', () => undefined)
    sending.end()
    await until(() => outcomes[0])

    expect([outcomes, failures, receiver.requests]).toEqual([['served'], [], []])
  })

  test('[FLEET-13] when the other replica breaks off its response, the client notices', async () => {
    const { url, receiver, outcomes } = await aPassingReplica(begun)
    const { received, ended } = await request(url)
    await until(() => (received.text === 'begun' ? true : undefined))

    receiver.sockets[0]?.destroy()

    expect(await ended()).toBe('broken')
    await until(() => outcomes[0])
    expect(outcomes).toEqual(['served'])
  })

  test('[FLEET-4] when the lease of the other replica has ended, the client notices', async () => {
    const { url, store } = await aPassingReplica(begun)
    const { received, ended } = await request(url)
    await until(() => (received.text === 'begun' ? true : undefined))

    store.isDead = true

    expect(await ended()).toBe('broken')
  })
})

describe('a sender that stops', () => {
  test.each([
    ['a stream ends cleanly', true, 'complete'],
    ['a call breaks off', false, 'broken'],
  ] as const)('[FLEET-5] %s, and the other replica notices', async (_what, isStream, end) => {
    const { url, receiver, stop, outcomes } = await aPassingReplica(begun, { isStream })
    const { received, ended } = await request(url)
    await until(() => (received.text === 'begun' ? true : undefined))

    stop.abort()

    expect(await ended()).toBe(end)
    await until(() => (receiver.sockets[0]?.destroyed === true ? true : undefined))
    await until(() => outcomes[0])
    expect(outcomes).toEqual(['served'])
  })

  test('[FLEET-5] a stream that is opened after that ends at once', async () => {
    const { url, stop } = await aPassingReplica(begun, { isStream: true })
    stop.abort()

    expect(await (await request(url)).ended()).toBe('complete')
  })
})
