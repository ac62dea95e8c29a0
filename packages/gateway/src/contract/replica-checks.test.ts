// A replica checks what another replica sends it: whose call, session or stream it is, and for which request.
//
// The sealed state and the session lookup refuse other people before these checks. These tests send the message itself,
// with the right keys, so that they fail if one of the later checks is removed.

import { randomUUID } from 'node:crypto'
import { type JsonObject, requestDigest } from '@assent/core'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openCluster } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { eventsOf } from '../../../../test-kit/mcp/messages.ts'
import { until } from '../../../../test-kit/until.ts'
import { readStreamPosition } from '../clients/2025-11-25/resume/call-stream.ts'
import { Mailbox, type ReplicaMessage } from '../cluster/mailbox.ts'
import { aSession, call, post, type Wire } from './wire.suite.ts'

const args: JsonObject = { questions: [whichRegion as never] }
const accept = (region: string) => ({ action: 'accept', content: { region } })
const digest = requestDigest({ method: 'tools/call', target: 'ask', arguments: args })
const otherDigest = requestDigest({ method: 'tools/call', target: 'ask', arguments: {} })

async function aClusterWithPeer(generation: '2025-11-25' | '2026-07-28' = '2025-11-25') {
  const server = await anAskingServer(generation)
  const cluster = await openCluster({ deploy: { url: server.url } })
  const [first, second] = cluster.replicas
  const peer = new Mailbox(first.store, cluster.keys, (error) => expect.unreachable(String(error)))
  peer.open()
  closeAfterTest(() => peer.close())
  const received: ReplicaMessage[] = []
  for (const kind of ['stands', 'taken-up']) peer.on(kind, (message) => received.push(message))
  return { server, first, second, peer, received }
}

test.each([
  ['for another person', 'bob', digest],
  ['for another request', 'ann', otherDigest],
])('[FLEET-14] a held call is not continued %s', async (_what, principal, sentDigest) => {
  const { server, first, peer } = await aClusterWithPeer()
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
  const message = (region: string, requestDigest: string): JsonObject => ({
    name: randomUUID(),
    method: 'tools/call',
    target: { name: 'ask', uri: null },
    client: { info: {}, declared: {}, capabilities: {} },
    state: state as never,
    given: { ask_1: { result: accept(region) } },
    requestDigest,
  })

  await peer.send(owner, { tenant: 'default', principal }, 'continue', message('us', sentDigest))
  await peer.send(owner, { tenant: 'default', principal: 'ann' }, 'continue', message('eu', digest))

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

test('[FLEET-14] an answer that another replica forwards counts only for the session’s own person', async () => {
  const { server, first, peer } = await aClusterWithPeer('2026-07-28')
  const { session, question } = await anAskedSession(first.url)
  const owner = Mailbox.replicaOf(question.id) ?? ''
  const reply = JSON.stringify({ jsonrpc: '2.0', id: question.id, result: accept('us') })

  await peer.send(owner, { tenant: 'default', principal: 'bob' }, 'answer', { session: session.id, reply })
  await peer.send(owner, { tenant: 'other', principal: 'ann' }, 'answer', { session: session.id, reply })
  // Messages to one replica are read in order: this one shows that the two above were read.
  const own = JSON.stringify({ jsonrpc: '2.0', id: question.id, result: accept('eu') })
  await peer.send(owner, { tenant: 'default', principal: 'ann' }, 'answer', { session: session.id, reply: own })

  await until(() => (server.ended === 1 ? true : undefined))
  expect(server.saw).toEqual([accept('eu')])
})

test.each([
  ['another person', 'bob', undefined],
  ['another session', 'ann', '00000000-0000-4000-8000-000000000000'],
])('[FLEET-14] the stream of a call is not resumed for %s', async (_who, principal, otherSession) => {
  const { first, peer, received } = await aClusterWithPeer()
  const { session, last } = await anAskedSession(first.url)
  const place = readStreamPosition(last)
  const { replica = '', stream = '' } = place ?? {}

  await peer.send(replica, { tenant: 'default', principal }, 'take-up', {
    session: otherSession ?? session.id,
    stream,
    after: 0,
  })

  const [notice] = await until(() => (received.length > 0 ? received : undefined))
  expect(notice?.content).toMatchObject({ stream, isKept: false })
  await peer.send(replica, { tenant: 'default', principal: 'ann' }, 'take-up', {
    session: session.id,
    stream,
    after: 0,
  })
  const found = await until(() => received.find(({ content }) => content.isKept === true))
  expect(found.content.stream).toBe(stream)
})
