// The result of one kind of attack: the number of tries, the successes, and whether its controls worked.
//
// A success is a decision that the person did not make, content of a card or list in hostile hands, or a sign-in code or
// session for another person or program. A failed control is a fault too: without it the refusals prove nothing.

import type { RawReply } from './raw-http.ts'

export class AttackTally {
  readonly kind: string
  /** Text that only the card of the person has. */
  readonly #marker: string
  readonly #faults: string[] = []
  #tries = 0
  #controls = 0

  constructor(kind: string, marker: string) {
    this.kind = kind
    this.#marker = marker
  }

  get tries(): number {
    return this.#tries
  }

  get controls(): number {
    return this.#controls
  }

  get faults(): readonly string[] {
    return this.#faults.map((fault) => `${this.kind}: ${fault}`)
  }

  /** One try whose reply must be a refusal and must show nothing of the card. */
  refused(what: string, { status, text }: RawReply): void {
    this.attempt(what, text, status > 0 && status < 400 ? `was answered with ${status}` : undefined)
  }

  /** One try. `problem` describes how it succeeded. */
  attempt(what: string, readByAttacker: string, problem?: string): void {
    this.#tries += 1
    if (problem !== undefined) this.#faults.push(`${what} ${problem}`)
    else if (readByAttacker.includes(this.#marker)) this.#faults.push(`${what} read the card`)
  }

  /** A success that belongs to no single try. */
  succeeded(what: string): void {
    this.#faults.push(what)
  }

  /** A request that must succeed. Otherwise the attack could fail for another reason, and its refusals prove nothing. */
  control(what: string, isFine: boolean): void {
    this.#controls += 1
    if (!isFine) this.#faults.push(`the control failed, so the attack shows nothing: ${what}`)
  }
}
