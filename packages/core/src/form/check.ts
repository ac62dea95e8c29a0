// Checks an answer against its form. Only content that passes here is used.
//
// It does not check who answered. The result is built here, field by field in the form's order, from values read once;
// the input object is never passed on.

import { formLimits } from '../limits.ts'
import { type Content, type ContentOf, type FieldValue, type Form, mustBeFilled } from './form.ts'
import type { CompilePattern } from './patterns.ts'
import { shortened } from './problems.ts'
import { readObject } from './untrusted.ts'
import { checkValue } from './value.ts'

export interface ContentIssue {
  /** The field's name, shortened if the form has no such field; empty when the whole answer is invalid. */
  readonly field: string
  readonly message: string
}

export type CheckedContent<C = Content> =
  | { readonly ok: true; readonly content: C }
  | { readonly ok: false; readonly issues: readonly ContentIssue[] }

export interface ContentCheckOptions {
  /** Without it no text fits a field with a pattern. */
  readonly patterns?: CompilePattern | undefined
  /** What happens to properties that the form does not have; `refuse` by default. */
  readonly extras?: 'refuse' | 'drop'
}

/** Missing content is an empty answer: valid only if no field is required. */
export function checkContent<F extends Form>(
  form: F,
  content: unknown,
  { patterns, extras = 'refuse' }: ContentCheckOptions = {},
): CheckedContent<ContentOf<F>> {
  const read = readObject(content === undefined ? {} : content, formLimits.fields)
  if (!read.ok) {
    const message =
      read.why === 'too-many' ? 'There are too many answers.' : 'The answer must be a set of named values.'
    return { ok: false, issues: [{ field: '', message }] }
  }

  const issues: ContentIssue[] = []
  const accepted: [name: string, value: FieldValue | null][] = []
  for (const field of form.fields) {
    const value = read.entries.get(field.name)
    if (value === undefined && mustBeFilled(field)) issues.push({ field: field.name, message: 'This is required.' })
    if (field.nullable === true && (value === null || (value === undefined && field.required))) {
      accepted.push([field.name, null])
      continue
    }
    if (value === undefined) continue
    const checked = checkValue(field, value, patterns)
    if (checked.ok) accepted.push([field.name, checked.value])
    else issues.push({ field: field.name, message: checked.message })
  }

  const known = new Set(form.fields.map((field) => field.name))
  for (const name of extras === 'drop' ? [] : read.entries.keys()) {
    if (!known.has(name)) issues.push({ field: shortened(name), message: 'This was not asked for.' })
  }

  if (issues.length > 0) return { ok: false, issues: issues.slice(0, formLimits.problems) }
  return { ok: true, content: withoutPrototype(accepted) as ContentOf<F> }
}

/** An optional field called "constructor" that was left empty must read as undefined, not as the member of Object. */
function withoutPrototype(entries: readonly (readonly [string, FieldValue | null])[]): Content {
  const content: Record<string, FieldValue | null> = Object.create(null)
  for (const [name, value] of entries) content[name] = value
  return content
}
