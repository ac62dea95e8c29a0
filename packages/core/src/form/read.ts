// Reads a form from a JSON schema: the flat subset that the protocol allows, and what SDKs write for the same fields.
//
// The schema is untrusted. It is interpreted, never compiled; its members are counted before they are read; and it is
// never read deeper than a form goes, so nesting costs nothing. The shapes of all revisions are accepted from each.

import { formLimits } from '../limits.ts'
import type { Form } from './form.ts'
import { type CompilePattern, noPatterns } from './patterns.ts'
import { type FormProblem, Problems, pointer, shortened } from './problems.ts'
import { draftField } from './read-field.ts'
import { uncheckedIn } from './read-keywords.ts'
import { readList, readObject } from './untrusted.ts'
import { type NamedDraft, validateForm } from './validate-form.ts'

export type FormRead =
  | {
      readonly ok: true
      readonly form: Form
      /** Set when the schema is written in a way that the protocol does not define. Then encode the form for a client. */
      readonly isNonStandard?: true
      /** Set when the schema forbids other properties in an answer. */
      readonly isClosed?: true
    }
  | { readonly ok: false; readonly problems: readonly FormProblem[] }

const keywords = ['type', 'properties', 'required', 'additionalProperties']

/**
 * Never throws.
 *
 * @param patterns compiles the patterns of text fields. Without it a field with a pattern is refused.
 */
export function readForm(schema: unknown, patterns: CompilePattern = noPatterns): FormRead {
  const problems = new Problems()
  const read = readSchema(schema, problems, patterns)
  return read ?? { ok: false, problems: problems.found }
}

function readSchema(schema: unknown, problems: Problems, patterns: CompilePattern): FormRead | undefined {
  const top = readObject(schema, formLimits.keywords)
  if (!top.ok) {
    problems.add('', 'malformed', 'A form must be a plain object with the type "object" and properties.')
    return undefined
  }
  validateTop(top.entries, problems)

  const properties = readObject(top.entries.get('properties'), formLimits.fields)
  if (!properties.ok && properties.why === 'too-many') {
    problems.add('/properties', 'too_large', `A form may have ${formLimits.fields} fields at most.`)
  } else if (!properties.ok) problems.add('/properties', 'malformed', 'The fields must be a plain object.')
  if (!properties.ok) return undefined

  const required = readRequired(top.entries.get('required'), properties.entries, problems)
  const seen: Seen = { isNonStandard: false, defaults: new Set() }
  const form = validateForm(drafts(properties.entries, required, problems, seen), problems, patterns)
  if (form === undefined) return undefined
  // A default that was dropped is one that a client may refuse.
  const isNonStandard =
    seen.isNonStandard || form.fields.some((one) => one.default === undefined && seen.defaults.has(one.name))
  const isClosed = top.entries.get('additionalProperties') === false
  return { ok: true, form, ...(isNonStandard && { isNonStandard }), ...(isClosed && { isClosed }) }
}

interface Seen {
  isNonStandard: boolean
  readonly defaults: Set<string>
}

function validateTop(entries: ReadonlyMap<string, unknown>, problems: Problems): void {
  for (const name of uncheckedIn(entries, keywords)) {
    problems.add(pointer(name), 'unsupported', `A form cannot use "${shortened(name)}".`)
  }
  if (entries.get('type') !== 'object') problems.add('/type', 'unsupported', 'The type of a form must be "object".')
  for (const name of ['$schema', 'title', 'description']) {
    const note = entries.get(name)
    if (note === undefined || (typeof note === 'string' && note.length <= formLimits.descriptionChars)) continue
    problems.add(pointer(name), 'malformed', `This must be text of ${formLimits.descriptionChars} characters at most.`)
  }
  const additional = entries.get('additionalProperties')
  if (additional === undefined || typeof additional === 'boolean' || readObject(additional, formLimits.keywords).ok)
    return
  problems.add('/additionalProperties', 'malformed', 'This must be true, false or a schema.')
}

function readRequired(
  value: unknown,
  properties: ReadonlyMap<string, unknown>,
  problems: Problems,
): ReadonlySet<unknown> {
  if (value === undefined) return new Set()
  const list = readList(value, formLimits.fields)
  if (!list.ok) {
    problems.add('/required', 'malformed', `This must be a list of ${formLimits.fields} field names at most.`)
    return new Set()
  }
  const required = new Set<unknown>()
  for (const [index, name] of list.items.entries()) {
    const path = pointer('required', index)
    if (typeof name !== 'string') problems.add(path, 'malformed', 'This must be the name of a field.')
    else if (!properties.has(name)) problems.add(path, 'contradictory', `There is no field "${shortened(name)}".`)
    else if (required.has(name)) problems.add(path, 'malformed', `"${shortened(name)}" is listed twice.`)
    required.add(name)
  }
  return required
}

/** Lazy, so that validation can stop before the next field is read. */
function* drafts(
  properties: ReadonlyMap<string, unknown>,
  required: ReadonlySet<unknown>,
  problems: Problems,
  seen: Seen,
): Iterable<NamedDraft> {
  for (const [name, property] of properties) {
    const field = draftField(name, property, required.has(name), problems)
    if (field?.isAsDefined === false) seen.isNonStandard = true
    if (field?.hasDefault === true) seen.defaults.add(name)
    if (field !== undefined) yield field.draft
    if (problems.full) return
  }
}
