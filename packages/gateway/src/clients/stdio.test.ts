import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { createKeyRing } from '@assent/core'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { AuditTrail } from '../call/audit-trail.ts'
import { ClaimedRounds } from '../call/hold/claimed-rounds.ts'
import { DeferredCalls } from '../call/hold/deferred-calls.ts'
import { HeldCalls } from '../call/hold/held-calls.ts'
import type { Call } from '../call/model.ts'
import { Relay } from '../call/relay.ts'
import { Routing } from '../call/route/routing.ts'
import { WaitingAsks } from '../call/route/waiting-asks.ts'
import { OpenAskLimits } from '../call/screen/open-limits.ts'
import { Shutdown } from '../call/shutdown.ts'
import { Heartbeat } from '../cluster/heartbeat.ts'
import { nextOf, type Wire } from '../contract/wire.suite.ts'
import { clientLimits, protocolLimits, setLimits } from '../limits.ts'
import { BackOff } from '../servers/back-off.ts'
import { openUpstream } from '../servers/open-upstream.ts'
import { ProcessCount } from '../servers/process-count.ts'
import type { Serving } from './context.ts'
import { serveStream } from './stdio.ts'

const askWaitMs = 60_000
const inEurope = { action: 'accept', content: { region: 'eu' } }
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

/** The gateway's parts behind a pair of streams, as its composition root puts them together. */
async function aStream(output: Writable = new PassThrough()) {
  const server = await anAskingServer('2026-07-28')
  const { store } = await openTestEnv()
  const trail = new AuditTrail(store.audit, Date.now, () => undefined)
  const call: Call = {
    tenant: 'default',
    principal: 'local',
    scope: '',
    method: '',
    params: {},
    client: { info: {}, declared: {}, capabilities: {} },
    notify: () => undefined,
    signal: new AbortController().signal,
  }
  const upstream = await openUpstream('deploy', { url: server.url }, call, {
    askWaitMs,
    onLog: () => undefined,
    environment: () => ({}),
    backOff: new BackOff(),
    processes: new ProcessCount(),
  })
  const relay = new Relay(['deploy'], async () => upstream, trail, new OpenAskLimits({ isEnabled: true, askWaitMs }))
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const replica = 'a'
  const shutdown = new Shutdown()
  const heartbeat = new Heartbeat(store, replica, () => undefined)
  const heldCalls = new HeldCalls(store, relay, { askWaitMs }, heartbeat, undefined, shutdown, () => undefined)
  const claims = new ClaimedRounds(store, heartbeat, keys, { askWaitMs }, () => undefined)
  const settings = { surfaces: ['client'], unseenAfterMs: 60_000, askWaitMs } as const
  const routing = new Routing(store, settings, relay.asking, shutdown, claims)
  const deferredCalls = new DeferredCalls(store, keys, routing, heldCalls, { askWaitMs }, () => undefined)
  const serving: Serving = {
    store,
    replica,
    others: undefined,
    onLapse: () => undefined,
    resumes: true,
    keepsState: async () => false,
    relay,
    heldCalls,
    routing,
    deferredCalls,
    shutdown,
    waiting: new WaitingAsks(store, heartbeat, () => undefined),
    keys,
    tenant: 'default',
    askWaitMs,
    holdMs: 1_000,
    forwardedHeaders: () => [],
  }
  const input = new PassThrough()
  const ended = serveStream(serving, input, output)
  closeAfterTest(async () => {
    input.end()
    await ended
    await heldCalls.close()
    await heartbeat.close()
    await trail.close()
  })
  const send = (message: unknown) => {
    input.write(
      typeof message === 'string' ? `${message}\n` : `${JSON.stringify({ jsonrpc: '2.0', ...(message as object) })}\n`,
    )
  }
  return { server, send, received: messagesFrom(output), ended, input }
}

async function* messagesFrom(output: Writable): AsyncGenerator<Wire> {
  for await (const line of createInterface({ input: output as PassThrough })) yield JSON.parse(line)
}

const asking = { name: 'ask', arguments: { questions: [whichRegion] } }

test('[RELAY-1] a client of an older revision over stdio is asked during its call', async () => {
  const { server, send, received } = await aStream()
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } } })
  expect((await nextOf(received)).result).toMatchObject({ protocolVersion: '2025-11-25' })
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: asking })
  const question = await nextOf(received)
  send({ id: question.id, result: inEurope })

  expect(await nextOf(received)).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } })
  expect(question).toMatchObject({ method: 'elicitation/create', params: whichRegion })
  expect(server.saw).toEqual([inEurope])
})

test('[RELAY-1] a client of the newest revision over stdio gets the question in the result', async () => {
  const { server, send, received } = await aStream()
  send({ id: 'a', method: 'tools/call', params: { ...asking, _meta: envelope } })
  const first = (await nextOf(received)) as { result: Wire }
  const rounds = { requestState: first.result.requestState, inputResponses: { question: inEurope } }
  send({ id: 'b', method: 'tools/call', params: { ...asking, ...rounds, _meta: envelope } })

  expect(first.result).toMatchObject({ resultType: 'input_required' })
  expect(await nextOf(received)).toMatchObject({ id: 'b', result: { content: [{ text: 'done' }] } })
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

const approving = { message: 'Wipe it?', requestedSchema: { type: 'object', properties: {} } }
const wiping = { name: 'ask', arguments: { questions: [approving] } }
const tooFast = { action: 'cancel', _meta: { 'assent/no-answer': 'unseen' } }

test('[ROUTE-13] an approval accepted too fast over stdio by a client of an older revision is a cancel', async () => {
  const { server, send, received } = await aStream()
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } } })
  await nextOf(received)
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: wiping })
  send({ id: (await nextOf(received)).id, result: { action: 'accept', content: {} } })
  await nextOf(received)

  expect(server.saw).toEqual([tooFast])
})

test('[ROUTE-13] an approval accepted too fast over stdio by a client of the newest revision is a cancel', async () => {
  const { server, send, received } = await aStream()
  send({ id: 'a', method: 'tools/call', params: { ...wiping, _meta: envelope } })
  const { result } = (await nextOf(received)) as { result: Wire }
  const rounds = { requestState: result.requestState, inputResponses: { question: { action: 'accept', content: {} } } }
  send({ id: 'b', method: 'tools/call', params: { ...wiping, ...rounds, _meta: envelope } })
  await nextOf(received)

  expect(server.saw).toEqual([tooFast])
})

test('[RELAY-13] a malformed line gets an error reply, and an empty line is ignored', async () => {
  const { send, received } = await aStream()
  send('')
  send('{"jsonrpc"')
  send({ id: 3, method: 'tools/list' })

  expect(await nextOf(received)).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(await nextOf(received)).toMatchObject({ id: 3, error: { code: -32_601 } })
})

test('[RELAY-11] a call that was cancelled over stdio gets no reply', async () => {
  const { send, received, input, ended } = await aStream()
  send({ id: 'a', method: 'tools/call', params: { ...asking, _meta: envelope } })
  send({ method: 'notifications/cancelled', params: { requestId: 'a' } })
  send({ id: 'b', method: 'server/discover', params: { _meta: envelope } })

  expect(await nextOf(received)).toMatchObject({ id: 'b' })
  input.end()
  await until(async () => {
    await ended
    return true
  })
})

test('[LIMIT-2] [LIMIT-3] a line that is not UTF-8 or too long is rejected, and the next line is processed', async () => {
  const { received, input } = await aStream()
  const ping = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"!"}}')
  input.write(Buffer.concat([ping.subarray(0, -4), Buffer.from([0xff]), ping.subarray(-3), Buffer.from('\n')]))
  input.write(`"${'x'.repeat(protocolLimits.messageBytes)}"\n`)
  input.write('{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"a":"\u2028"}}\n')

  expect(await nextOf(received)).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(await nextOf(received)).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(await nextOf(received)).toMatchObject({ id: 5, error: { code: -32_601 } })
})

test('[LIMIT-4] a client that stops reading its output is disconnected', async () => {
  closeAfterTest(setLimits(clientLimits, { unreadBytes: 10_000 }))
  const stuck = new Writable({ write: () => undefined })
  const { send, ended } = await aStream(stuck)
  for (let i = 0; i < 1_000; i++) send({ id: i, method: 'tools/list' })

  await ended
  expect(stuck.writableLength).toBeLessThan(20_000)
})
