// An in-process client of our own gateway: the playground's end of the message stream.
//
// It declares no elicitation capability, so the gateway puts every question of the server into the inbox, where the
// playground's page shows it. The gateway handles the server's protocol revision.

import type { Readable, Writable } from 'node:stream'
import type { JsonObject } from '@assent/core'
import { isNotification, isReply, type Notification, type Reply, readMessage } from '../../protocol/messages.ts'
import { playRunText } from '../text/requests.ts'

interface Waiting {
  readonly done: (reply: Reply) => void
  readonly onProgress: (params: JsonObject) => void
}

export interface PlaygroundQuestion {
  readonly signal?: AbortSignal
  readonly onProgress?: (params: JsonObject) => void
}

export class PlayClient {
  readonly #out: Writable
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  constructor(input: Readable, output: Writable) {
    this.#out = output
    input.setEncoding('utf8')
    let rest = ''
    input.on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#receive(line)
    })
    input.on('end', () => this.#failPending())
  }

  async begin(version: string, name = 'assent-play'): Promise<void> {
    const reply = await this.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name, version },
    })
    if ('error' in reply) throw new Error(reply.error.message)
    this.#write({ method: 'notifications/initialized' })
  }

  /** Never rejects: failures are returned as a reply. */
  request(
    method: string,
    params: JsonObject,
    { signal, onProgress = () => undefined }: PlaygroundQuestion = {},
  ): Promise<Reply> {
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<Reply>()
    this.#waiting.set(id, { done: resolve, onProgress })
    signal?.addEventListener('abort', () => this.#cancel(id), { once: true })
    this.#write({ id, method, params: { ...params, _meta: { progressToken: id } } })
    return promise
  }

  close(): void {
    this.#out.end()
  }

  #receive(line: string): void {
    const message = readMessage(line)
    if (message === undefined) return
    if (isReply(message)) this.#settle(Number(message.id), message)
    else if (isNotification(message)) this.#onNotification(message)
  }

  #onNotification({ method, params = {} }: Notification): void {
    if (method !== 'notifications/progress') return
    this.#waiting.get(Number(params.progressToken))?.onProgress(params)
  }

  #cancel(requestId: number): void {
    if (!this.#waiting.has(requestId)) return
    this.#write({ method: 'notifications/cancelled', params: { requestId, reason: playRunText.stoppedByPerson } })
    this.#settle(requestId, { jsonrpc: '2.0', id: requestId, error: { code: 0, message: playRunText.stopped } })
  }

  #settle(id: number, reply: Reply): void {
    this.#waiting.get(id)?.done(reply)
    this.#waiting.delete(id)
  }

  #failPending(): void {
    const error = { code: 0, message: playRunText.gatewayStopped }
    for (const id of [...this.#waiting.keys()]) this.#settle(id, { jsonrpc: '2.0', id, error })
  }

  #write(message: object): void {
    this.#out.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
}
