import type { lookup } from 'node:dns'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { expect, test } from 'vitest'
import { aCertificate } from '../../../../test-kit/certificate.ts'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { OutboundGuard } from './outbound-guard.ts'
import { postWebhook } from './post-webhook.ts'

const open = new AbortController().signal
const loopback = new OutboundGuard(['127.0.0.0/8', '::1/128'])
const refused = { ok: false, reason: 'address refused: it is private or not encrypted' }

interface Receiver {
  readonly url: string
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly body: string }[]
  connections: number
}

/** A server that reads the whole request and then responds. */
async function aReceiver(respond: (response: ServerResponse) => void): Promise<Receiver> {
  const receiver: Receiver = { url: '', requests: [], connections: 0 }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    receiver.requests.push({ headers: request.headers, body })
    respond(response)
  })
  server.on('connection', () => receiver.connections++)
  const { url } = await listening(server)
  return Object.assign(receiver, { url })
}

function post(url: string, guard = loopback, timeoutMs = 10_000) {
  const request = { url: new URL(url), headers: { 'webhook-id': 'm1' }, body: '{"title":"Ü"}' }
  return postWebhook(request, { guard, signal: open, timeoutMs })
}

/** Resolves every name to these addresses, one list per lookup. */
function resolving(...answers: readonly string[][]): typeof lookup {
  let asked = 0
  const fake = (_name: string, options: { all?: boolean }, callback: (...found: unknown[]) => void) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? []
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all === true) callback(null, found)
    else callback(null, found[0]?.address, found[0]?.family)
  }
  return fake as typeof lookup
}

test('[MESSAGE-5] a message is posted, and a status of success is enough', async () => {
  const receiver = await aReceiver((response) => response.writeHead(202).end('whatever'))

  expect(await post(receiver.url)).toEqual({ ok: true })

  expect(receiver.requests).toMatchObject([{ headers: { 'webhook-id': 'm1' }, body: '{"title":"Ü"}' }])
})

test('[MESSAGE-5] private, loopback and link-local addresses are refused, and nothing is connected', async () => {
  const receiver = await aReceiver((response) => response.end())
  const { port } = new URL(receiver.url)
  const nowhere = new OutboundGuard([])

  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0'])
    for (const scheme of ['http', 'https'])
      expect([host, await post(`${scheme}://${host}:${port}/`, nowhere)]).toEqual([host, refused])
  for (const host of ['169.254.169.254', '10.0.0.1', '192.168.0.1', '[fe80::1]', '[fd00::1]'])
    expect([host, await post(`https://${host}/`, nowhere)]).toEqual([host, refused])
  expect(receiver.connections).toBe(0)
})

test('[MESSAGE-5] a name that leads to a private address is refused, also if another address of it is public', async () => {
  const receiver = await aReceiver((response) => response.end())
  const { port } = new URL(receiver.url)

  for (const addresses of [['127.0.0.1'], ['::1'], ['93.184.215.14', '127.0.0.1'], ['::ffff:7f00:1']]) {
    const guard = new OutboundGuard([], resolving(addresses))
    expect([addresses, await post(`https://hooks.example.com:${port}/`, guard)]).toEqual([addresses, refused])
  }
  expect(receiver.connections).toBe(0)
})

test('[MESSAGE-5] a name that leads to this machine later is refused then (DNS rebinding)', async () => {
  const receiver = await aReceiver((response) => response.end())
  const { port } = new URL(receiver.url)
  const guard = new OutboundGuard(['127.0.0.0/9'], resolving(['127.0.0.1'], ['127.128.0.1']))

  expect(await post(`http://hooks.example.com:${port}/`, guard)).toEqual({ ok: true })
  expect(await post(`http://hooks.example.com:${port}/`, guard)).toEqual(refused)
  expect(receiver.connections).toBe(1)
})

test('[MESSAGE-5] without TLS only the stated networks are reached', async () => {
  const guard = new OutboundGuard([], resolving(['93.184.215.14']))

  expect(await post('http://hooks.example.com/', guard)).toEqual(refused)
  expect(await post('http://93.184.215.14/', guard)).toEqual(refused)
})

test('[MESSAGE-5] with TLS, a certificate that is not trusted is refused', async () => {
  const { cert, key, ca } = await aCertificate()
  const { url } = await listening(createTlsServer({ cert, key }, (_request, response) => response.end()))
  const request = { url: new URL(url.replace('http:', 'https:')), headers: {}, body: '{}' }

  expect(await postWebhook(request, { guard: loopback, signal: open })).toMatchObject({ ok: false })
  expect(await postWebhook(request, { guard: loopback, signal: open, ca })).toEqual({ ok: true })
})

test('[MESSAGE-5] a redirect is a failure and is not followed', async () => {
  const inside = await aReceiver((response) => response.end())
  for (const status of [301, 302, 303, 307, 308]) {
    const outside = await aReceiver((response) => response.writeHead(status, { location: inside.url }).end())
    expect(await post(outside.url)).toEqual({ ok: false, reason: `status ${status}: redirects are not followed` })
  }
  expect(inside.connections).toBe(0)
})

test('[MESSAGE-5] the body of a response is not read, however long it is', async () => {
  let written = 0
  const receiver = await aReceiver((response) => {
    response.writeHead(200)
    const more = () => {
      written += 65_536
      if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(more))
    }
    more()
  })

  expect(await post(receiver.url)).toEqual({ ok: true })
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(written).toBeLessThan(20_000_000)
})

test('[MESSAGE-5] a receiver that does not respond in time has failed', async () => {
  const receiver = await aReceiver(() => undefined)

  expect(await post(receiver.url, loopback, 200)).toEqual({ ok: false, reason: 'timeout' })
})

test('[MESSAGE-6] the reason of a failure does not contain the address', async () => {
  const result = await post('http://127.0.0.1:1/s3cret-path')

  expect(result).toEqual({ ok: false, reason: 'ECONNREFUSED' })
})

test('[MESSAGE-6] a failure can request a pause, and 410 ends the attempts', async () => {
  const respond = async (status: number, headers: Record<string, string> = {}) =>
    post((await aReceiver((response) => response.writeHead(status, headers).end())).url)

  expect(await respond(500)).toEqual({ ok: false, reason: 'status 500' })
  expect(await respond(429, { 'retry-after': '120' })).toEqual({
    ok: false,
    reason: 'status 429',
    retryAfterMs: 120_000,
  })
  expect(await respond(503, { 'retry-after': 'nonsense' })).toEqual({ ok: false, reason: 'status 503' })
  expect(await respond(503, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() })).toMatchObject({
    retryAfterMs: expect.toSatisfy((ms: number) => ms > 80_000 && ms <= 90_000),
  })
  expect(await respond(410)).toEqual({ ok: false, reason: 'status 410', isFinal: true })
})
