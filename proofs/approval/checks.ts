// The checks of a run: each has one sentence, and whether it held.

export interface Check {
  readonly what: string
  readonly ok: boolean
  /** What was found instead. */
  readonly found?: unknown
}

export class Checks {
  readonly all: Check[] = []

  is(what: string, ok: boolean, found?: unknown): void {
    this.all.push({ what, ok, ...(ok ? {} : { found }) })
  }

  /** Compares as JSON. */
  same(what: string, found: unknown, expected: unknown): void {
    this.is(what, JSON.stringify(found) === JSON.stringify(expected), found)
  }

  get failed(): readonly Check[] {
    return this.all.filter(({ ok }) => !ok)
  }
}
