// A tool as the playground shows it: a widget for each argument that a form can express, a JSON field for the others.
//
// Only the server validates arguments. So keywords that a form does not support are dropped if they only restrict a
// plain value, and structured arguments are entered as JSON.

import {
  drawField,
  type FieldView,
  formLimits,
  isPlainObject,
  type JsonObject,
  oneLine,
  type PlayFieldView,
  type PlayToolView,
  readForm,
  visibleText,
} from '@assent/core'
import { objectAt, stringAt } from '../../protocol/messages.ts'

/** The keywords that a form supports; all others only restrict the value. */
const supportedKeywords = [
  'type',
  'title',
  'description',
  'enum',
  'oneOf',
  'default',
  'minLength',
  'maxLength',
  'items',
]
const bounds = ['minimum', 'maximum']
const formats = ['email', 'uri', 'date', 'date-time']

/** Undefined for a tool without a name. */
export function drawTool(tool: JsonObject): PlayToolView | undefined {
  const name = stringAt(tool, 'name')
  if (name === undefined || name === '') return undefined
  const schema = objectAt(tool, 'inputSchema') ?? {}
  const required = Array.isArray(schema.required) ? schema.required : []
  const properties = Object.entries(objectAt(schema, 'properties') ?? {}).slice(0, formLimits.fields)
  const description = stringAt(tool, 'description')
  return {
    name,
    label: oneLine(stringAt(tool, 'title') ?? name, 'web', { maxChars: formLimits.titleChars }),
    ...(description === undefined ? {} : { description: shown(description) }),
    fields: properties.map(([field, one]) => drawArgument(field, one, required.includes(field))),
    schema: visibleText(JSON.stringify(schema, undefined, 2), 'web'),
  }
}

function drawArgument(name: string, schema: unknown, required: boolean): PlayFieldView {
  const field = isPlainObject(schema) ? readField(name, formSchema(schema as JsonObject), required) : undefined
  if (field !== undefined) return field
  const help = isPlainObject(schema) ? stringAt(schema as JsonObject, 'description') : undefined
  return {
    kind: 'json',
    name,
    label: argumentLabel(name),
    ...(help === undefined ? {} : { help: shown(help) }),
    required,
  }
}

function readField(name: string, schema: JsonObject, required: boolean): FieldView | undefined {
  const read = readForm({ type: 'object', properties: { [name]: schema }, required: required ? [name] : [] })
  const [field] = read.ok ? read.form.fields : []
  if (field === undefined) return undefined
  // Without a title the name itself, as the card of a question shows the argument.
  return { ...drawField(field), ...(field.title === undefined ? { label: argumentLabel(name) } : {}) }
}

function argumentLabel(name: string): string {
  return oneLine(name, 'web', { maxChars: formLimits.titleChars })
}

function formSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(([keyword, value]) => {
    if (keyword === 'format') return formats.includes(String(value))
    // The largest and smallest safe integers are not useful as bounds of a slider.
    if (bounds.includes(keyword)) return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
    return supportedKeywords.includes(keyword)
  })
  return Object.fromEntries(entries)
}

function shown(text: string): string {
  return visibleText(text, 'web', { maxChars: formLimits.descriptionChars })
}
