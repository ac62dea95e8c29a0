// Writes a form as revision 2025-11-25 has it, and 2026-07-28 after it.
//
// Options are either all bare values or all pairs of `const` and `title`; every kind of field can have a default. Any
// form can be said in this revision.
import type { JsonObject } from '../json.ts'
import type { Field, Form, Option } from './form.ts'
import { said } from './said.ts'

export function encode20251125(form: Form): JsonObject {
  const required = form.fields.filter((field) => field.required).map((field) => field.name)
  return {
    type: 'object',
    properties: Object.fromEntries(form.fields.map((field) => [field.name, encodeField(field)])),
    ...(required.length > 0 && { required }),
  }
}

function encodeField(field: Field): JsonObject {
  const { title, description } = field
  switch (field.kind) {
    case 'text': {
      const { format, minLength, maxLength } = field
      return said({ type: 'string', title, description, format, minLength, maxLength, default: field.default })
    }
    case 'number': {
      const { min: minimum, max: maximum } = field
      const type = field.integer ? 'integer' : 'number'
      return said({ type, title, description, minimum, maximum, default: field.default })
    }
    case 'boolean':
      return said({ type: 'boolean', title, description, default: field.default })
    case 'choice': {
      const options = isTitled(field.options) ? { oneOf: titled(field.options) } : { enum: bare(field.options) }
      return said({ type: 'string', title, description, ...options, default: field.default })
    }
    case 'choices': {
      const { minItems, maxItems } = field
      const items = isTitled(field.options)
        ? { anyOf: titled(field.options) }
        : { type: 'string', enum: bare(field.options) }
      return said({ type: 'array', title, description, minItems, maxItems, items, default: field.default })
    }
  }
}

function isTitled(options: readonly Option[]): boolean {
  return options.some((option) => option.label !== undefined)
}

function titled(options: readonly Option[]): readonly JsonObject[] {
  return options.map(({ value, label }) => ({ const: value, title: label ?? value }))
}

function bare(options: readonly Option[]): readonly string[] {
  return options.map((option) => option.value)
}
