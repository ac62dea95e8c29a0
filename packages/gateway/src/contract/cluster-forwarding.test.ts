import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { afterEach, describe, expect, test } from 'vitest'
import { aCertificate } from '../../../../test-kit/certificate.ts'
import { closeAfterTest, listening } from '../../../../test-kit/close-after-test.ts'
import { Link } from '../../../../test-kit/faulty-link.ts'
import { openCluster, type Replica } from '../../../../test-kit/gateway/cluster.ts'
import { freePort, listen } from '../../../../test-kit/listen.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { eventsOf, messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { serveSessions } from '../../../../test-kit/mcp/serve-2025-11-25.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { aSession, call, nextOf, post, request, type Wire } from './wire.suite.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }
const asking = { name: 'ask', arguments: { questions: [whichRegion] } }
const done = { result: { content: [{ text: 'done' }] } }
const loopback = { host: '127.0.0.1', port: 0 }

afterEach(setLimits(relayLimits, {}))

const sayAt = ({ url }: Pick<Replica, 'url'>, session: string, message: Wire) =>
  post(url, { jsonrpc: '2.0', ...message }, { headers: { 'mcp-session-id': session } })

describe('a server that keeps state for its client', () => {
  /** Three replicas in front of a 2025 server that counts the calls in each of its sessions. */
  async function countingCalls() {
    const { url, close } = await listen(serveSessions(countingServer).listener)
    closeAfterTest(close)
    const { replicas } = await openCluster({ deploy: { url } }, { replicas: 3 })
    const count = async (at: Pick<Replica, 'url'>, headers: Record<string, string> = {}) => {
      const { message } = await request(at.url, 'tools/call', { name: 'count', arguments: {} }, { headers })
      const [content] = message.result.content as [{ text: string }]
      return Number(content.text)
    }
    return { replicas: replicas as readonly [Replica, Replica, Replica], count }
  }

  test('[FLEET-17] all calls of a 2026-07-28 program reach one session, through any replica', async () => {
    const { replicas, count } = await countingCalls()
    const counts: number[] = []

    for (let turn = 0; turn < 4; turn++) for (const replica of replicas) counts.push(await count(replica))

    expect(counts).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
  })

  test('[FLEET-17] a server that refuses a forwarded call with 421 gets it once', async () => {
    let calls = 0
    const refusing = createServer(async (message, response) => {
      let body = ''
      for await (const chunk of message.setEncoding('utf8')) body += chunk
      const { id, method } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string }
      if (method === 'tools/call') calls += 1
      if (method === 'tools/call' || method === 'server/discover' || message.method !== 'POST')
        return void response.writeHead(method === 'tools/call' ? 421 : 405).end()
      if (id === undefined) return void response.writeHead(202).end()
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'r', version: '1' },
      }
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    const { url } = await listening(refusing)
    const { replicas } = await openCluster({ deploy: { url } })
    const [first, second] = replicas

    const { message } = await call(first.url, {}, {}, await second.program())

    expect(message.error).toBeDefined()
    expect(calls).toBe(1)
  })

  test('[FLEET-17] when replicas end, the calls go to one of the others', async () => {
    const { replicas, count } = await countingCalls()
    const [first, second, third] = replicas
    await count(third)

    await first.close()
    await second.close()

    const counts = [await count(third), await count(third)]
    expect(counts[1]).toBe((counts[0] ?? 0) + 1)
  })
})

function countingServer(): McpServer {
  let calls = 0
  const server = new McpServer({ name: 'counting', version: '1' })
  server.registerTool('count', { inputSchema: {} }, () => {
    calls += 1
    return { content: [{ type: 'text', text: String(calls) }] }
  })
  return server
}

describe('a session that moved to another replica', () => {
  test('[FLEET-1] a call that began before is cancelled and answered where it runs', async () => {
    const server = await anAskingServer('2025-11-25')
    const cluster = await openCluster({ deploy: { url: server.url } }, { replicas: 3 })
    const [first, second, third] = cluster.replicas as readonly [Replica, Replica, Replica]
    const session = await aSession(first.url)
    const streams = [1, 2].map(async (id) =>
      messagesOf(await sayAt(first, session.id, { id, method: 'tools/call', params: asking })),
    )
    const [answered, cancelled] = (await Promise.all(streams)) as [AsyncGenerator<Wire>, AsyncGenerator<Wire>]
    const question = await nextOf(answered)
    await nextOf(cancelled)
    const drained = first.drain(30_000)
    // A new request moves the session: the first replica refuses it.
    expect(await nextOf(messagesOf(await sayAt(second, session.id, { id: 3, method: 'tools/list' })))).toMatchObject({
      id: 3,
    })

    await sayAt(third, session.id, { method: 'notifications/cancelled', params: { requestId: 2 } })
    await sayAt(third, session.id, { id: question.id, result: inEurope })

    expect(await nextOf(answered)).toMatchObject({ id: 1, ...done })
    for await (const message of cancelled) expect(message).not.toMatchObject({ result: {} })
    await drained
    expect(server.saw.filter((one) => (one as Wire).action === 'accept')).toHaveLength(1)
  })

  test('[FLEET-1] its end also ends the calls at the replica that served it before', async () => {
    const server = await anAskingServer('2025-11-25')
    const cluster = await openCluster({ deploy: { url: server.url } })
    const [first, second] = cluster.replicas
    const session = await aSession(first.url)
    const stream = messagesOf(await sayAt(first, session.id, { id: 1, method: 'tools/call', params: asking }))
    await nextOf(stream)
    const drained = first.drain(30_000)
    await nextOf(messagesOf(await sayAt(second, session.id, { id: 2, method: 'tools/list' })))

    const headers = { 'mcp-session-id': session.id, [personHeader]: 'ann' }
    expect((await fetch(second.url, { method: 'DELETE', headers })).status).toBe(200)

    for await (const message of stream) expect(message).not.toMatchObject({ result: {} })
    await drained
    expect((await sayAt(second, session.id, { id: 3, method: 'ping' })).status).toBe(404)
  })
})

describe('a connection between two replicas that breaks', () => {
  /** Two replicas; the first is reached by the second only through a link that can be cut. */
  async function behindALink(generation: '2025-11-25' | '2026-07-28') {
    const server = await anAskingServer(generation)
    const port = await freePort()
    const link = await Link.to(`http://127.0.0.1:${port}`, 80)
    closeAfterTest(() => link.close())
    const cluster = await openCluster({ deploy: { url: server.url } }, { replicas: 1 })
    const linked = { cluster: { listen: { ...loopback, port }, address: `http://127.0.0.1:${link.port}` } }
    const first = await cluster.another(linked)
    return { server, link, cluster, first, second: cluster.replicas[0] }
  }

  test.each(['2025-11-25', '2026-07-28'] as const)(
    '[FLEET-13] a client of a forwarded call to a %s server reconnects, and nothing runs twice',
    async (generation) => {
      const { server, link, first, second } = await behindALink(generation)
      const session = await aSession(first.url)
      const response = await sayAt(second, session.id, { id: 1, method: 'tools/call', params: asking })
      let last = ''
      let question: Wire = {}
      const reading = (async () => {
        for await (const { id = '', data } of eventsOf(response)) {
          last = id
          if (data !== '') question = JSON.parse(data) as Wire
        }
      })().catch(() => undefined)
      await until(() => (question.id === undefined ? undefined : true))

      await link.fail('down')
      await reading
      await link.restore()
      const headers = { 'mcp-session-id': session.id, 'last-event-id': last, [personHeader]: 'ann' }
      const resumed = messagesOf(await fetch(second.url, { headers }))
      await sayAt(second, session.id, { id: question.id, result: inEurope })

      expect(await nextOf(resumed)).toMatchObject({ id: 1, ...done })
      expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
    },
  )

  test('[FLEET-5] nothing is forwarded to a replica that has drained, so no request is lost when it closes', async () => {
    const { link, first, second } = await behindALink('2026-07-28')
    const session = await aSession(first.url)
    const ping = async (id: number) => nextOf(messagesOf(await sayAt(second, session.id, { id, method: 'ping' })))
    await ping(1)

    await first.drain(1_000)
    await link.fail('hanging')

    expect(await ping(2)).toMatchObject({ id: 2, result: {} })
  })

  test('[FLEET-3] a held call that is continued through it gets its outcome, once', async () => {
    const { server, link, first, second } = await behindALink('2025-11-25')
    const args = { questions: [whichRegion, whichRegion] }
    const begun = await call(first.url, args, {}, await first.program())
    const rounds = { requestState: begun.message.result.requestState, inputResponses: { ask_1: inEurope } }

    await link.fail('down')
    const continued = call(second.url, args, rounds, await second.program())
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await link.restore()

    expect((await continued).message.result).toMatchObject({ resultType: 'input_required' })
    expect(server).toMatchObject({ begun: 1, ended: 0, saw: [inEurope] })
  })
})

describe('joining', () => {
  test('[FLEET-18] a second gateway without an address is refused after one lease', async () => {
    setLimits(relayLimits, { leaseMs: 900, renewEveryMs: 300 })
    const cluster = await openCluster({}, { replicas: 1, gateway: { cluster: {} } })

    await expect(cluster.another({ cluster: {} })).rejects.toThrow(/Set cluster.listen in every gateway/)
    await expect(cluster.another({ cluster: { listen: loopback } })).rejects.toThrow(
      /has no address at which this one could reach it/,
    )
    expect(await cluster.replicas[0].store.replicas.live()).toHaveLength(1)
  })

  test('[FLEET-18] after a crash of the first one, the second starts when the lease has ended', async () => {
    setLimits(relayLimits, { leaseMs: 900, renewEveryMs: 300 })
    const cluster = await openCluster({}, { replicas: 1, gateway: { cluster: {} } })
    const [only] = await cluster.replicas[0].store.replicas.live()
    let waits = 0
    const starting = cluster.another({ cluster: {}, onJoinWait: () => waits++ })
    await until(() => (waits === 1 ? true : undefined))

    await cluster.isolate(`.${only?.id}`)

    await starting
  })

  test('[FLEET-18] a gateway that does not reach itself at its address is refused', async () => {
    const cluster = await openCluster({}, { replicas: 1 })
    const [other] = await cluster.replicas[0].store.replicas.live()
    const nowhere = `http://127.0.0.1:${await freePort()}`

    for (const address of [nowhere, other?.address ?? ''])
      await expect(cluster.another({ cluster: { listen: loopback, address } })).rejects.toThrow(
        `This gateway does not reach itself at ${address}`,
      )
    expect(await cluster.replicas[0].store.replicas.live()).toHaveLength(1)
  })

  test('[FLEET-16] requests are encrypted with cluster.tls, and a certificate of another authority is refused', async () => {
    const tls = await aCertificate()
    const other = await aCertificate()
    const server = await anAskingServer('2025-11-25')
    const secured = { cluster: { listen: loopback, tls } }
    const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: secured })
    const [first, second] = cluster.replicas
    for (const { address } of await first.store.replicas.live()) expect(address).toMatch(/^https:/)

    const begun = await call(first.url, { questions: [whichRegion] }, {}, await first.program())
    const rounds = { requestState: begun.message.result.requestState, inputResponses: { ask_1: inEurope } }
    expect(
      (await call(second.url, { questions: [whichRegion] }, rounds, await second.program())).message,
    ).toMatchObject(done)

    const mixed = { listen: loopback, tls: { ...tls, ca: other.ca } }
    await expect(cluster.another({ cluster: mixed })).rejects.toThrow('does not reach itself')
  })

  test('[FLEET-16] a request is not sent without TLS to an address outside the stated networks', async () => {
    const cluster = await openCluster({}, { replicas: 1 })
    const [replica] = cluster.replicas
    const id = randomUUID()
    await replica.store.replicas.renew(id, 60_000, 'http://198.51.100.7:7421')
    const session = await aSession(replica.url)
    await cluster.tamper(`update client_sessions set owner = '${id}'`)
    const other = await cluster.another()

    // Not sent. The other replica may be alive, so the session stays with it.
    const refused = await sayAt(other, session.id, { id: 1, method: 'ping' })
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('cannot be reached now')])
  })
})

describe('with sessions.resume off', () => {
  test('[FLEET-19] a stream has no event ids, a broken connection ends its call, and a session ends with its replica', async () => {
    const server = await anAskingServer('2025-11-25')
    const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: { resumes: false } })
    const [first, second] = cluster.replicas
    const session = await aSession(first.url)
    const connection = new AbortController()
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: asking }
    const headers = { 'mcp-session-id': session.id }
    const response = await post(second.url, message, { headers, signal: connection.signal })
    for await (const { id, data } of eventsOf(response)) {
      expect(id).toBeUndefined()
      if (data !== '') break
    }

    connection.abort()
    await until(() => (server.saw.length + server.ended > 0 ? true : undefined))
    expect(server.saw).not.toContainEqual(inEurope)

    await first.close()
    expect((await sayAt(second, session.id, { id: 2, method: 'ping' })).status).toBe(404)
  })
})
