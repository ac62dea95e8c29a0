// Headers of a client's own request that a server gets too: the setting `forward_headers`.
//
// A connection to a server of the 2025 revisions carries messages of several calls, and what sends a message does not know
// which request it is for. So the headers belong to the asynchronous context of the request, one for each server.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Call } from '../relay/exchange.ts'

type Headers = Readonly<Record<string, string>>

export class ForwardedHeaders {
  /** In lower case. */
  readonly #names: readonly string[]
  readonly #current = new AsyncLocalStorage<Headers>()

  constructor(names: readonly string[]) {
    this.#names = names.map((name) => name.toLowerCase())
  }

  /** What is sent while this runs carries the headers of this call. */
  during<Value>({ requestHeaders = {} }: Pick<Call, 'requestHeaders'>, run: () => Promise<Value>): Promise<Value> {
    const found = this.#names.flatMap((name) => {
      const value = Object.hasOwn(requestHeaders, name) ? requestHeaders[name] : undefined
      return value === undefined ? [] : [[name, value] as const]
    })
    return this.#current.run(Object.fromEntries(found), run)
  }

  readonly current = (): Headers => this.#current.getStore() ?? {}
}

const refusedNames = [
  'accept',
  'authorization',
  'connection',
  'cookie',
  'dpop',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
const refusedBeginnings = ['content-', 'mcp-', 'proxy-']

/** Whether a header belongs to the connection with the gateway, or to its credentials, and is never forwarded. */
export function isNeverForwarded(name: string): boolean {
  const lower = name.toLowerCase()
  return refusedNames.includes(lower) || refusedBeginnings.some((beginning) => lower.startsWith(beginning))
}
