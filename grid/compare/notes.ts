// The notes of a client, step by step. Replies are stored as received and normalized for each comparison.

import type { Seen } from './caller.ts'
import type { Notes } from './differences.ts'
import { normalSeen, type Sides } from './normal.ts'

/** How a request ended, among the notes. */
class Ended {
  readonly seen: Seen

  constructor(seen: Seen) {
    this.seen = seen
  }
}

export class Notebook {
  readonly #notes = new Map<string, unknown>()

  note(step: string, value: unknown): void {
    this.#notes.set(step, value)
  }

  seen(step: string, seen: Seen): void {
    this.#notes.set(step, new Ended(seen))
  }

  for(sides: Sides): Notes {
    const normal = [...this.#notes].map(
      ([step, value]) => [step, value instanceof Ended ? normalSeen(value.seen, sides) : value] as const,
    )
    return new Map(normal)
  }
}
