// Records what crosses a transport of an SDK client: the replies by request, the notifications in their order.

import { isPlainObject, type JsonObject } from '@assent/core'
import type { Question, RpcFailure, Seen } from './caller.ts'

type Id = string | number

/** The parts of a transport that both SDKs have in common. */
interface Transport {
  send(message: unknown, options?: unknown): Promise<void>
  onmessage?: ((message: never, extra?: never) => void) | undefined
}

export class Recorder {
  readonly notifications: Question[] = []
  readonly #replies = new Map<Id, Seen>()
  /** Of the request that was sent last. */
  #lastId: Id | undefined

  /** Call this before the client connects: the SDKs call existing listeners before their own. */
  attach(transport: Transport): void {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => {
      const { id, method } = message as { id?: Id; method?: string }
      if (id !== undefined && method !== undefined) this.#lastId = id
      return send(message, options)
    }
    transport.onmessage = (message: unknown) => this.#receive(message)
  }

  reply(id: Id | undefined): Seen | undefined {
    return id === undefined ? undefined : this.#replies.get(id)
  }

  /** How a request ends. Both SDKs write it before they return, so the id is known then. */
  async record(ask: () => Promise<unknown>): Promise<Seen> {
    this.#lastId = undefined
    const asked = (async () => ask())()
    const id = this.#lastId
    const failure = await asked.then(() => undefined, brokenBy)
    return this.reply(id) ?? failure ?? { broken: 'no reply' }
  }

  #receive(message: unknown): void {
    if (!isPlainObject(message)) return
    const { id, method, params, result, error } = message
    const given = (isPlainObject(params) ? params : {}) as JsonObject
    if (typeof method === 'string') {
      if (id === undefined) this.notifications.push({ method, params: given })
      return
    }
    // The SDK of the older revisions takes a reply for its request whether its id is a number or the same in digits.
    const key = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : (id as Id)
    if (isPlainObject(error)) this.#replies.set(key, { error: error as unknown as RpcFailure })
    else this.#replies.set(key, { result: (result ?? {}) as JsonObject })
  }
}

function brokenBy(error: unknown): Seen {
  return { broken: error instanceof Error ? error.message : String(error) }
}
