// JSON that the gateway wrote and reads back from the store, with other parties' content inside.

import { type JsonValue, readJson } from '@assent/core'

// Never deeper than a message plus our own few levels.
const depth = 2_000

/** Not JSON.parse, which can be made to misread escaped member names (see core's digest/parse.ts). */
export function readOwnJson(text: string): JsonValue {
  return readJson(text, { depth, halfPairs: 'keep', numbers: 'nearest' })
}
