// Writes a form as revision 2025-06-18 has it.
//
// That revision pairs options with labels in a second list (`enumNames`), knows a default for booleans only, and has no
// way to choose several. A default that cannot be said is left out, because the person then merely types more; a field
// that cannot be said makes the whole form unsayable, because its answer would be missing.
import type { JsonObject } from '../json.ts'
import { type ChoiceField, type Field, type Form, mustBeFilled } from './form.ts'
import { describe, listHint, numberHint } from './hints.ts'
import { said } from './said.ts'

export type Encoded =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly reason: string }

export function encode20250618(form: Form): Encoded {
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
      return said({ type: 'string', title, description, format, minLength, maxLength, pattern })
    }
    case 'number': {
      const { above, below, min: minimum = above, max: maximum = below } = field
      const type = field.integer ? 'integer' : 'number'
      return said({ type, title, description: describe(field, numberHint(field)), minimum, maximum })
    }
    case 'boolean':
      return said({ type: 'boolean', title, description, default: field.default })
    case 'choice':
      return said({ type: 'string', title, description, ...encodeOptions(field) })
    case 'list':
      return said({ type: 'string', title, description: describe(field, listHint(field)) })
    case 'choices':
      return undefined
  }
}

function encodeOptions({ options }: ChoiceField): JsonObject {
  const values = { enum: options.map((option) => option.value) }
  if (options.every((option) => option.label === undefined)) return values
  return { ...values, enumNames: options.map((option) => option.label ?? option.value) }
}
