// Imperfect clients of revision 2026-07-28.

import { setTimeout as sleep } from 'node:timers/promises'
import { newestHeaders, newestRequest, normalReceived, post, received, send } from '../compare/raw-http.ts'
import type { Case, Play } from './case.ts'
import { callEcho, client, echo, notification, pauseMs } from './raw-messages.ts'

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

export const newestClients: readonly Case[] = [
  client('2026', 'has odd ids', newestIds),
  client('2026', 'accepts something else', newestAccepts),
  client('2026', 'leaves headers out', newestHeadersMissing, { quick: true }),
  client('2026', 'sends unknown messages', newestMessages),
  client('2026', 'notifies', newestNotifies),
  client('2026', 'declares nothing', newestDeclaresNothing),
  client('2026', 'closes the connection in a call', newestLeaves),
]
