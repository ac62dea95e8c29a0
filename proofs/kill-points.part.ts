// The named points at which a replica kills itself: before, during and after each step of the store that something hangs
// on. The store is wrapped from outside; the gateway's own code has no hooks and knows of nothing.

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

/** How long after a step began it is in the database's hands. */
const duringMs = 0.3

export class KillPoints {
  #armed: string | undefined
  #hitsLeft = 0

  /** The process dies when this point is passed for the n-th time. */
  arm(point: string, hits: number): void {
    this.#armed = point
    this.#hitsLeft = hits
  }

  disarm(): void {
    this.#armed = undefined
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
          if (this.#isAt(`before ${point}`)) die()
          const running = value.apply(target, args)
          if (this.#isAt(`during ${point}`)) setTimeout(die, duringMs)
          const result = await running
          if (this.#isAt(`after ${point}`)) die()
          return result
        }
      },
    })
  }

  #isAt(point: string): boolean {
    if (this.#armed !== point) return false
    this.#hitsLeft -= 1
    return this.#hitsLeft <= 0
  }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}
