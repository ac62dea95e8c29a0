// The named points at which a replica kills itself: before, during and after each step of the store that something hangs
// on. The store is wrapped from outside; the gateway's own code has no hooks and knows of nothing.

import { writeSync } from 'node:fs'
import type { Store } from '@assent/store'

const steps = {
  asks: ['raise', 'answer', 'withdraw', 'wait'],
  calls: ['begin', 'read', 'finish', 'delivered', 'renew'],
  letters: ['send', 'sendToAll'],
  sessions: ['begin', 'read'],
  deferred: ['keep', 'claim', 'finish'],
  audit: ['append'],
} as const

const moments = ['before', 'during', 'after'] as const

export const points: readonly string[] = Object.entries(steps).flatMap(([part, methods]) =>
  methods.flatMap((method) => moments.map((moment) => `${moment} ${part}.${method}`)),
)

/** What a replica says before it dies, and then the point. */
export const diedAt = '@died '

/** How long after a step began it is in the database's hands. */
const duringMs = 0.3

/** Bugs that a replica can be given, to see whether the proof finds them in a running fleet. */
export const bugs = {
  /** An answer is acknowledged and not kept. */
  forgetful: 'acknowledged decisions survive',
  /** Whoever waits for a person is told yes after a while. */
  credulous: 'no effect without a kept, matching yes',
} as const

export type Bug = keyof typeof bugs

export function withBug(store: Store, bug: Bug): Store {
  const { asks } = store
  const changed = new Proxy(asks, {
    get: (_, name) => {
      const value = Reflect.get(asks, name, asks)
      if (bug === 'forgetful' && name === 'answer') {
        return async (request: Parameters<Store['asks']['answer']>[0]) => {
          const ask = await asks.read(request.tenant, request.id)
          const answer = request.answer as never
          const { decisionId = '' } = request
          const state = {
            kind: 'settled',
            answer,
            by: request.person.principal,
            via: 'inbox',
            decisionId,
            atMs: Date.now(),
          }
          return ask === undefined ? { kind: 'not-found' } : { kind: 'settled', ask: { ...ask, state } }
        }
      }
      if (bug === 'credulous' && name === 'wait') {
        return async (tenant: string, id: string) => {
          const ask = await asks.read(tenant, id)
          const answer = { action: 'accept', content: { decision: 'go' } }
          return (
            ask && { ...ask, state: { kind: 'settled', answer, by: ask.principal, via: 'inbox', atMs: Date.now() } }
          )
        }
      }
      return typeof value === 'function' ? value.bind(asks) : value
    },
  })
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'asks') return changed
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

export class KillPoints {
  #armed: ReadonlySet<string> = new Set()

  /** The process dies when it next comes to one of these points. */
  arm(names: readonly string[]): void {
    this.#armed = new Set(names)
  }

  wrap(store: Store): Store {
    const parts = Object.entries(steps).map(([part, methods]) => {
      const target = store[part as keyof typeof steps] as object
      return [part, this.#wrapPart(part, target, methods)]
    })
    const replaced = Object.fromEntries(parts)
    return new Proxy(store, {
      get: (target, name) => {
        if (typeof name === 'string' && Object.hasOwn(replaced, name)) return replaced[name]
        const value = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  #wrapPart(part: string, target: object, methods: readonly string[]): object {
    return new Proxy(target, {
      get: (_, name) => {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (!methods.includes(String(name))) return value.bind(target)
        return async (...args: unknown[]) => {
          const point = `${part}.${String(name)}`
          this.#pass(`before ${point}`)
          const running = value.apply(target, args)
          if (this.#armed.has(`during ${point}`)) setTimeout(() => this.#pass(`during ${point}`), duringMs)
          const result = await running
          this.#pass(`after ${point}`)
          return result
        }
      },
    })
  }

  #pass(point: string): void {
    if (!this.#armed.has(point)) return
    // At once and whole, because nothing happens in this process after the next line.
    writeSync(2, `${diedAt}${point}\n`)
    process.kill(process.pid, 'SIGKILL')
  }
}
