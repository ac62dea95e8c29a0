import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { createKeyRing } from '@assent/core'
import { expect, test } from 'vitest'
import { whichRegion } from '../contract/asking.suite.ts'
import { anAskingServer } from '../contract/servers.suite.ts'
import { aStage, putAwayLater, until } from '../contract/stage.suite.ts'
import { nextOf, type Wire } from '../contract/wire.suite.ts'
import { Heartbeat } from '../fleet/heartbeat.ts'
import { Leaving } from '../fleet/leaving.ts'
import { Mailbox } from '../fleet/mailbox.ts'
import { downstreamLimits, wireLimits } from '../limits.ts'
import { Asking } from '../relay/asking.ts'
import { AuditTrail } from '../relay/audit-trail.ts'
import { ClaimedRounds } from '../relay/claimed-rounds.ts'
import type { Call } from '../relay/exchange.ts'
import { Parking } from '../relay/parking.ts'
import { Relay } from '../relay/relay.ts'
import { Deferral } from '../surfaces/deferral.ts'
import { Routing } from '../surfaces/routing.ts'
import { WaitingAsks } from '../surfaces/waiting-asks.ts'
import { BackOff } from '../upstream/back-off.ts'
import { openUpstream } from '../upstream/open-upstream.ts'
import { ProcessCount } from '../upstream/process-count.ts'
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
  const { store } = await aStage()
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
  const relay = new Relay(['deploy'], async () => upstream, trail, new Asking({ isEnabled: true, askWaitMs }))
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const mailbox = new Mailbox(store, keys, () => undefined)
  const leaving = new Leaving()
  const parking = new Parking(store, relay, { askWaitMs }, mailbox, leaving, () => undefined)
  const heartbeat = new Heartbeat(store, mailbox.replica, () => undefined)
  const claims = new ClaimedRounds(store, heartbeat, keys, { askWaitMs }, () => undefined)
  const settings = { surfaces: ['client'], unseenAfterMs: 300, askWaitMs } as const
  const routing = new Routing(store, settings, relay.asking, leaving, claims)
  const deferral = new Deferral(store, keys, routing, parking, { askWaitMs }, () => undefined)
  const serving: Serving = {
    store,
    mailbox,
    relay,
    parking,
    routing,
    deferral,
    leaving,
    waiting: new WaitingAsks(store, heartbeat, () => undefined),
    keys,
    tenant: 'default',
    askWaitMs,
    holdMs: 1_000,
    forwardedHeaders: () => [],
  }
  const input = new PassThrough()
  const ended = serveStream(serving, input, output)
  putAwayLater(async () => {
    input.end()
    await ended
    await parking.close()
    await heartbeat.close()
    await trail.close()
  })
  const say = (message: unknown) => {
    input.write(
      typeof message === 'string' ? `${message}\n` : `${JSON.stringify({ jsonrpc: '2.0', ...(message as object) })}\n`,
    )
  }
  return { server, say, heard: messagesFrom(output), ended, input }
}

async function* messagesFrom(output: Writable): AsyncGenerator<Wire> {
  for await (const line of createInterface({ input: output as PassThrough })) yield JSON.parse(line)
}

const asking = { name: 'ask', arguments: { questions: [whichRegion] } }

test('[RELAY-1] a client of an older revision on standard input is asked in the middle of its call', async () => {
  const { server, say, heard } = await aStream()
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } } })
  expect((await nextOf(heard)).result).toMatchObject({ protocolVersion: '2025-11-25' })
  say({ method: 'notifications/initialized' })
  say({ id: 2, method: 'tools/call', params: asking })
  const question = await nextOf(heard)
  say({ id: question.id, result: inEurope })

  expect(await nextOf(heard)).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } })
  expect(question).toMatchObject({ method: 'elicitation/create', params: whichRegion })
  expect(server.saw).toEqual([inEurope])
})

test('[RELAY-1] a client of the newest revision on standard input finds the question in the result', async () => {
  const { server, say, heard } = await aStream()
  say({ id: 'a', method: 'tools/call', params: { ...asking, _meta: envelope } })
  const first = (await nextOf(heard)) as { result: Wire }
  const rounds = { requestState: first.result.requestState, inputResponses: { question: inEurope } }
  say({ id: 'b', method: 'tools/call', params: { ...asking, ...rounds, _meta: envelope } })

  expect(first.result).toMatchObject({ resultType: 'input_required' })
  expect(await nextOf(heard)).toMatchObject({ id: 'b', result: { content: [{ text: 'done' }] } })
  expect(server).toMatchObject({ begun: 1, ended: 1, saw: [inEurope] })
})

const approving = { message: 'Wipe it?', requestedSchema: { type: 'object', properties: {} } }
const wiping = { name: 'ask', arguments: { questions: [approving] } }
const tooFast = { action: 'cancel', _meta: { 'assent/no-answer': 'unseen' } }

test('[ROUTE-13] an approval that a client of an older revision accepts too fast on standard input is a cancel', async () => {
  const { server, say, heard } = await aStream()
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } } })
  await nextOf(heard)
  say({ method: 'notifications/initialized' })
  say({ id: 2, method: 'tools/call', params: wiping })
  say({ id: (await nextOf(heard)).id, result: { action: 'accept', content: {} } })
  await nextOf(heard)

  expect(server.saw).toEqual([tooFast])
})

test('[ROUTE-13] an approval that a client of the newest revision accepts too fast on standard input is a cancel', async () => {
  const { server, say, heard } = await aStream()
  say({ id: 'a', method: 'tools/call', params: { ...wiping, _meta: envelope } })
  const { result } = (await nextOf(heard)) as { result: Wire }
  const rounds = { requestState: result.requestState, inputResponses: { question: { action: 'accept', content: {} } } }
  say({ id: 'b', method: 'tools/call', params: { ...wiping, ...rounds, _meta: envelope } })
  await nextOf(heard)

  expect(server.saw).toEqual([tooFast])
})

test('[RELAY-13] a line that is no message is answered with an error, and an empty one with nothing', async () => {
  const { say, heard } = await aStream()
  say('')
  say('{"jsonrpc"')
  say({ id: 3, method: 'tools/list' })

  expect(await nextOf(heard)).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(await nextOf(heard)).toMatchObject({ id: 3, error: { code: -32_601 } })
})

test('[RELAY-11] a call that was cancelled on standard input is not answered', async () => {
  const { say, heard, input, ended } = await aStream()
  say({ id: 'a', method: 'tools/call', params: { ...asking, _meta: envelope } })
  say({ method: 'notifications/cancelled', params: { requestId: 'a' } })
  say({ id: 'b', method: 'server/discover', params: { _meta: envelope } })

  expect(await nextOf(heard)).toMatchObject({ id: 'b' })
  input.end()
  await until(async () => {
    await ended
    return true
  })
})

test('[LIMIT-2] [LIMIT-3] a line that is not UTF-8 or too long is no message, and the next one is heard', async () => {
  const { heard, input } = await aStream()
  const ping = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"!"}}')
  input.write(Buffer.concat([ping.subarray(0, -4), Buffer.from([0xff]), ping.subarray(-3), Buffer.from('\n')]))
  input.write(`"${'x'.repeat(wireLimits.messageBytes)}"\n`)
  input.write('{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"a":"\u2028"}}\n')

  expect(await nextOf(heard)).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(await nextOf(heard)).toMatchObject({ id: null, error: { code: -32_700 } })
  expect(await nextOf(heard)).toMatchObject({ id: 5, error: { code: -32_601 } })
})

test('[LIMIT-4] a client that does not read what it asks for has left', async () => {
  const limits: { unreadBytes: number } = downstreamLimits
  const before = limits.unreadBytes
  limits.unreadBytes = 10_000
  putAwayLater(() => {
    limits.unreadBytes = before
  })
  const stuck = new Writable({ write: () => undefined })
  const { say, ended } = await aStream(stuck)
  for (let i = 0; i < 1_000; i++) say({ id: i, method: 'tools/list' })

  await ended
  expect(stuck.writableLength).toBeLessThan(20_000)
})
