// The schema of a form as a client is told it: the same object again for the same form.
//
// The SDKs compile a validator per schema object and never let go of it. Without this, every question would cost a
// compilation and leave it behind.

import { type Encoded, encodeForm, type Form, type Revision, type Revision2025 } from '@assent/core'
import { Remembered } from '../remembered.ts'

const encoded = new Remembered<Encoded>()

export function encodedOnce(form: Form, revision: Revision | Revision2025): Encoded {
  return encoded.of(`${revision} ${JSON.stringify(form)}`, () => frozen(encodeForm(form, revision)))
}

/** It is shared by every call that asks this form. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
