// A client of revision 2025-11-25 over HTTP, written by hand: one session, any number of calls at once.

import type { Reply } from './wire-2026-07-28.ts'

export interface SessionCall {
  /** Rejects when the client aborts the call. */
  readonly reply: Promise<Reply>
  /** As the SDKs do on a timeout: cancels the request and stops reading. */
  cancel(): Promise<void>
}

export class HttpSession {
  readonly #url: string
  readonly #session: string
  #lastId = 0

  private constructor(url: string, session: string) {
    this.#url = url
    this.#session = session
  }

  static async open(url: string): Promise<HttpSession> {
    const clientInfo = { name: 'proof', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const response = await post(url, '', { id: 0, method: 'initialize', params })
    await response.text()
    const opened = new HttpSession(url, response.headers.get('mcp-session-id') ?? '')
    await post(url, opened.#session, { method: 'notifications/initialized' })
    return opened
  }

  call(name: string, args: object): SessionCall {
    this.#lastId += 1
    const id = this.#lastId
    const cancelled = new AbortController()
    const request = { id, method: 'tools/call', params: { name, arguments: args } }
    return {
      reply: post(this.#url, this.#session, request, cancelled.signal).then((response) => replyTo(id, response)),
      cancel: async () => {
        await post(this.#url, this.#session, { method: 'notifications/cancelled', params: { requestId: id } })
        cancelled.abort()
      },
    }
  }
}

function post(url: string, session: string, message: object, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(session === '' ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    ...(signal === undefined ? {} : { signal }),
  })
}

async function replyTo(id: number, response: Response): Promise<Reply> {
  const text = await response.text()
  const messages = response.headers.get('content-type')?.startsWith('text/event-stream')
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
    : [JSON.parse(text)]
  const { result, error } = messages.find((message) => message.id === id) ?? {}
  return {
    status: response.status,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  }
}
