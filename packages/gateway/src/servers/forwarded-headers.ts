// Headers of a client's request that are forwarded to a server: the setting `forward_headers`.
//
// A connection to a server of the 2025 revisions carries messages of several calls, and the transport does not know
// which request a message is for. So the headers of each request are kept in its asynchronous context (one
// `AsyncLocalStorage` per server).

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Call } from '../call/model.ts'

type Headers = Readonly<Record<string, string>>

export class ForwardedHeaders {
  /** In lower case. */
  readonly #names: readonly string[]
  readonly #current = new AsyncLocalStorage<Headers>()

  constructor(names: readonly string[]) {
    this.#names = names.map((name) => name.toLowerCase())
  }

  /** Messages that are sent while `run` runs carry the headers of this call. */
  during<Value>({ requestHeaders = {} }: Pick<Call, 'requestHeaders'>, run: () => Promise<Value>): Promise<Value> {
    const found = this.#names.flatMap((name) => {
      const value = Object.hasOwn(requestHeaders, name) ? requestHeaders[name] : undefined
      return value === undefined ? [] : [[name, value] as const]
    })
    return this.#current.run(Object.fromEntries(found), run)
  }

  readonly current = (): Headers => this.#current.getStore() ?? {}
}
