// Entry bundles (c2sp.org/tlog-tiles): up to 256 entries, each after its length as a big-endian uint16.

import { logLimits } from '../limits.ts'
import { tileWidth } from './tile.ts'

export function encodeBundle(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length === 0 || entries.length > tileWidth) {
    throw new RangeError(`An entry bundle has between 1 and ${tileWidth} entries.`)
  }
  const bundle = new Uint8Array(entries.reduce((bytes, { length }) => bytes + 2 + length, 0))
  let at = 0
  for (const entry of entries) {
    if (entry.length > logLimits.entryBytes) throw new RangeError(`An entry has at most ${logLimits.entryBytes} bytes.`)
    bundle[at] = entry.length >>> 8
    bundle[at + 1] = entry.length & 255
    bundle.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bundle
}

/** The entries of a bundle; undefined unless it has exactly this many and nothing after them. */
export function parseBundle(bundle: Uint8Array, count: number): Uint8Array[] | undefined {
  const entries: Uint8Array[] = []
  let at = 0
  while (at < bundle.length && entries.length < count) {
    const [high, low] = [bundle[at], bundle[at + 1]]
    if (high === undefined || low === undefined) return undefined
    const end = at + 2 + high * 256 + low
    if (end > bundle.length) return undefined
    entries.push(bundle.subarray(at + 2, end))
    at = end
  }
  return at === bundle.length && entries.length === count ? entries : undefined
}
