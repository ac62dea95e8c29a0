import { expect, test } from 'vitest'
import type { Call, Upstream } from '../../call/model.ts'
import { sampleCall } from '../2025-11-25/sample-wire.suite.ts'
import { ForSessions } from './for-sessions.ts'

/** A server whose streams the test ends. */
function aServer() {
  const streams: (PromiseWithResolvers<void> & { readonly call: Call })[] = []
  const upstream = {
    name: 'deploy',
    listen: (call: Call) => {
      const stream = Promise.withResolvers<void>()
      call.signal.addEventListener('abort', () => stream.resolve())
      streams.push({ ...stream, call })
      return stream.promise
    },
    leave: () => undefined,
  } as unknown as Upstream
  return { server: new ForSessions(upstream), streams }
}

const subscribing = (signal?: AbortSignal) =>
  sampleCall(signal, { method: 'resources/subscribe', params: { uri: 'file:///a' } })
const unsubscribing = sampleCall(undefined, { method: 'resources/unsubscribe', params: { uri: 'file:///a' } })
const settled = () => new Promise((resolve) => setImmediate(resolve))

test.each([
  ['ended', (stream: PromiseWithResolvers<void>) => stream.resolve()],
  ['failed', (stream: PromiseWithResolvers<void>) => stream.reject(new Error('unreachable'))],
])('[RELAY-20] after the stream of a subscription %s, the session can subscribe again', async (_, end) => {
  const { server, streams } = aServer()
  await server.start(subscribing())
  await server.start(subscribing())
  expect(streams).toHaveLength(1)

  for (const stream of streams) end(stream)
  await settled()
  await server.start(subscribing())

  expect(streams).toHaveLength(2)
})

test('[RELAY-20] the end of an earlier subscription does not remove the current one', async () => {
  const { server, streams } = aServer()
  await server.start(subscribing())
  await server.start(unsubscribing)
  await server.start(subscribing())
  await settled()
  await server.start(subscribing())

  expect(streams).toHaveLength(2)
})

test('[SHARE-9] a client session that has ended is not subscribed', async () => {
  const { server, streams } = aServer()

  expect(await server.start(subscribing(AbortSignal.abort()))).toMatchObject({ kind: 'failed' })
  expect(streams).toEqual([])
})

test('[RELAY-11] a listener whose stream failed gets no more updates', async () => {
  const { server, streams } = aServer()
  const received: string[] = []
  const listening = server.listen({ ...sampleCall(), notify: ({ method }) => void received.push(method) })
  await server.start(subscribing())
  streams[0]?.reject(new Error('unreachable'))
  await expect(listening).rejects.toThrow('unreachable')

  streams[1]?.call.notify({ jsonrpc: '2.0', method: 'notifications/resources/updated' })

  expect(received).toEqual([])
})
