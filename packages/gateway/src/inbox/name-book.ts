// People's names, as their issuer sent them at their last sign-in on any replica; otherwise their principal.
//
// Rendering an ask is synchronous, so names are looked up beforehand. Names are only displayed; no decision depends on
// them. They are cached for `nameFreshMs`.

import type { Ask } from '@assent/core'
import type { Store } from '@assent/store'
import { inboxLimits } from './limits.ts'

interface Known {
  readonly name: string | undefined
  readonly atMs: number
}

export interface NameBookOptions {
  readonly store: Store
  readonly tenant: string
  /** The name to show when none is stored. */
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

  /** Looks up everyone these asks name. */
  readonly learn = async (asks: readonly Ask[]): Promise<void> => {
    const { store, tenant } = this.#options
    const now = Date.now()
    const isFresh = (principal: string) => {
      const known = this.#known.get(principal)
      return known !== undefined && now - known.atMs < inboxLimits.nameFreshMs
    }
    const wanted = [...new Set(asks.flatMap(peopleIn))].filter((principal) => !isFresh(principal))
    // Clearing the whole cache is fine: names are cheap to look up again.
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
