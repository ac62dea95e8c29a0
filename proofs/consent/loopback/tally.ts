// What one kind of attack did: how often it was tried, what it got, and whether its control worked.
//
// A success is a decision that the person did not make, content of a card or list in hostile hands, or a sign-in code or
// session for somebody else. A control that fails is a fault too: an attack that was not real shows nothing.

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

  /** One try. `problem` says in words how it succeeded. */
  attempt(what: string, readByAttacker: string, problem?: string): void {
    this.#tries += 1
    if (problem !== undefined) this.#faults.push(`${what} ${problem}`)
    else if (readByAttacker.includes(this.#marker)) this.#faults.push(`${what} read the card`)
  }

  /** A success that belongs to no single try. */
  succeeded(what: string): void {
    this.#faults.push(what)
  }

  /** Something that must work, so that the refusals mean something. */
  control(what: string, isFine: boolean): void {
    this.#controls += 1
    if (!isFine) this.#faults.push(`the control failed, so the attack shows nothing: ${what}`)
  }
}
