// Writes a form as a schema of revision 2025-06-18.
//
// That revision pairs options with labels in a second list (`enumNames`), has defaults for booleans only, and has no
// multiple choice. A default that cannot be expressed is left out: the person then types more. A form with a field that
// cannot be expressed is refused, because the answer would be missing.

import { compact } from '../compact.ts'
import type { JsonObject } from '../json.ts'
import { type ChoiceField, type Field, type Form, mustBeFilled } from './form.ts'
import { listHint, numberHint, withHint } from './hints.ts'

export type EncodedForm =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly reason: string }

export function encode20250618(form: Form): EncodedForm {
  const properties: [name: string, property: JsonObject][] = []
  for (const field of form.fields) {
    const property = encodeField(field)
    if (property === undefined)
      return { ok: false, reason: `In 2025-06-18 "${field.name}" cannot allow several choices.` }
    properties.push([field.name, property])
  }
  const required = form.fields.filter(mustBeFilled).map((field) => field.name)
  return {
    ok: true,
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    },
  }
}

function encodeField(field: Field): JsonObject | undefined {
  const { title, description } = field
  switch (field.kind) {
    case 'text': {
      const { format, minLength, maxLength, pattern } = field
      return compact({ type: 'string', title, description, format, minLength, maxLength, pattern })
    }
    case 'number': {
      const { above, below, min: minimum = above, max: maximum = below } = field
      const type = field.integer ? 'integer' : 'number'
      return compact({ type, title, description: withHint(field, numberHint(field)), minimum, maximum })
    }
    case 'boolean':
      return compact({ type: 'boolean', title, description, default: field.default })
    case 'choice':
      return compact({ type: 'string', title, description, ...encodeOptions(field) })
    case 'list':
      return compact({ type: 'string', title, description: withHint(field, listHint(field)) })
    case 'choices':
      return undefined
  }
}

function encodeOptions({ options }: ChoiceField): JsonObject {
  const values = { enum: options.map((option) => option.value) }
  if (options.every((option) => option.label === undefined)) return values
  return { ...values, enumNames: options.map((option) => option.label ?? option.value) }
}
