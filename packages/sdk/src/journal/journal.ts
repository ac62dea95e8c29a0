// What has happened in one call so far: the asks with their endings, and the steps with their results.
//
// A journal does not depend on how it is sent. An ask is identified by what the person is shown and by how often the same was
// asked before it, so that concurrent branches may take turns differently in each round; the answer to one
// question is never used as the answer to another. An ask that has ended and a step that has finished never change.

import { AssentError, compact, digestOf, type JsonValue, type Question, visibleText } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import { sdkLimits } from '../limits.ts'
import { oncePer } from '../once-per.ts'

export interface AskEntry {
  readonly id: string
  /** Identifies what was asked, so that its answer is never used for anything else. */
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
  /** Steps that are running, and how many characters of their results have a place. */
  readonly #reserved = new Map<string, number>()

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

  /** Identifies the ask in every state of this call. Its place does not: two states may have another ask in one place. */
  identityOf(place: number): string {
    const { fingerprint } = this.#asks[place] as AskEntry
    const same = this.#asks.slice(0, place + 1).filter((entry) => entry.fingerprint === fingerprint)
    return `${fingerprint} ${same.length}`
  }

  /** How many characters are reserved for results of running steps. */
  get reservedChars(): number {
    let chars = 0
    for (const reserved of this.#reserved.values()) chars += reserved
    return chars
  }

  /** Returns the index of the ask. */
  open(entry: Omit<AskEntry, 'round' | 'ended'>): number {
    this.#checkRoom(1)
    return this.#asks.push({ ...entry, round: this.round }) - 1
  }

  end(place: number, ending: Ending, atMs: number): AskEntry & { readonly ended: EndedAsk } {
    const entry = this.#asks[place]
    if (entry === undefined || entry.ended !== undefined) throw new Error('Only an open ask can end.')
    const ended = { ...entry, ended: { ending, atMs, round: this.round } }
    this.#asks[place] = ended
    return ended
  }

  /** Before the work of a step, so that its result always has a place. Throws if there is none. */
  reserve(steps: ReadonlyMap<string, number>): void {
    const added = [...steps].filter(([name]) => !this.#reserved.has(name) && !this.#steps.has(name))
    this.#checkRoom(added.length)
    for (const [name, chars] of added) this.#reserved.set(name, chars)
  }

  isReserved(name: string): boolean {
    return this.#reserved.has(name)
  }

  /** Only a step that was reserved. */
  keep(name: string, entry: StepEntry): void {
    if (!this.#reserved.delete(name)) throw new Error('Only a step that has a place can be kept.')
    this.#steps.set(name, { entry, round: this.round })
  }

  #checkRoom(added: number): void {
    if (this.#asks.length + this.#steps.size + this.#reserved.size + added <= sdkLimits.entries) return
    throw new AssentError('limit_exceeded', `One call can have at most ${sdkLimits.entries} asks and steps.`)
  }
}

/** The digest of a question, the larger part of a fingerprint. */
const questionDigest = oncePer((question: Question) => digestOf('question v1', question))

/**
 * Everything that the person sees or that decides where they are asked, so that a yes to "Delete this file? Why: a.txt" is never
 * used for another reason. Half a digest: 128 bits, because the journal is sent with every round.
 */
export const fingerprintOf = oncePer(
  ({ kind, question, options }: Pick<Description, 'kind' | 'question' | 'options'>): string => {
    const { reason, risk, surface } = options
    const asked = {
      kind,
      question: questionDigest(question),
      risk,
      // As it is shown, because the author's text may not be well-formed.
      ...compact({ reason: reason === undefined ? undefined : visibleText(reason, 'web'), surface }),
    }
    return digestOf('ask v2', asked).slice(digestStart, digestStart + 32)
  },
)

const digestStart = 'sha256:'.length
