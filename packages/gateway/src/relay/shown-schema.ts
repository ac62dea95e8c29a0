// A server's form as a client is sent it.
//
// What the protocol defines passes as it came, with the server's own annotations. What it does not define (null, a list of
// texts, an exclusive bound, a default that does not fit) is written in the words of the revision, because clients validate
// what they are sent and refuse the rest.

import { encodeForm, type JsonValue, type Revision } from '@assent/core'
import { readKnownForm } from './judge-wanted.ts'

/** For 2025-11-25 and later. Older revisions spell options differently, so for them every form is written anew. */
export function shownSchema(schema: JsonValue, revision: Revision): JsonValue {
  const read = readKnownForm(schema)
  if (!read.ok || read.isForeign !== true) return schema
  const encoded = encodeForm(read.form, revision)
  return encoded.ok ? encoded.schema : schema
}
