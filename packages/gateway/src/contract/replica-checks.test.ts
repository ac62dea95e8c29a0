// A replica checks what another replica sends it: that a replica sealed it, and whose call, session or stream it is.
//
// The sealed state and the session lookup refuse other people before these checks. These tests send the request itself,
// with the right keys, so that they fail if one of the later checks is removed.

import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type JsonObject, requestDigest } from '@assent/core'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openCluster, type Replica } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { eventsOf } from '../../../../test-kit/mcp/messages.ts'
import { until } from '../../../../test-kit/until.ts'
import { continuePath } from '../call/hold/remote-calls.ts'
import { noTelemetry } from '../call/telemetry-port.ts'
import { type ForwardedRequest, sealForward, sealHeader } from '../cluster/forward-seal.ts'
import { Forwarder } from '../cluster/forwarder.ts'
import { Peers } from '../cluster/peers.ts'
import { PlainNetworks } from '../cluster/plain-networks.ts'
import { replicaOf } from '../cluster/replica-names.ts'
import { aSession, call, post, type Wire } from './wire.suite.ts'

const args: JsonObject = { questions: [whichRegion as never] }
const accept = (region: string) => ({ action: 'accept', content: { region } })
const digest = requestDigest({ method: 'tools/call', target: 'ask', arguments: args })
const otherDigest = requestDigest({ method: 'tools/call', target: 'ask', arguments: {} })
const json = { 'content-type': 'application/json' }
const ann = { tenant: 'default', principal: 'ann', groups: [] }

/** A cluster, and a further replica with the same keys that only sends requests. */
async function aClusterWithPeer(generation: '2025-11-25' | '2026-07-28' = '2025-11-25') {
  const server = await anAskingServer(generation)
  const refused: string[] = []
  const watch = { ...noTelemetry, refused: (reason: string) => refused.push(reason) }
  const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: { watch } })
  const [first, second] = cluster.replicas
  const own = randomUUID()
  const peers = new Peers(own, first.store, () => true)
  const nowMs = () => first.store.nowMs()
  const forwarder = new Forwarder({
    peers,
    keys: cluster.keys,
    nowMs,
    plain: new PlainNetworks(),
    onFailed: () => undefined,
  })
  closeAfterTest(() => forwarder.close())
  const signal = new AbortController().signal
  const send = async (to: string, by: typeof ann, request: ForwardedRequest) => {
    const replica = await peers.find(to)
    if (replica === undefined) throw new Error('The replica is not listed.')
    return forwarder.send(replica, by, request, signal)
  }
  return { server, cluster, first, second, own, peers, send, refused, nowMs }
}

async function aHeldCall(first: Replica) {
  await call(first.url, args)
  const [ask] = (
    await first.store.inbox.page({ tenant: 'default', person: { principal: 'ann', groups: [] }, show: 'open' })
  ).asks
  const id = ask?.callId ?? ''
  const owner = (await first.store.calls.read('default', id, 'ann'))?.owner ?? ''
  const state = {
    server: 'deploy',
    inner: { held: id },
    schemas: { ask_1: whichRegion.requestedSchema },
    isPrefixed: false,
  }
  const continuing = (region: string, sentDigest = digest): ForwardedRequest => ({
    method: 'POST',
    path: continuePath,
    headers: json,
    body: JSON.stringify({
      name: randomUUID(),
      method: 'tools/call',
      target: { name: 'ask', uri: null },
      client: { info: {}, declared: {}, capabilities: {} },
      state,
      given: { ask_1: { result: accept(region) } },
      requestDigest: sentDigest,
    }),
  })
  return { owner, continuing }
}

test.each([
  ['for another person', 'bob', digest],
  ['for another request', 'ann', otherDigest],
])('[FLEET-14] a held call is not continued %s', async (_what, principal, sentDigest) => {
  const { server, first, send } = await aClusterWithPeer()
  const { owner, continuing } = await aHeldCall(first)

  const refused = await send(owner, { ...ann, principal }, continuing('us', sentDigest))
  expect(await textOf(refused)).not.toContain('input-required')
  await send(owner, ann, continuing('eu'))

  await until(() => (server.ended === 1 ? true : undefined))
  expect(server.saw).toEqual([accept('eu')])
})

async function anAskedSession(url: string) {
  const session = await aSession(url)
  const ending = new AbortController()
  closeAfterTest(() => ending.abort())
  const headers = { 'mcp-session-id': session.id }
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: args } }
  const response = await post(url, request, { headers, signal: ending.signal })
  for await (const { id = '', data } of eventsOf(response)) {
    if (data !== '') return { session, last: id, question: JSON.parse(data) as Wire & { id: string } }
  }
  throw new Error('The stream ended before the question.')
}

test('[FLEET-14] an answer that another replica forwards counts only for the session’s own person and tenant', async () => {
  const { server, first, send, refused } = await aClusterWithPeer('2026-07-28')
  const { session, question } = await anAskedSession(first.url)
  const owner = replicaOf(question.id) ?? ''
  const answering = (region: string): ForwardedRequest => ({
    method: 'POST',
    path: '/mcp',
    headers: { ...json, 'mcp-session-id': session.id },
    body: JSON.stringify({ jsonrpc: '2.0', id: question.id, result: accept(region) }),
  })

  expect(statusOf(await send(owner, { ...ann, principal: 'bob' }, answering('us')))).toBe(404)
  expect(await send(owner, { ...ann, tenant: 'other' }, answering('us'))).toBe('refused')
  expect(refused).toEqual(['forward-misdirected'])
  expect(statusOf(await send(owner, ann, answering('eu')))).toBe(202)

  await until(() => (server.ended === 1 ? true : undefined))
  expect(server.saw).toEqual([accept('eu')])
})

test.each([
  ['another person', 'bob', undefined, 404],
  ['another session', 'ann', '00000000-0000-4000-8000-000000000000', 404],
])('[FLEET-14] the stream of a call is not resumed for %s', async (_who, principal, otherSession, status) => {
  const { first, send } = await aClusterWithPeer()
  const { session, last, question } = await anAskedSession(first.url)
  const owner = replicaOf(question.id) ?? ''
  const resuming = (id: string): ForwardedRequest => ({
    method: 'GET',
    path: '/mcp',
    headers: { accept: 'text/event-stream', 'last-event-id': last, 'mcp-session-id': id },
    body: '',
  })

  expect(statusOf(await send(owner, { ...ann, principal }, resuming(otherSession ?? session.id)))).toBe(status)

  const own = await send(owner, ann, resuming(session.id))
  expect(statusOf(own)).toBe(200)
  if (typeof own !== 'string') own.destroy()
})

test('[FLEET-16] forged, changed, replayed, expired and misdirected requests are refused and counted, and nothing runs', async () => {
  const { server, cluster, first, own, peers, refused, nowMs } = await aClusterWithPeer()
  const { owner, continuing } = await aHeldCall(first)
  const to = await peers.find(owner)
  const request = continuing('us')
  const sealedAt = (atMs: number, forwarding: object = {}) =>
    sealForward(cluster.keys, request, { ...ann, from: own, to: owner, ...forwarding }, atMs)
  const raw = async (sealed: string | undefined, changes: Partial<ForwardedRequest> = {}) => {
    const { method, path, headers, body } = { ...request, ...changes }
    const withSeal = sealed === undefined ? headers : { ...headers, [sealHeader]: sealed }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    // Not `fetch`, which adds headers that the seal does not cover.
    httpRequest(new URL(path, to?.address), { method, headers: withSeal })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
    const response = await promise
    response.resume()
    return `${response.statusCode} ${response.headers[sealHeader]}`
  }

  // A request that was sent before, or long ago, may have run: its sender must not run it.
  expect(await raw(undefined)).toBe('421 refused')
  expect(await raw(sealedAt(nowMs()).replace(/.{6}$/, 'AAAAAA'))).toBe('421 refused')
  expect(await raw(sealedAt(nowMs()), { body: continuing('us').body })).toBe('421 refused')
  expect(await raw(sealedAt(nowMs()), { headers: { ...json, 'mcp-session-id': 'x' } })).toBe('421 refused')
  expect(await raw(sealedAt(nowMs() - 60_000))).toBe('421 unknown')
  expect(await raw(sealedAt(nowMs(), { to: randomUUID() }))).toBe('421 refused')
  expect(await raw(sealedAt(nowMs(), { from: owner }))).toBe('421 refused')
  const once = sealedAt(nowMs(), { principal: 'bob' })
  expect([await raw(once), await raw(once)]).toEqual(['200 undefined', '421 unknown'])

  const why = ['forged', 'forged', 'forged', 'forged', 'expired', 'misdirected', 'loop', 'replayed']
  expect(refused).toEqual(why.map((one) => `forward-${one}`))
  expect(server).toMatchObject({ ended: 0, saw: [] })
})

function statusOf(response: IncomingMessage | string): unknown {
  if (typeof response === 'string') return response
  if (response.statusCode !== 200) response.resume()
  return response.statusCode
}

async function textOf(response: IncomingMessage | string): Promise<string> {
  if (typeof response === 'string') return response
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}
