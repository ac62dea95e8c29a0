// What has happened in one call so far: the asks with their endings, and the steps with their results.
//
// A journal knows nothing of how it travels. An ask is known again by what it asks and by how often the very same was
// asked before it, so that branches that run side by side may take turns differently in each round; the answer to one
// question is never taken for the answer to another. What has ended or finished never changes.

import { AssentError, digestOf, type JsonValue } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import { sdkLimits } from '../limits.ts'

export interface AskEntry {
  readonly id: string
  /** Of the question, so that the answer to one question is never taken for the answer to another. */
  readonly mark: string
  readonly label: string
  readonly decideByMs: number
  /** Asked while another branch of the handler asked or worked, so it may be met later than what came after it. */
  readonly isBeside?: true
  readonly ended?: Ended
}

export interface Ended {
  readonly ending: Ending
  readonly atMs: number
}

export type StepEntry =
  | { readonly kind: 'done'; readonly result?: JsonValue }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string }

/** Either the work failed, or the gate did not open for it. */
export type FailureCode = 'step_failed' | 'grant_refused'

export class Journal {
  /** Of this call: what its steps and asks are kept under, in every round. */
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

  /** Where the very same question stands that was asked so many times before; nothing when it was never asked. */
  placeOf(mark: string, before: number): number | undefined {
    let left = before
    const place = this.#asks.findIndex((entry) => entry.mark === mark && left-- === 0)
    return place < 0 ? undefined : place
  }

  /** Returns its place. */
  open(entry: AskEntry): number {
    this.#makeRoom()
    return this.#asks.push(entry) - 1
  }

  setBeside(place: number): void {
    const entry = this.#asks[place]
    if (entry !== undefined) this.#asks[place] = { ...entry, isBeside: true }
  }

  end(place: number, ending: Ending, atMs: number): AskEntry & { readonly ended: Ended } {
    const entry = this.#asks[place]
    if (entry === undefined || entry.ended !== undefined) throw new Error('Only an open ask can end.')
    const ended = { ...entry, ended: { ending, atMs } }
    this.#asks[place] = ended
    return ended
  }

  keep(name: string, step: StepEntry): void {
    this.#makeRoom()
    this.#steps.set(name, step)
  }

  #makeRoom(): void {
    if (this.#asks.length + this.#steps.size < sdkLimits.entries) return
    throw new AssentError('limit_exceeded', `One call asks and steps at most ${sdkLimits.entries} times.`)
  }
}

/** The handler was run again for the answers to its questions and asks something else in their place. */
export function outOfOrder(before: string, now: string): AssentError {
  const asks = before === now ? 'asks that about something else' : `asks "${now}"`
  return new AssentError(
    'out_of_order',
    `This handler asked "${before}" before and ${asks} now. It is run again for every answer, so it must ask the same ` +
      'questions again: what varies between runs (time, chance, outside data) belongs in a step.',
  )
}

/** Half a digest: 128 bits, because every byte of a journal travels. */
export function markOf({ kind, question }: Description): string {
  return digestOf('ask v1', { kind, question }).slice('sha256:'.length, 'sha256:'.length + 32)
}
