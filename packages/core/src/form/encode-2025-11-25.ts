// Writes a form as a schema of revision 2025-11-25, which 2026-07-28 shares.
//
// Options are either all bare values or all pairs of `const` and `title`; every kind of field can have a default. Any
// form can be asked in this revision: a list of texts as one text, null as a field that may be left out, and an exclusive
// bound as an inclusive one with a hint.

import { compact } from '../compact.ts'
import type { JsonObject } from '../json.ts'
import { type Field, type Form, mustBeFilled, type Option } from './form.ts'
import { listHint, numberHint, withHint } from './hints.ts'
import { textOfList } from './list-text.ts'

/** @param labels `older` writes the labels of a choice as `enumNames`, which this revision still accepts */
export function encode20251125(form: Form, labels: 'pairs' | 'older' = 'pairs'): JsonObject {
  const required = form.fields.filter(mustBeFilled).map((field) => field.name)
  return {
    type: 'object',
    properties: Object.fromEntries(form.fields.map((field) => [field.name, encodeField(field, labels)])),
    ...(required.length > 0 && { required }),
  }
}

function encodeField(field: Field, labels: 'pairs' | 'older'): JsonObject {
  const { title, description } = field
  switch (field.kind) {
    case 'text': {
      const { format, minLength, maxLength, pattern } = field
      return compact({
        type: 'string',
        title,
        description,
        format,
        minLength,
        maxLength,
        pattern,
        default: field.default,
      })
    }
    case 'number': {
      const { above, below, min: minimum = above, max: maximum = below } = field
      const type = field.integer ? 'integer' : 'number'
      const hinted = withHint(field, numberHint(field))
      return compact({ type, title, description: hinted, minimum, maximum, default: field.default })
    }
    case 'boolean':
      return compact({ type: 'boolean', title, description, default: field.default })
    case 'choice': {
      const pairs = labels === 'older' ? twoLists(field.options) : { oneOf: titled(field.options) }
      const options = isTitled(field.options) ? pairs : { enum: bare(field.options) }
      return compact({ type: 'string', title, description, ...options, default: field.default })
    }
    case 'choices': {
      const { minItems, maxItems } = field
      const items = isTitled(field.options)
        ? { anyOf: titled(field.options) }
        : { type: 'string', enum: bare(field.options) }
      return compact({ type: 'array', title, description, minItems, maxItems, items, default: field.default })
    }
    case 'list': {
      const suggested = field.default === undefined ? undefined : textOfList(field.default)
      return compact({ type: 'string', title, description: withHint(field, listHint(field)), default: suggested })
    }
  }
}

function isTitled(options: readonly Option[]): boolean {
  return options.some((option) => option.label !== undefined)
}

function titled(options: readonly Option[]): readonly JsonObject[] {
  return options.map(({ value, label }) => ({ const: value, title: label ?? value }))
}

function twoLists(options: readonly Option[]): JsonObject {
  return { enum: bare(options), enumNames: options.map(({ value, label }) => label ?? value) }
}

function bare(options: readonly Option[]): readonly string[] {
  return options.map((option) => option.value)
}
