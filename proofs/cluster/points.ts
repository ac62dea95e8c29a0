// The named points at which a replica kills itself: before, during and after each important step of the store. The store
// is wrapped from outside; the gateway's code has no hooks for this.

import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@assent/core'
import type { Store } from '@assent/store'

const steps = {
  asks: ['raise', 'answer', 'withdraw', 'wait'],
  calls: ['begin', 'read', 'finish', 'delivered'],
  replicas: ['renew', 'live'],
  sessions: ['begin', 'read', 'move'],
  deferred: ['keep', 'claim', 'finish'],
  audit: ['append'],
} as const satisfies { [Part in keyof Store]?: readonly (keyof Store[Part])[] }

const moments = ['before', 'during', 'after'] as const

export const points: readonly string[] = Object.entries(steps).flatMap(([part, methods]) =>
  methods.flatMap((method) => moments.map((moment) => `${moment} ${part}.${method}`)),
)

/** Prefix of the line that a replica prints before it dies; the point follows. */
export const diedAt = '@died '

/** How long after its start a step is being executed by the database. */
const duringMs = 0.3

/** Bugs planted in replicas to check that the proof finds them in a running cluster; each with the invariant it breaks. */
export const bugs = {
  /** An answer is acknowledged and not stored. */
  'answer-not-stored': 'acknowledged decisions survive',
  /** A wait for a person returns a yes after a while. */
  'approve-after-wait': 'no effect without a stored, matching approval',
} as const

/** Bugs that have an effect when the connection to the database breaks. */
export const databaseBugs = {
  /** An answer whose connection broke is reported as stored. */
  'assume-committed': 'acknowledged decisions survive',
  /** An answer whose connection broke is sent again with another decision id. */
  'answer-twice': 'unclear commits are resolved correctly',
} as const

export type Bug = keyof typeof bugs | keyof typeof databaseBugs

type Asks = Store['asks']
type AnswerRequest = Parameters<Asks['answer']>[0]

/** The methods that each bug replaces. */
const bugged: Readonly<Record<Bug, (asks: Asks) => Partial<Record<keyof Asks, unknown>>>> = {
  'answer-not-stored': (asks) => ({ answer: (request: AnswerRequest) => asIfSettled(asks, request) }),
  'approve-after-wait': (asks) => ({
    wait: async (tenant: string, id: string) => {
      const ask = await asks.read(tenant, id)
      const answer = { action: 'accept', content: { decision: 'go' } }
      return ask && { ...ask, state: { kind: 'settled', answer, by: ask.principal, via: 'inbox', atMs: Date.now() } }
    },
  }),
  'assume-committed': (asks) => ({
    answer: (request: AnswerRequest) => asks.answer(request).catch(() => asIfSettled(asks, request)),
  }),
  'answer-twice': (asks) => ({
    answer: (request: AnswerRequest) =>
      asks.answer(request).catch(async () => {
        await sleep(answerAgainAfterMs)
        return asks.answer({ ...request, decisionId: newId('decision', Date.now(), randomBytes) })
      }),
  }),
}

const answerAgainAfterMs = 100

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

  /** The process kills itself when it next reaches one of these points. */
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
    // Written synchronously, because the next line kills the process.
    writeSync(2, `${diedAt}${point}\n`)
    process.kill(process.pid, 'SIGKILL')
  }
}
