// Adapts a function from Request to Response to `node:http`.
//
// Supports only what the inbox needs: streamed bodies in both directions, and cancelling when the client disconnects.

import type { IncomingMessage, ServerResponse } from 'node:http'

export type Fetch = (request: Request) => Response | Promise<Response>

export async function respondWith(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const response = await fetch(requestOf(incoming))
  const headers = Object.fromEntries(response.headers)
  const cookies = response.headers.getSetCookie()
  // JSON is complete already: sending it in one piece is cheaper than streaming it.
  const whole = headers['content-type'] === 'application/json' ? Buffer.from(await response.arrayBuffer()) : undefined
  outgoing.writeHead(response.status, {
    ...headers,
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    ...(whole === undefined ? {} : { 'content-length': whole.length }),
  })
  if (response.body === null || whole !== undefined || incoming.method === 'HEAD') {
    outgoing.end(incoming.method === 'HEAD' ? undefined : whole)
    return
  }
  outgoing.flushHeaders()
  if (outgoing.destroyed) return response.body.cancel()
  await stream(response.body, outgoing)
}

/**
 * Sends a body as fast as the client reads it. Without Node's adapters of streams, which take 10 kB per open page.
 *
 * A client that disconnects is not an error; the stream's `cancel` informs the writer. After an error of the writer the
 * connection is destroyed, so that the client does not take the body for complete.
 */
async function stream(body: globalThis.ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader()
  let wake: (() => void) | undefined
  outgoing.on('drain', () => wake?.())
  outgoing.once('close', () => {
    wake?.()
    reader.cancel().catch(() => undefined)
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (outgoing.write(value) || outgoing.destroyed) continue
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    outgoing.end()
  } catch (error) {
    outgoing.destroy()
    throw error
  }
}

function requestOf(incoming: IncomingMessage): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || name.startsWith(':')) continue
    headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const method = incoming.method ?? 'GET'
  const hasBody = method !== 'GET' && method !== 'HEAD'
  // The host is checked from its header. This URL only carries the path; `//x` must not become a host.
  const path = incoming.url?.startsWith('/') === true ? incoming.url : '/'
  return new Request(`http://inbox${path}`, {
    method,
    headers,
    ...(hasBody ? { body: bodyOf(incoming), duplex: 'half' } : {}),
  })
}

/**
 * The body is read from the connection only on demand: a client that is refused for its headers cannot fill memory with
 * a body that it never finishes. `node:http` discards the unread rest after the response.
 */
function bodyOf(incoming: IncomingMessage): globalThis.ReadableStream<Uint8Array> {
  const chunks = incoming.iterator({ destroyOnReturn: false })
  return new globalThis.ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value as Uint8Array)
      },
      async cancel() {
        await chunks.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
