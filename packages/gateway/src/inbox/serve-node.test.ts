import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { until } from '../../../../test-kit/until.ts'
import { respondWith } from './serve-node.ts'

const chunk = new Uint8Array(65_536)
/** More than the buffers of a connection hold. */
const manyChunks = 1_000

/** Serves this body once, and returns its response unread. */
async function served(body: ReadableStream<Uint8Array>): Promise<{ response: IncomingMessage; errors: unknown[] }> {
  const errors: unknown[] = []
  const server = createServer((incoming, outgoing) => {
    const respond = () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    respondWith(respond, incoming, outgoing).catch((error: unknown) => errors.push(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeAfterTest(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, agent: false }, resolve).on('error', reject).end()
  })
  return { response, errors }
}

test('[LIMIT-4] a body is read only as fast as its client reads it, and then arrives completely', async () => {
  let pulled = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1
      controller.enqueue(chunk)
      if (pulled === manyChunks) controller.close()
    },
  })

  const { response, errors } = await served(body)
  response.pause()
  await until(() => (pulled > 0 ? true : undefined))
  let before = -1
  while (before !== pulled) {
    before = pulled
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  expect(pulled).toBeLessThan(manyChunks)

  let bytes = 0
  for await (const part of response) bytes += (part as Buffer).length
  expect(bytes).toBe(manyChunks * chunk.length)
  expect(errors).toEqual([])
})

test('[INBOX-5] a stream is cancelled when its client disconnects, also one that had stopped reading', async () => {
  for (const fill of [1, manyChunks]) {
    let isCancelled = false
    let left = fill
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : new Promise<void>(() => undefined)),
      cancel: () => {
        isCancelled = true
      },
    })
    const { response, errors } = await served(body)
    response.pause()
    await until(() => (left < fill ? true : undefined))

    response.destroy()

    await until(() => (isCancelled ? true : undefined))
    expect(errors).toEqual([])
  }
})

test('[INBOX-5] an error of the writer breaks the connection, so that the body does not look complete', async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('event: now\n\n')),
    pull: (controller) => controller.error(new Error('The store is down.')),
  })

  const { response, errors } = await served(body)
  const read = async () => {
    for await (const _part of response);
  }

  await expect(read()).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(errors).toEqual([new Error('The store is down.')])
})
