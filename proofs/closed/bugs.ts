// Bugs planted in a gateway to check that the proof finds them: each is a typical mistake in handling the failure of a
// dependency.

import { type Ask, isAssentError } from '@assent/core'
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
type Around = (run: () => Promise<unknown>, name: string, given: readonly unknown[]) => Promise<unknown>

export function withClosedBug(store: Store, bug: ClosedBug | undefined): Store {
  switch (bug) {
    case 'approve-on-error': {
      const approveOnError = approvesOnError()
      return changed(store, {
        asks: changedMethods(store.asks, ['raise', 'wait', 'answer'], approveOnError),
        rounds: changedMethods(store.rounds, ['claim'], approveOnError),
        replicas: changedMethods(store.replicas, ['renew'], approveOnError),
      })
    }
    case 'wait-for-store':
      return changed(store, {
        asks: changedMethods(store.asks, ['raise', 'wait', 'answer', 'read'], waitForStore),
        calls: changedMethods(store.calls, ['begin', 'finish', 'read'], waitForStore),
        replicas: changedMethods(store.replicas, ['renew'], waitForStore),
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

/** A yes has to look like a stored one, so it remembers the asks that were raised. */
function approvesOnError(): Around {
  const raised = new Map<string, Ask>()
  return async (run, name, given) => {
    try {
      const result = await run()
      if (name === 'raise') raised.set((result as Ask).id, result as Ask)
      return result
    } catch (error) {
      if (!isAssentError(error, 'store_unavailable') || name === 'raise') throw error
      if (name === 'claim' || name === 'renew') return true
      const id = name === 'wait' ? (given[1] as string) : (given[0] as { id: string }).id
      const state = { kind: 'settled', answer: yes, by: 'none', via: 'inbox', atMs: Date.now(), decisionId: 'none' }
      const ask = { ...raised.get(id), state }
      return name === 'wait' ? ask : { kind: 'settled', ask }
    }
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
  around: Around,
): Part {
  const wrapped = names.map((name) => {
    const method = (part[name] as Method).bind(part)
    return [name, (...given: never[]) => around(() => method(...given), name, given)] as const
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
