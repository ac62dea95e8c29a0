// The results of the attempts, by kind.

export interface Judged {
  /** It accessed a resource of another person. */
  readonly succeeded: boolean
  /** The reply reveals whether it exists. */
  readonly reveals: boolean
}

export class Tally {
  readonly kinds: Map<string, number> = new Map()
  succeeded = 0
  reveals = 0

  judge(what: string, { succeeded, reveals }: Judged): void {
    this.kinds.set(what, (this.kinds.get(what) ?? 0) + 1)
    if (!succeeded && !reveals) return
    if (succeeded) this.succeeded++
    if (reveals) this.reveals++
    console.log(`  ${succeeded ? 'SUCCEEDED' : 'REVEALED'}: ${what}`)
  }

  get tried(): number {
    return [...this.kinds.values()].reduce((sum, count) => sum + count, 0)
  }
}
