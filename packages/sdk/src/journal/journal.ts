// What has happened in one call so far: the asks with their endings, and the steps with their results.
//
// A journal does not depend on how it is sent. An ask is identified by its question and by how often the same question was
// asked before it, so that concurrent branches may take turns differently in each round; the answer to one
// question is never used as the answer to another. An ask that has ended and a step that has finished never change.

import { AssentError, digestOf, type JsonValue } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import { sdkLimits } from '../limits.ts'

export interface AskEntry {
  readonly id: string
  /** Identifies the question, so that its answer is never used for another question. */
  readonly fingerprint: string
  readonly label: string
  readonly decideByMs: number
  /** In which it was first asked. */
  readonly round: number
  readonly ended?: EndedAsk
}

export interface EndedAsk {
  readonly ending: Ending
  readonly atMs: number
  /** In which the handler first got the answer. */
  readonly round: number
}

export type StepEntry =
  | { readonly kind: 'done'; readonly result?: JsonValue }
  | {
      readonly kind: 'failed'
      readonly code: FailureCode
      readonly message: string
      readonly cause?: FailureCause
    }
  /** Done; its outcome is too large for the state and is in the store only. */
  | { readonly kind: 'stored' }

/** What is kept of the error that the work threw. */
export interface FailureCause {
  readonly name: string
  readonly code?: string | number
  readonly data?: JsonValue
}

/** Either the work failed, or the gate did not open for it. */
export type FailureCode = 'step_failed' | 'grant_refused'

/** A finished step, and the round in which it ran. */
export interface JournalStep {
  readonly entry: StepEntry
  readonly round: number
}

/** What earlier rounds left. */
export interface EarlierRounds {
  /** The number of this round; 1 for the first. */
  readonly round?: number
  readonly asks?: readonly AskEntry[]
  readonly steps?: Iterable<readonly [string, JournalStep]>
  /** The arguments of the first round, if they are not those that the state is bound to. */
  readonly given?: JsonValue
}

export class Journal {
  /** The id under which steps and asks of this call are stored, the same in every round. */
  readonly callId: string
  readonly round: number
  given: JsonValue | undefined
  readonly #asks: AskEntry[]
  readonly #steps: Map<string, JournalStep>

  constructor(callId: string, { round = 1, asks = [], steps = [], given }: EarlierRounds = {}) {
    this.callId = callId
    this.round = round
    this.given = given
    this.#asks = [...asks]
    this.#steps = new Map(steps)
  }

  get asks(): readonly AskEntry[] {
    return this.#asks
  }

  get steps(): ReadonlyMap<string, JournalStep> {
    return this.#steps
  }

  /** The index of the same question, asked `before` times before; undefined if it was never asked. */
  placeOf(fingerprint: string, before: number): number | undefined {
    let left = before
    const place = this.#asks.findIndex((entry) => entry.fingerprint === fingerprint && left-- === 0)
    return place < 0 ? undefined : place
  }

  /** Returns the index of the ask. */
  open(entry: Omit<AskEntry, 'round' | 'ended'>): number {
    this.#checkRoom()
    return this.#asks.push({ ...entry, round: this.round }) - 1
  }

  end(place: number, ending: Ending, atMs: number): AskEntry & { readonly ended: EndedAsk } {
    const entry = this.#asks[place]
    if (entry === undefined || entry.ended !== undefined) throw new Error('Only an open ask can end.')
    const ended = { ...entry, ended: { ending, atMs, round: this.round } }
    this.#asks[place] = ended
    return ended
  }

  keep(name: string, entry: StepEntry): void {
    this.#checkRoom()
    this.#steps.set(name, { entry, round: this.round })
  }

  #checkRoom(): void {
    if (this.#asks.length + this.#steps.size < sdkLimits.entries) return
    throw new AssentError('limit_exceeded', `One call can have at most ${sdkLimits.entries} asks and steps.`)
  }
}

/** Half a digest: 128 bits, because the journal is sent with every round. */
export function fingerprintOf({ kind, question }: Description): string {
  return digestOf('ask v1', { kind, question }).slice('sha256:'.length, 'sha256:'.length + 32)
}
