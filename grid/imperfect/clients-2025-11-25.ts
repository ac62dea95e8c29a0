// Imperfect clients of the session-based revisions over HTTP.

import { setTimeout as sleep } from 'node:timers/promises'
import { eventsOf, normalReceived, openSession, post, received, send } from '../compare/raw-http.ts'
import type { Case, Play } from './case.ts'
import { callEcho, client, notification, pauseMs, request } from './raw-messages.ts'

const withoutInitialized: Play = async ({ address, note }) => {
  const session = await openSession(address, { isSilent: true })
  note('tools/list', normalReceived(await session.post(request(1, 'tools/list'))))
  note('call', normalReceived(await session.post(callEcho(2))))
}

const inBatches: Play = async ({ address, note }) => {
  const session = await openSession(address, { revision: '2025-03-26' })
  note('two requests', normalReceived(await session.post([callEcho('a', 'One.'), callEcho('b', 'Two.')])))
  note(
    'with a notification',
    normalReceived(await session.post([notification('notifications/roots/list_changed'), callEcho('c')])),
  )
  note('notifications only', normalReceived(await session.post([notification('notifications/roots/list_changed')])))
  note('afterwards', normalReceived(await session.post(callEcho('d'))))
}

const pinging: Play = async ({ address, note }) => {
  const session = await openSession(address)
  for (const id of [1, 'two', 3]) note(`ping ${id}`, normalReceived(await session.post(request(id, 'ping'))))
  note('call', normalReceived(await session.post(callEcho(4))))
}

const reusingIds: Play = async ({ address, note }) => {
  const session = await openSession(address)
  for (const text of ['One.', 'Two.', 'Three.']) note(text, normalReceived(await session.post(callEcho(1, text))))
}

const cancellingLate: Play = async ({ address, note }) => {
  const session = await openSession(address)
  note('call', normalReceived(await session.post(callEcho(1))))
  const cancel = notification('notifications/cancelled', { requestId: 1, reason: 'Too late' })
  note('cancel', normalReceived(await session.post(cancel)))
  note('unknown', normalReceived(await session.post(notification('notifications/cancelled', { requestId: 99 }))))
  note('next', normalReceived(await session.post(callEcho(2))))
}

const unknownMessages: Play = async ({ address, note }) => {
  const session = await openSession(address)
  note('notification', normalReceived(await session.post(notification('notifications/acme/thing', { at: 1 }))))
  note('odd notification', normalReceived(await session.post(notification('acme/thing'))))
  note('reply', normalReceived(await session.post({ jsonrpc: '2.0', id: 'nobody-asked', result: {} })))
  note('request', normalReceived(await session.post(request(1, 'acme/thing'))))
  note('call', normalReceived(await session.post(callEcho(2))))
}

const declaringNothing: Play = async ({ address, note }) => {
  const session = await openSession(address)
  for (const name of ['ask', 'roots', 'sample']) {
    const { status, messages } = await session.post(request(1, 'tools/call', { name, arguments: {} }))
    const reply = messages.find((message) => message.method === undefined)
    note(`${name} fails`, { status, fails: reply !== undefined && ('error' in reply || isError(reply.result)) })
    note(
      `${name} asks nothing`,
      messages.every((message) => message.id === undefined || message.method === undefined),
    )
  }
  note('call', normalReceived(await session.post(callEcho(2))))
}

function isError(result: unknown): boolean {
  return (result as { isError?: boolean } | undefined)?.isError === true
}

const acceptingOnlyJson: Play = async ({ address, note }) => {
  const session = await openSession(address)
  note('call', normalReceived(await session.post(callEcho(1), { accept: 'application/json' })))
  note('anything', normalReceived(await session.post(callEcho(2), { accept: '*/*' })))
  note('both', normalReceived(await session.post(callEcho(3))))
}

const withoutProtocolHeader: Play = async ({ address, note }) => {
  const { id } = await openSession(address)
  const headers = { 'mcp-session-id': id }
  note('call', normalReceived(await post(address, callEcho(1), headers)))
  note(
    'unknown revision',
    normalReceived(await post(address, callEcho(2), { ...headers, 'mcp-protocol-version': '1999-01-01' })),
  )
}

const closingItsStream: Play = async ({ address, note }) => {
  const session = await openSession(address)
  for (const attempt of ['first', 'second']) {
    const leaving = new AbortController()
    const stream = await send(
      address,
      'GET',
      { ...session.headers, accept: 'text/event-stream' },
      undefined,
      leaving.signal,
    )
    note(`${attempt} stream`, stream.status)
    leaving.abort()
    await sleep(pauseMs)
    note(`call after the ${attempt}`, normalReceived(await session.post(callEcho(attempt))))
  }
}

const resuming: Play = async ({ address, note }) => {
  const session = await openSession(address)
  const leaving = new AbortController()
  const later = request('later', 'tools/call', { name: 'later', arguments: { key: '3000' } })
  const response = await send(address, 'POST', session.headers, later, leaving.signal)
  let last: string | undefined
  for await (const { id } of eventsOf(response)) {
    last = id
    if (id !== undefined) break
  }
  leaving.abort()
  note('there is an event to resume from', last !== undefined)
  await sleep(pauseMs)
  const again = { ...session.headers, accept: 'text/event-stream', 'last-event-id': last ?? '' }
  const returning = new AbortController()
  const stream = await send(address, 'GET', again, undefined, returning.signal)
  for await (const { message } of eventsOf(stream)) {
    if (message?.id !== 'later') continue
    note('reply', message)
    break
  }
  returning.abort()
  note('next', normalReceived(await session.post(callEcho(2))))
}

const oddIds: Play = async ({ address, note }) => {
  const session = await openSession(address)
  for (const id of [0, -1, 9_007_199_254_740_991, '', 'ünï ✓', '7']) {
    note(`id ${JSON.stringify(id)}`, normalReceived(await session.post(callEcho(id))))
  }
}

const malformed: Play = async ({ address, note }) => {
  const session = await openSession(address)
  note('not JSON', normalReceived(await session.post('{ not json')))
  note('no message', normalReceived(await session.post({ hello: 'world' })))
  note('empty', normalReceived(await session.post('')))
  note('other type', normalReceived(await session.post(callEcho(1), { 'content-type': 'text/plain' })))
  note(
    'charset',
    normalReceived(await session.post(callEcho(2), { 'content-type': 'application/json; charset=utf-8' })),
  )
  note('call', normalReceived(await session.post(callEcho(3))))
}

const wrongSessions: Play = async ({ address, note }) => {
  const session = await openSession(address)
  const statusOf = async (answer: Promise<Response>) => (await received(await answer)).status
  const call = (headers: Record<string, string>) => statusOf(send(address, 'POST', headers, callEcho(1)))
  note('no session', await call({ 'mcp-protocol-version': '2025-11-25' }))
  note('unknown session', await call({ ...session.headers, 'mcp-session-id': 'none' }))
  note('other method', await statusOf(send(address, 'PUT', session.headers, callEcho(2))))
  note('delete', await statusOf(send(address, 'DELETE', session.headers)))
  note('after the end', await call(session.headers))
  note('delete again', await statusOf(send(address, 'DELETE', session.headers)))
}

export const httpClients: readonly Case[] = [
  client('2025', 'sends no initialized notification', withoutInitialized),
  client('2025', 'sends batches', inBatches, { quick: true }),
  client('2025', 'sends pings', pinging),
  client('2025', 'reuses an id', reusingIds),
  client('2025', 'cancels late', cancellingLate),
  client('2025', 'sends unknown messages', unknownMessages),
  client('2025', 'declares nothing', declaringNothing),
  client('2025', 'accepts only JSON', acceptingOnlyJson),
  client('2025', 'sends no protocol header', withoutProtocolHeader),
  client('2025', 'closes its stream', closingItsStream),
  client('2025', 'resumes with Last-Event-ID', resuming, { quick: true }),
  client('2025', 'has odd ids', oddIds),
  client('2025', 'sends malformed bodies', malformed),
  client('2025', 'uses a wrong session', wrongSessions),
]
