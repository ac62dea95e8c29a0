import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aCertificate } from '../../../../test-kit/certificate.ts'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { listen } from '../../../../test-kit/listen.ts'
import { until } from '../../../../test-kit/until.ts'
import { clusterLimits, programLimits, protocolLimits, setLimits } from '../limits.ts'
import { aForwarding, aRequest, keys, sealOf, sendRaw } from './cluster.suite.ts'
import { ownPath, sealHeader } from './forward-seal.ts'
import { ClusterListener, type ForwardedIn, type ListenerOptions } from './listener.ts'

/** The listener of replica b, which records what it serves and refuses. */
async function aListener(changes: Partial<ListenerOptions> = {}) {
  const received: Pick<ForwardedIn, 'by' | 'body'>[] = []
  const refused: string[] = []
  const errors: unknown[] = []
  const clock = { nowMs: Date.now() }
  const serve = async ({ by, body, response }: ForwardedIn) => {
    received.push({ by, body })
    response.writeHead(200).end('served')
  }
  const listener = new ClusterListener({
    replica: 'b',
    tenant: 'default',
    keys,
    nowMs: () => clock.nowMs,
    handlers: { '/mcp': serve },
    onRefused: (why) => refused.push(why),
    onError: (error) => errors.push(error),
    ...changes,
  })
  const { origin: url, port } = await listen(listener.server)
  closeAfterTest(() => listener.close())
  return { listener, url, port, received, refused, errors, clock }
}

const refusedAs = (how: 'refused' | 'unknown') => ({
  status: 421,
  headers: { [sealHeader]: how, connection: 'close' },
  body: '',
})

describe('requests that are served', () => {
  test('[FLEET-16] a handler gets the body, and who forwarded it for whom', async () => {
    const { url, received, refused } = await aListener()

    expect(await sendRaw(url, aRequest, sealOf(aRequest))).toMatchObject({ status: 200, body: 'served' })

    expect(received).toEqual([{ by: aForwarding, body: aRequest.body }])
    expect(refused).toEqual([])
  })

  test('[FLEET-16] the headers of the connection need no seal', async () => {
    const { url } = await aListener()
    const connection = { connection: 'keep-alive', 'keep-alive': 'timeout=5', host: 'other' }
    const sent = (headers: Record<string, string>) => {
      const request = { ...aRequest, headers: { ...aRequest.headers, ...connection, ...headers } }
      return sendRaw(url, request, sealOf(aRequest))
    }

    expect((await sent({ 'transfer-encoding': 'chunked' })).status).toBe(200)
    expect((await sent({ 'content-length': String(aRequest.body.length) })).status).toBe(200)
  })

  test('[FLEET-16] a seal may contain hundreds of groups', async () => {
    const { url, received } = await aListener()
    const groups = Array.from({ length: 700 }, (_, number) => `group ${number} of a company`)

    expect((await sendRaw(url, aRequest, sealOf(aRequest, { groups }))).status).toBe(200)
    expect(received[0]?.by.groups).toEqual(groups)
  })

  test('[FLEET-18] a replica returns its id to another one and to itself', async () => {
    const { url } = await aListener()
    const request = { method: 'GET', path: ownPath, headers: {}, body: '' }

    for (const from of ['a', 'b'])
      expect(await sendRaw(url, request, sealOf(request, { from }))).toMatchObject({
        status: 200,
        headers: { 'content-type': 'text/plain' },
        body: 'b',
      })
  })

  test('[FLEET-16] a path without a handler gets 404', async () => {
    const handlers = Object.create({ '/inherited': () => Promise.reject(new Error('Inherited.')) })
    const { url, errors } = await aListener({ handlers })

    for (const path of ['/other', '/inherited']) {
      const request = { ...aRequest, path }
      expect((await sendRaw(url, request, sealOf(request))).status).toBe(404)
    }
    expect(errors).toEqual([])
  })
})

describe('requests that are refused', () => {
  test.each([
    ['without a seal', undefined],
    ['with a text that is no seal', 'x'],
    ['that was sealed for another body', sealOf({ ...aRequest, body: '{}' })],
    ['that was sealed for another path', sealOf({ ...aRequest, path: ownPath })],
    ['that was sealed for another method', sealOf({ ...aRequest, method: 'PUT' })],
    ['that was sealed for fewer headers', sealOf({ ...aRequest, headers: { 'mcp-session-id': 's' } })],
  ])('[FLEET-16] a request %s is forged', async (_what, sealed) => {
    const { url, received, refused } = await aListener()

    expect(await sendRaw(url, aRequest, sealed)).toMatchObject(refusedAs('refused'))
    expect(refused).toEqual(['forged'])
    expect(received).toEqual([])
  })

  test.each([
    ['for another replica', { to: 'c' }, 'misdirected'],
    ['for another tenant', { tenant: 'other' }, 'misdirected'],
    ['from this replica', { from: 'b' }, 'loop'],
  ])('[FLEET-16] a request %s is refused', async (_what, changes, why) => {
    const { url, received, refused } = await aListener()

    expect(await sendRaw(url, aRequest, sealOf(aRequest, changes))).toMatchObject(refusedAs('refused'))
    expect(refused).toEqual([why])
    expect(received).toEqual([])
  })

  test('[FLEET-16] a request that was sent before is not served again, and may have run', async () => {
    const { url, received, refused } = await aListener()
    const sealed = sealOf(aRequest)
    await sendRaw(url, aRequest, sealed)

    expect(await sendRaw(url, aRequest, sealed)).toMatchObject(refusedAs('unknown'))
    expect(refused).toEqual(['replayed'])
    expect(received).toHaveLength(1)
  })

  test('[FLEET-16] a request that arrives too late is not served, and may have run', async () => {
    const { url, clock, received, refused } = await aListener()
    const sealed = sealOf(aRequest, {}, clock.nowMs)
    clock.nowMs += clusterLimits.forwardValidMs

    expect(await sendRaw(url, aRequest, sealed)).toMatchObject(refusedAs('unknown'))
    expect(refused).toEqual(['expired'])
    expect(received).toEqual([])
  })

  test('[FLEET-16] a request over the number that a replica accepts is refused', async () => {
    onTestFinished(setLimits(clusterLimits, { forwardedAtOnce: 0 }))
    const { url, refused } = await aListener()

    expect(await sendRaw(url, aRequest, sealOf(aRequest))).toMatchObject(refusedAs('refused'))
    expect(refused).toEqual(['too-many'])
  })

  test('[FLEET-16] a body over the size limit is refused', async () => {
    onTestFinished(setLimits(protocolLimits, { messageBytes: aRequest.body.length - 1 }))
    const { url, received, refused } = await aListener()

    expect(await sendRaw(url, aRequest, sealOf(aRequest))).toMatchObject(refusedAs('refused'))
    expect(refused).toEqual(['forged'])
    expect(received).toEqual([])
  })

  test('[FLEET-16] a request without a seal is refused before its body is sent', async () => {
    const { port, refused } = await aListener()
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('POST /mcp HTTP/1.1\r\nhost: b\r\ncontent-length: 1000\r\n\r\n')

    const [answer] = (await once(socket, 'data')) as [Buffer]

    expect(answer.toString()).toContain('HTTP/1.1 421')
    expect(refused).toEqual(['forged'])
  })

  test('[FLEET-16] a request whose body breaks off is refused', async () => {
    const { port, received, refused, errors } = await aListener()
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST /mcp HTTP/1.1\r\nhost: b\r\n${sealHeader}: ${sealOf(aRequest)}\r\ncontent-length: 1000\r\n\r\n{`)
    await once(socket, 'connect')
    setTimeout(() => socket.destroy(), 20)

    await until(() => (refused.length > 0 ? true : undefined))

    expect({ refused, received, errors }).toEqual({ refused: ['forged'], received: [], errors: [] })
  })
})

describe('handlers that fail', () => {
  test('[FLEET-16] a handler that throws is reported, and its caller gets 500', async () => {
    const { url, errors } = await aListener({ handlers: { '/mcp': () => Promise.reject(new Error('Broken.')) } })

    expect((await sendRaw(url, aRequest, sealOf(aRequest))).status).toBe(500)
    expect(errors).toEqual([new Error('Broken.')])
  })

  test('[FLEET-16] a handler that throws during its response is reported, and the response ends', async () => {
    const handler = async ({ response }: ForwardedIn) => {
      response.writeHead(200).write('begun')
      throw new Error('Broken.')
    }
    const { url, errors } = await aListener({ handlers: { '/mcp': handler } })

    expect(await sendRaw(url, aRequest, sealOf(aRequest))).toMatchObject({ status: 200, body: 'begun' })
    expect(errors).toEqual([new Error('Broken.')])
  })
})

describe('the server', () => {
  test('[FLEET-5] requests are counted until their response is fully sent', async () => {
    const held: ForwardedIn[] = []
    const { listener, url } = await aListener({ handlers: { '/mcp': async (one) => void held.push(one) } })
    expect(listener.inProgress).toBe(0)
    const sent = sendRaw(url, aRequest, sealOf(aRequest))
    await until(() => held[0])

    expect(listener.inProgress).toBe(1)
    held[0]?.response.writeHead(200).end()
    await sent
    await until(() => (listener.inProgress === 0 ? true : undefined))
  })

  test('[FLEET-5] a listener that is closed ends its connections and accepts no more', async () => {
    const { listener, url } = await aListener({ handlers: { '/mcp': () => new Promise(() => undefined) } })
    const sent = sendRaw(url, aRequest, sealOf(aRequest)).catch((error: Error) => error.message)
    await until(() => (listener.inProgress === 1 ? true : undefined))

    listener.close()

    expect(await sent).toBe('socket hang up')
    await expect(sendRaw(url, aRequest, sealOf(aRequest))).rejects.toThrow('ECONNREFUSED')
  })

  test('[FLEET-12] slow and idle connections are closed', async () => {
    onTestFinished(setLimits(programLimits, { idleConnectionMs: 1_234, requestWithinMs: 5_678 }))
    const { server } = (await aListener()).listener

    expect(server).toMatchObject({ keepAliveTimeout: 1_234, requestTimeout: 5_678, headersTimeout: 5_678 })
  })

  test('[FLEET-16] with a certificate the connection is encrypted', async () => {
    const { ca, ...tls } = await aCertificate()
    const { port } = await aListener({ tls })
    const socket = connectTls({ port, host: '127.0.0.1', ca })
    onTestFinished(() => void socket.destroy())

    await once(socket, 'secureConnect')

    socket.write('GET / HTTP/1.1\r\nhost: b\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toContain('HTTP/1.1 421')
  })
})
