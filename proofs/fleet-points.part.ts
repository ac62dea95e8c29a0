// The named points at which a replica kills itself: before, during and after each step of the store that something hangs
// on. The store is wrapped from outside; the gateway's own code has no hooks and knows of nothing.

import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@assent/core'
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

/** The same, of the kind that shows when the database breaks off. */
export const databaseBugs = {
  /** An answer whose connection broke is taken for kept. */
  hasty: 'acknowledged decisions survive',
  /** An answer whose connection broke is given again, under another name. */
  restless: 'unclear commits are resolved rightly',
} as const

export type Bug = keyof typeof bugs | keyof typeof databaseBugs

type Asks = Store['asks']
type AnswerRequest = Parameters<Asks['answer']>[0]

/** What each of them does in place of the method of the same name. */
const bugged: Readonly<Record<Bug, (asks: Asks) => Partial<Record<keyof Asks, unknown>>>> = {
  forgetful: (asks) => ({ answer: (request: AnswerRequest) => asIfSettled(asks, request) }),
  credulous: (asks) => ({
    wait: async (tenant: string, id: string) => {
      const ask = await asks.read(tenant, id)
      const answer = { action: 'accept', content: { decision: 'go' } }
      return ask && { ...ask, state: { kind: 'settled', answer, by: ask.principal, via: 'inbox', atMs: Date.now() } }
    },
  }),
  hasty: (asks) => ({
    answer: (request: AnswerRequest) => asks.answer(request).catch(() => asIfSettled(asks, request)),
  }),
  restless: (asks) => ({
    answer: (request: AnswerRequest) =>
      asks.answer(request).catch(async () => {
        await sleep(restlessAfterMs)
        return asks.answer({ ...request, decisionId: newId('decision', Date.now(), randomBytes) })
      }),
  }),
}

const restlessAfterMs = 100

async function asIfSettled(asks: Asks, { tenant, id, person, answer, decisionId = '' }: AnswerRequest) {
  const ask = await asks.read(tenant, id)
  const state = { kind: 'settled', answer, by: person.principal, via: 'inbox', decisionId, atMs: Date.now() }
  return ask === undefined ? { kind: 'not-found' } : { kind: 'settled', ask: { ...ask, state } }
}

export function withBug(store: Store, bug: Bug): Store {
  return replaced(store, { asks: replaced(store.asks, bugged[bug](store.asks)) })
}

/** The same object with some of its members replaced. */
function replaced<T extends object>(target: T, members: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (typeof name === 'string' && Object.hasOwn(members, name)) return members[name]
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
    return replaced(store, Object.fromEntries(parts))
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
