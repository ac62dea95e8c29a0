// The imperfect clients, in front of servers of the official SDKs.

import { setTimeout as sleep } from 'node:timers/promises'
import {
  eventsOf,
  newestHeaders,
  newestRequest,
  normalReceived,
  openSession,
  post,
  received,
  send,
} from '../compare/raw-http.ts'
import { RawStdio } from '../compare/raw-stdio.ts'
import type { Generation } from '../messages.ts'
import type { Case, Play } from './case.ts'
import type { Visit } from './visit.ts'

const echo = (text: string) => ({ name: 'echo', arguments: { text } })
const request = (id: string | number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
const notification = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params })
const callEcho = (id: string | number, text = 'Here.') => request(id, 'tools/call', echo(text))
const pauseMs = 200

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

const comingBack: Play = async ({ address, note }) => {
  const session = await openSession(address)
  const leaving = new AbortController()
  const later = request('later', 'tools/call', { name: 'later', arguments: { key: '600' } })
  const response = await send(address, 'POST', session.headers, later, leaving.signal)
  let last: string | undefined
  for await (const { id } of eventsOf(response)) {
    last = id
    if (id !== undefined) break
  }
  leaving.abort()
  note('there is an event to come back to', last !== undefined)
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
  note('no JSON', normalReceived(await session.post('{ not json')))
  note('no message', normalReceived(await session.post({ hello: 'world' })))
  note('empty', normalReceived(await session.post('')))
  note('other type', normalReceived(await session.post(callEcho(1), { 'content-type': 'text/plain' })))
  note(
    'charset',
    normalReceived(await session.post(callEcho(2), { 'content-type': 'application/json; charset=utf-8' })),
  )
  note('call', normalReceived(await session.post(callEcho(3))))
}

const sessionsMistaken: Play = async ({ address, note }) => {
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

async function onPipe({ address }: Visit, play: (pipe: RawStdio) => Promise<void>): Promise<void> {
  const pipe = new RawStdio(address)
  try {
    await play(pipe)
  } finally {
    await pipe.end()
  }
}

const open = (capabilities: object = {}) => ({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'grid-raw', version: '1' } },
})

const onPipeCrlf: Play = (visit) =>
  onPipe(visit, async (pipe) => {
    const write = (message: object) => pipe.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\r\n`)
    write(open())
    visit.note('opened', (await pipe.reply(0)) !== undefined)
    write({ method: 'notifications/initialized' })
    write(callEcho(1))
    visit.note('call', await pipe.reply(1))
    pipe.write('\r\n')
    write(callEcho('1', 'Again.'))
    visit.note('again', await pipe.reply('1'))
  })

const onPipeHurried: Play = (visit) =>
  onPipe(visit, async (pipe) => {
    // Everything in one write, without waiting for the first reply.
    const all = [open(), callEcho(1, 'One.'), request(2, 'ping'), callEcho(3, 'Three.')]
    pipe.write(all.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
    for (const id of [1, 2, 3]) visit.note(`reply ${id}`, await pipe.reply(id))
  })

const onPipeTwiceOpened: Play = (visit) =>
  onPipe(visit, async (pipe) => {
    pipe.send(open())
    visit.note('first', (await pipe.reply(0)) !== undefined)
    pipe.send({ ...open(), id: 'again' })
    const again = await pipe.reply('again')
    visit.note('second', again === undefined ? 'none' : 'result' in again ? 'opened' : 'refused')
    pipe.send(callEcho(1))
    visit.note('call', await pipe.reply(1))
  })

const newestCall = (id: string | number, text = 'Here.') => newestRequest('tools/call', echo(text), id)
const newestCallHeaders = newestHeaders('tools/call', 'echo')

const newestIds: Play = async ({ address, note }) => {
  for (const id of [0, 'ünï ✓', '7', 7, 7]) {
    note(`id ${JSON.stringify(id)}`, normalReceived(await post(address, newestCall(id), newestCallHeaders)))
  }
}

const newestAccepts: Play = async ({ address, note }) => {
  for (const accept of ['application/json', '*/*', 'text/event-stream']) {
    note(accept, normalReceived(await post(address, newestCall(1), { ...newestCallHeaders, accept })))
  }
}

const newestHeadersMissing: Play = async ({ address, note }) => {
  const { 'mcp-method': method = '', 'mcp-name': name = '', ...version } = newestCallHeaders
  note('no method', normalReceived(await post(address, newestCall(1), { ...version, 'mcp-name': name })))
  note('no name', normalReceived(await post(address, newestCall(2), { ...version, 'mcp-method': method })))
  note('no version', normalReceived(await post(address, newestCall(3), { 'mcp-method': method, 'mcp-name': name })))
  note('other name', normalReceived(await post(address, newestCall(4), { ...newestCallHeaders, 'mcp-name': 'other' })))
  note('all', normalReceived(await post(address, newestCall(5), newestCallHeaders)))
}

const newestMessages: Play = async ({ address, note }) => {
  const version = { 'mcp-protocol-version': '2026-07-28' }
  const thing = newestRequest('acme/thing', {}, 1)
  note('unknown method', normalReceived(await post(address, thing, newestHeaders('acme/thing'))))
  note('no meta', normalReceived(await post(address, callEcho(2), newestCallHeaders)))
  note('no JSON', normalReceived(await post(address, '{ not json', version)))
  const initialize = newestRequest('initialize', {}, 3)
  note('initialize', normalReceived(await post(address, initialize, newestHeaders('initialize'))))
  note('call', normalReceived(await post(address, newestCall(4), newestCallHeaders)))
}

const newestNotifies: Play = async ({ address, note }) => {
  const unknown = notification('notifications/acme/thing')
  const headers = newestHeaders('notifications/acme/thing')
  note('unknown', normalReceived(await post(address, unknown, headers)))
  const cancel = notification('notifications/cancelled', { requestId: 99 })
  note('cancel', normalReceived(await post(address, cancel, newestHeaders('notifications/cancelled'))))
  note('call', normalReceived(await post(address, newestCall(1), newestCallHeaders)))
}

const newestDeclaresNothing: Play = async ({ address, note }) => {
  const ask = newestRequest('tools/call', { name: 'ask', arguments: {} }, 1)
  const { status, messages } = await post(address, ask, newestHeaders('tools/call', 'ask'))
  const reply = messages.find((message) => message.method === undefined)
  note('ask fails', { status, code: (reply?.error as { code?: number } | undefined)?.code })
  note('call', normalReceived(await post(address, newestCall(2), newestCallHeaders)))
}

const newestLeaves: Play = async ({ address, note, effects }) => {
  const leaving = new AbortController()
  const slow = newestRequest('tools/call', { name: 'slow', arguments: { key: 'left' } }, 1)
  const headers = newestHeaders('tools/call', 'slow')
  const left = send(address, 'POST', headers, slow, leaving.signal).then(received)
  await sleep(pauseMs * 5)
  leaving.abort()
  await left.catch(() => undefined)
  await sleep(pauseMs * 5)
  note('effects', effects())
  note('call', normalReceived(await post(address, newestCall(2), newestCallHeaders)))
}

function client(generation: Generation, name: string, play: Play, more: Partial<Case> = {}): Case {
  const own = { server: generation, clients: [generation], transport: 'http' } as const
  return { name: `${generation} client: ${name}`, ...own, play, ...more }
}

const quick = { quick: true } as const
const stdio = { transport: 'stdio' } as const

export const clientCases: readonly Case[] = [
  client('2025', 'does not say that it has begun', withoutInitialized),
  client('2025', 'sends batches', inBatches, quick),
  client('2025', 'sends pings', pinging),
  client('2025', 'uses an id again', reusingIds),
  client('2025', 'cancels late', cancellingLate),
  client('2025', 'sends unknown messages', unknownMessages),
  client('2025', 'declares nothing', declaringNothing),
  client('2025', 'accepts only JSON', acceptingOnlyJson),
  client('2025', 'sends no protocol header', withoutProtocolHeader),
  client('2025', 'closes its stream', closingItsStream),
  client('2025', 'comes back with Last-Event-ID', comingBack, quick),
  client('2025', 'has odd ids', oddIds),
  client('2025', 'sends malformed bodies', malformed),
  client('2025', 'mistakes its session', sessionsMistaken),
  client('2025', 'writes CRLF', onPipeCrlf, stdio),
  client('2025', 'does not wait for initialize', onPipeHurried, stdio),
  client('2025', 'opens twice', onPipeTwiceOpened, stdio),
  client('2026', 'has odd ids', newestIds),
  client('2026', 'accepts something else', newestAccepts),
  client('2026', 'leaves headers out', newestHeadersMissing, quick),
  client('2026', 'sends unknown messages', newestMessages),
  client('2026', 'notifies', newestNotifies),
  client('2026', 'declares nothing', newestDeclaresNothing),
  client('2026', 'closes the connection in a call', newestLeaves),
]
