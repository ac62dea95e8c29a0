// What came of the attempts, by who or what was tried.

export interface Judged {
  /** It reached what is another's. */
  readonly succeeded: boolean
  /** The reply told whether it exists. */
  readonly told: boolean
}

export class Tally {
  readonly kinds: Map<string, number> = new Map()
  succeeded = 0
  told = 0

  judge(what: string, { succeeded, told }: Judged): void {
    this.kinds.set(what, (this.kinds.get(what) ?? 0) + 1)
    if (!succeeded && !told) return
    if (succeeded) this.succeeded++
    if (told) this.told++
    console.log(`  ${succeeded ? 'SUCCEEDED' : 'TOLD'}: ${what}`)
  }

  get tried(): number {
    return [...this.kinds.values()].reduce((sum, count) => sum + count, 0)
  }
}
