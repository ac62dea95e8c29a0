import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Message, Reply } from '../../../protocol/messages.ts'
import { CallStream, type Listener, notKept, readStreamPosition } from './call-stream.ts'

const owner = { replica: randomUUID(), session: 's', principal: 'ann' }
const reply: Reply = { jsonrpc: '2.0', id: 1, result: {} }
const question = (id: string): Message => ({ jsonrpc: '2.0', id, method: 'elicitation/create', params: {} })
const progress: Message = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }
const cancelled = (requestId: string): Message => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

/** Records what a client receives, each message by its id or method, with the number in its name. */
function aClient() {
  const got: unknown[] = []
  let hasLeft = false
  const numberOf = (name: string | undefined) => readStreamPosition(name ?? '')?.number
  const listener: Listener = {
    send: (message, name) => void got.push(['id' in message ? message.id : 'notification', numberOf(name)]),
    end: (_, name) => void got.push(['end', numberOf(name)]),
    leave: () => {
      hasLeft = true
    },
  }
  return { listener, got, hasLeft: () => hasLeft }
}

test('[FLEET-13] a client that reconnects gets the open questions that it has not seen, and the reply', () => {
  const [first, second] = [aClient(), aClient()]
  const stream = new CallStream(owner, { id: 1 }, first.listener)
  for (const message of [question('a'), progress, question('b'), question('c'), cancelled('b')]) stream.send(message)
  expect(first.got).toEqual([
    ['a', 1],
    ['notification', 2],
    ['b', 3],
    ['c', 4],
    ['notification', 5],
  ])

  stream.takeUp(second.listener, 1)
  expect(stream.lose(first.listener)).toBe(false)

  expect(stream.end(reply)).toBe(true)
  expect([first.hasLeft(), second.got]).toEqual([
    true,
    [
      ['c', 4],
      ['end', 6],
    ],
  ])
  expect(stream.end(reply)).toBe(false)
})

test('[FLEET-13] what is sent while no client is connected is not lost, except progress', () => {
  const [first, second] = [aClient(), aClient()]
  const stream = new CallStream(owner, { id: 1 }, first.listener)
  expect(stream.lose(first.listener)).toBe(true)
  for (const message of [progress, question('a')]) stream.send(message)

  stream.takeUp(second.listener, 0)

  expect([first.got, second.got]).toEqual([[], [['a', 2]]])
})

test('[FLEET-13] the name of a message gives its replica, stream and request; a stream that continues keeps its own', () => {
  const { listener } = aClient()
  const stream = new CallStream(owner, { id: 'r' }, listener)
  stream.send(progress)
  const position = readStreamPosition(stream.name ?? '')

  expect(position).toEqual({ name: stream.name, number: 1, replica: owner.replica, stream: stream.id, requestId: 'r' })
  const continued = new CallStream(owner, { id: 'r' }, listener, position)
  expect([continued.id, continued.name]).toEqual([stream.id, stream.name])
  expect(new CallStream(owner, { id: 'r'.repeat(200) }, listener).name).toBeUndefined()
  expect(notKept({ requestId: 'r' })).toMatchObject({
    id: 'r',
    error: { message: expect.stringContaining('not known') },
  })
})

test('[FLEET-13] a name that no gateway created is not read', () => {
  const { listener } = aClient()
  const name = new CallStream(owner, { id: 1 }, listener).name ?? ''
  const withId = (text: string) => name.replace(/[^.]+$/, Buffer.from(text).toString('base64url'))
  expect(readStreamPosition(name)?.requestId).toBe(1)

  for (const text of ['', 'x', name.slice(1), `${name}!`, withId('null'), withId('{}'), withId('{')])
    expect(readStreamPosition(text)).toBeUndefined()
})
