// Bugs planted in a gateway to check that the proof finds them: each is a typical mistake in handling the failure of a
// dependency.

import { isAssentError } from '@assent/core'
import type { Store } from '@assent/store'
import type { Identify } from '../../packages/gateway/src/http/server.ts'

export const bugs = {
  /** An unavailable store counts as a yes, also to a claim and to a lease. */
  'approve-on-error': 'fail-open',
  /** A token that cannot be verified is accepted. */
  'accept-unverified-tokens': 'fail-open',
  /** Deadlines are checked with the clock of the machine. */
  'own-clock': 'fail-open',
  /** Requests wait until the store is available again. */
  'wait-for-store': 'too late',
} as const

export type ClosedBug = keyof typeof bugs

type Method = (...given: never[]) => Promise<unknown>

export function withClosedBug(store: Store, bug: ClosedBug | undefined): Store {
  switch (bug) {
    case 'approve-on-error':
      return changed(store, {
        asks: changedMethods(store.asks, ['wait', 'answer'], approveOnError),
        rounds: changedMethods(store.rounds, ['claim'], approveOnError),
        replicas: changedMethods(store.replicas, ['renew'], approveOnError),
      })
    case 'wait-for-store':
      return changed(store, {
        asks: changedMethods(store.asks, ['raise', 'wait', 'answer', 'read'], waitForStore),
        calls: changedMethods(store.calls, ['begin', 'finish', 'read'], waitForStore),
      })
    case 'own-clock':
      return changed(store, { nowMs: () => Date.now() })
    default:
      return store
  }
}

/** Accepts the claims of a token without verification when its issuer is unreachable. */
export function acceptUnverifiedTokens(identify: Identify): Identify {
  return async (request) => {
    const identified = await identify(request)
    if (identified === undefined || !('refusal' in identified) || identified.refusal.status !== 503) return identified
    const [, claims = ''] = (request.headers.authorization ?? '').split('.')
    const { iss, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string; sub: string }
    return { principal: `${iss}#${sub}`, groups: [] }
  }
}

const yes = { action: 'accept', content: { decision: 'go' } }

async function approveOnError(run: () => Promise<unknown>, name: string): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    if (!isAssentError(error, 'store_unavailable')) throw error
    if (name === 'claim' || name === 'renew') return true
    const state = { kind: 'settled', answer: yes, by: 'nobody', via: 'inbox', atMs: Date.now(), decisionId: 'none' }
    return name === 'wait' ? { state } : { kind: 'settled', ask: { state } }
  }
}

async function waitForStore(run: () => Promise<unknown>): Promise<unknown> {
  for (const endsAt = performance.now() + 15_000; ; ) {
    try {
      return await run()
    } catch (error) {
      if (!isAssentError(error, 'store_unavailable') || performance.now() > endsAt) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function changedMethods<Part extends object>(
  part: Part,
  names: readonly (keyof Part & string)[],
  around: (run: () => Promise<unknown>, name: string) => Promise<unknown>,
): Part {
  const wrapped = names.map((name) => {
    const method = (part[name] as Method).bind(part)
    return [name, (...given: never[]) => around(() => method(...given), name)] as const
  })
  return changed(part, Object.fromEntries(wrapped) as Partial<Part>)
}

/** The same object with some members replaced; the others stay bound to it. */
function changed<Whole extends object>(whole: Whole, members: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get: (_, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name)
      const value: unknown = Reflect.get(whole, name, whole)
      return typeof value === 'function' ? value.bind(whole) : value
    },
  })
}
