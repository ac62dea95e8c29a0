// The schema of a form as it is sent to a client: the same object for the same form.
//
// The SDKs compile a validator per schema object and keep it for ever. Without this cache, every question would compile and
// leak one.

import { type EncodedForm, encodeForm, type Form, type Revision, type Revision2025 } from '@assent/core'
import { BoundedCache } from '../bounded-cache.ts'
import { frozen } from '../frozen.ts'

const encoded = new BoundedCache<EncodedForm>()

export function cachedSchema(form: Form, revision: Revision | Revision2025): EncodedForm {
  return encoded.getOrCompute(`${revision} ${JSON.stringify(form)}`, () => frozen(encodeForm(form, revision)))
}
