// Handlers of the SDK on a store, some of whose replies are replaced.

import { type AssentSettings, createAssent, type DurableStore, type Interaction } from '@assent/sdk'
import type { Store } from '@assent/store'
import { contextOf, type Retry, roundOf } from '../test-kit/mcp/rounds-2026-07-28.ts'

export type Replies = { [Part in 'asks' | 'steps' | 'grants']?: Partial<DurableStore[Part]> }

/** The store with some of its replies replaced. */
export function withReplies(store: Store, replies: Replies): DurableStore {
  const part = (name: keyof Replies) =>
    new Proxy(store[name], {
      get: (target, key) => Reflect.get(replies[name] ?? {}, key) ?? bound(target, key),
    })
  const bound = (target: object, key: string | symbol) => {
    const member = Reflect.get(target, key)
    return typeof member === 'function' ? member.bind(target) : member
  }
  return { asks: part('asks'), steps: part('steps'), grants: part('grants') } as DurableStore
}

/** Calls of a tool "deploy" of the server "ops", one round each. */
export function callsOn(
  store: DurableStore,
  handler: (interaction: Interaction) => Promise<string>,
  settings: AssentSettings = {},
) {
  const { interactive } = createAssent({ name: 'ops', tenant: 'acme', unseenAfterMs: 0, store, ...settings })
  const wrapped = interactive<[], unknown, unknown>(handler, { name: 'deploy' })
  return async (retry: Retry = {}) => roundOf(await wrapped(contextOf(retry)))
}
