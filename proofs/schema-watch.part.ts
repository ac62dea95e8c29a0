// What the schema proof measures with: a histogram of durations, and a look at prototypes and results.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Timed<R> {
  readonly result: R
  /** By the clock, whatever else the machine was doing meanwhile. */
  readonly clockMs: number
  /** At most this much of it was ours: garbage collection is in it, the turns of other processes are not. */
  readonly ownMs: number
}

export function timed<R>(work: () => R): Timed<R> {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const result = work()
  const clockMs = performance.now() - startedAt
  // Counted in ticks for one thread, to the microsecond for the process: its other threads make this a ceiling.
  const { user, system } = process.cpuUsage(before)
  return { result, clockMs, ownMs: Math.min(clockMs, (user + system) / 1_000) }
}

/** So that the first judgements are not charged for moving what the proof itself had made before them. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  collect()
}

/** Durations by the logarithm, sixteen steps to a doubling: a million of them cost nothing to keep or to rank. */
export class Durations {
  readonly #buckets = new Uint32Array(1_024)
  #count = 0
  slowestMs = 0

  add(ms: number): void {
    const ns = Math.max(ms * 1e6, 1)
    const bucket = Math.min(Math.floor(Math.log2(ns) * 16), this.#buckets.length - 1)
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#count += 1
    this.slowestMs = Math.max(this.slowestMs, ms)
  }

  /** The upper edge of the bucket, so the figure errs on the slow side by 4 % at most. */
  quantileMs(share: number): number {
    let left = Math.ceil(this.#count * share)
    for (const [bucket, count] of this.#buckets.entries()) {
      left -= count
      if (left <= 0) return 2 ** ((bucket + 1) / 16) / 1e6
    }
    return this.slowestMs
  }
}

const watched = [Object, Array, Function, String, Number, Boolean, Map, Set, Symbol, Error, Promise].map(
  (builtIn) => builtIn.prototype as object,
)

/** What every prototype holds right now; compare with `isUntouched`. */
export function prototypes(): readonly (readonly [object, ReadonlyMap<PropertyKey, unknown>])[] {
  return watched.map((object) => [object, snapshot(object)])
}

export function isUntouched(before: ReturnType<typeof prototypes>): boolean {
  return before.every(([object, known]) => {
    const now = snapshot(object)
    return now.size === known.size && [...now].every(([key, value]) => known.get(key) === value)
  })
}

function snapshot(object: object): ReadonlyMap<PropertyKey, unknown> {
  const entries = Reflect.ownKeys(object).map((key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(object, key)
    return [key, descriptor?.value ?? descriptor?.get] as const
  })
  return new Map(entries)
}

/** True when a result is made of plain data alone: own values, no getters, no functions, no foreign prototype. */
export function isPlainData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return !['function', 'symbol', 'bigint'].includes(typeof value)
  const expected = Array.isArray(value) ? Array.prototype : Object.prototype
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== expected && prototype !== null) return false
  return Reflect.ownKeys(value).every((key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key)
    return descriptor !== undefined && 'value' in descriptor && isPlainData(descriptor.value)
  })
}
