// Measurements of the schema proof: a histogram of durations, and checks of prototypes and results.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Timed<R> {
  readonly result: R
  /** Wall-clock time. */
  readonly clockMs: number
  /** An upper bound of our processor time: includes garbage collection, not other processes. */
  readonly ownMs: number
}

export function timed<R>(work: () => R): Timed<R> {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const result = work()
  const clockMs = performance.now() - startedAt
  // Per-thread time has only tick resolution, so the time of the process is used, which includes its other threads.
  const { user, system } = process.cpuUsage(before)
  return { result, clockMs, ownMs: Math.min(clockMs, (user + system) / 1_000) }
}

/** So that garbage of the proof itself does not count for the first cases. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  collect()
}

/** A logarithmic histogram with sixteen buckets per doubling: a million durations take little memory. */
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

  /** The upper edge of the bucket, so the figure is at most 4 % too high. */
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

/** The current members of every prototype; compare with `isUntouched`. */
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

/** True if a result is plain data: own values, no getters, no functions, no other prototype. */
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
