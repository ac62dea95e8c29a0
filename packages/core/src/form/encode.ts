// Writes a form in the shape that one revision defines.
import type { Revision } from '../revisions.ts'
import { type EncodedForm, encode20250618 } from './encode-2025-06-18.ts'
import { encode20251125 } from './encode-2025-11-25.ts'
import type { Form } from './form.ts'

/** A client that uses 2025-06-18 or 2025-11-25; which one is unknown. */
export type Revision2025 = 'either-2025'

export function encodeForm(form: Form, revision: Revision | Revision2025): EncodedForm {
  switch (revision) {
    case '2025-06-18':
      return encode20250618(form)
    // Both revisions define labels in a second list, so that no client loses them.
    case 'either-2025':
      return { ok: true, schema: encode20251125(form, 'older') }
    case '2025-11-25':
    case '2026-07-28':
      return { ok: true, schema: encode20251125(form) }
  }
}
