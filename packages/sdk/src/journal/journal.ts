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
  /** Asked while another branch of the handler asked or worked, so a later round may reach it in another order. */
  readonly isConcurrent?: true
  readonly ended?: EndedAsk
}

export interface EndedAsk {
  readonly ending: Ending
  readonly atMs: number
}

export type StepEntry =
  | { readonly kind: 'done'; readonly result?: JsonValue }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string }

/** Either the work failed, or the gate did not open for it. */
export type FailureCode = 'step_failed' | 'grant_refused'

export class Journal {
  /** The id under which steps and asks of this call are stored, the same in every round. */
  readonly callId: string
  readonly #asks: AskEntry[]
  readonly #steps: Map<string, StepEntry>

  constructor(callId: string, asks: readonly AskEntry[] = [], steps: Iterable<readonly [string, StepEntry]> = []) {
    this.callId = callId
    this.#asks = [...asks]
    this.#steps = new Map(steps)
  }

  get asks(): readonly AskEntry[] {
    return this.#asks
  }

  get steps(): ReadonlyMap<string, StepEntry> {
    return this.#steps
  }

  /** The index of the same question, asked `before` times before; undefined if it was never asked. */
  placeOf(fingerprint: string, before: number): number | undefined {
    let left = before
    const place = this.#asks.findIndex((entry) => entry.fingerprint === fingerprint && left-- === 0)
    return place < 0 ? undefined : place
  }

  /** Returns the index of the ask. */
  open(entry: AskEntry): number {
    this.#checkRoom()
    return this.#asks.push(entry) - 1
  }

  setConcurrent(place: number): void {
    const entry = this.#asks[place]
    if (entry !== undefined) this.#asks[place] = { ...entry, isConcurrent: true }
  }

  end(place: number, ending: Ending, atMs: number): AskEntry & { readonly ended: EndedAsk } {
    const entry = this.#asks[place]
    if (entry === undefined || entry.ended !== undefined) throw new Error('Only an open ask can end.')
    const ended = { ...entry, ended: { ending, atMs } }
    this.#asks[place] = ended
    return ended
  }

  keep(name: string, step: StepEntry): void {
    this.#checkRoom()
    this.#steps.set(name, step)
  }

  #checkRoom(): void {
    if (this.#asks.length + this.#steps.size < sdkLimits.entries) return
    throw new AssentError('limit_exceeded', `One call can have at most ${sdkLimits.entries} asks and steps.`)
  }
}

/** The handler was run again for the answers to its questions and asks something else in their place. */
export function outOfOrder(before: string, now: string): AssentError {
  const asks = before === now ? 'asks it with other options' : `asks "${now}"`
  return new AssentError(
    'out_of_order',
    `This handler asked "${before}" before and ${asks} now. It is run again for every answer, so it must ask the same ` +
      'questions again: what varies between runs (time, chance, outside data) belongs in a step.',
  )
}

/** Half a digest: 128 bits, because the journal is sent with every round. */
export function fingerprintOf({ kind, question }: Description): string {
  return digestOf('ask v1', { kind, question }).slice('sha256:'.length, 'sha256:'.length + 32)
}
