// What people are called, as their issuer told when they last signed in anywhere; by their principal otherwise.
//
// Drawing an ask needs names at once, so they are looked up before. A name is shown and nothing is decided by it; one that
// changed is known a minute later.

import type { Ask } from '@assent/core'
import type { Store } from '@assent/store'
import { inboxLimits } from '../limits.ts'

interface Known {
  readonly name: string | undefined
  readonly atMs: number
}

export interface NameBookOptions {
  readonly store: Store
  readonly tenant: string
  /** Where no name is known. */
  readonly otherwise: (principal: string) => string
}

export class NameBook {
  readonly #options: NameBookOptions
  readonly #known = new Map<string, Known>()

  constructor(options: NameBookOptions) {
    this.#options = options
  }

  readonly nameOf = (principal: string): string => {
    return this.#known.get(principal)?.name ?? this.#options.otherwise(principal)
  }

  /** Looks up everybody whom these asks name. */
  readonly learn = async (asks: readonly Ask[]): Promise<void> => {
    const { store, tenant } = this.#options
    const now = Date.now()
    const isFresh = (principal: string) => {
      const known = this.#known.get(principal)
      return known !== undefined && now - known.atMs < inboxLimits.nameFreshMs
    }
    const wanted = [...new Set(asks.flatMap(peopleIn))].filter((principal) => !isFresh(principal))
    // They are all of them cheap to look up again.
    if (this.#known.size + wanted.length > inboxLimits.names) this.#known.clear()
    await Promise.all(
      wanted.map(async (principal) => {
        this.#known.set(principal, { name: await store.signIns.nameOf(tenant, principal), atMs: now })
      }),
    )
  }
}

function peopleIn({ principal, votes, state }: Ask): string[] {
  return [principal, ...votes.map(({ by }) => by), ...(state.kind === 'settled' ? [state.by] : [])]
}
