// The supervisor's side of a process with gateways.

import type { ChildProcess } from 'node:child_process'
import type { FromGateways, Site, ToGateways } from './gateway.ts'
import type { Span } from './stalls.ts'

export class Gateways {
  readonly #child: ChildProcess
  readonly #waiting = new Map<string, (text: string) => void>()
  readonly #errors: readonly string[]
  readonly stalls: Span[] = []
  #lastSkew = 0

  constructor(child: ChildProcess, onEffect: (ticket: string, atMs: number) => void, errors: readonly string[]) {
    this.#child = child
    this.#errors = errors
    child.on('message', (message: FromGateways) => {
      if ('stall' in message) this.stalls.push(message.stall)
      if ('effect' in message) onEffect(message.effect, message.atMs)
      if ('opened' in message) this.#waiting.get(`open ${message.opened}`)?.(message.sdk)
      if ('serving' in message) this.#waiting.get(`serve ${message.serving}`)?.(message.url)
      if ('skewed' in message) this.#waiting.get(`skew ${message.skewed}`)?.('')
    })
  }

  open(site: Site): Promise<string> {
    return this.#ask({ open: site }, `open ${site.name}`)
  }

  serve(name: string, servers: Readonly<Record<string, { url: string }>>): Promise<string> {
    return this.#ask({ serve: name, servers }, `serve ${name}`)
  }

  async skew(skewMs: number): Promise<void> {
    this.#lastSkew += 1
    await this.#ask({ skewMs, number: this.#lastSkew }, `skew ${this.#lastSkew}`)
  }

  async #ask(message: ToGateways, key: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#waiting.set(key, resolve)
    const died = () => reject(new Error(`A process with gateways ended before "${key}": ${this.#errors.join('')}`))
    this.#child.once('exit', died)
    this.#child.send(message, () => undefined)
    return promise.finally(() => {
      this.#waiting.delete(key)
      this.#child.off('exit', died)
    })
  }
}
