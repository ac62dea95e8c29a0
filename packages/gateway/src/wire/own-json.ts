// JSON that we wrote ourselves and get back from the store, with what others said inside it.

import { type JsonValue, readJson } from '@assent/core'

// Ours is never deeper than a message and the little around it.
const depth = 2_000

/** Never with JSON.parse, which can be made to misread names that are spelled with escapes (see core's digest/parse.ts). */
export function readOwnJson(text: string): JsonValue {
  return readJson(text, { depth, halfPairs: 'keep', numbers: 'nearest' })
}
