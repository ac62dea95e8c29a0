// A server's form as it is sent to a client.
//
// What the protocol defines is passed on unchanged, with the server's annotations. What it does not define (null, a
// list of strings, an exclusive bound, a default that does not fit) is rewritten in the terms of the revision, because
// clients validate the schema and reject the rest.

import { encodeForm, type JsonValue, type Revision } from '@assent/core'
import { readKnownForm } from './screen-questions.ts'

/** For 2025-11-25 and later. Older revisions encode options differently, so for them every form is rewritten. */
export function shownSchema(schema: JsonValue, revision: Revision): JsonValue {
  const read = readKnownForm(schema)
  if (!read.ok || read.isNonStandard !== true) return schema
  const encoded = encodeForm(read.form, revision)
  return encoded.ok ? encoded.schema : schema
}
