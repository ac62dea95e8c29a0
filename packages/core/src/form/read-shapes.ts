// The shapes that one field can have in a JSON schema.
//
// `isAsDefined` marks the shapes that the protocol itself defines: clients validate what they are sent, and some refuse
// every other shape.

import type { Field } from './form.ts'
import type { ObjectRead } from './untrusted.ts'

export interface Shape {
  readonly kind: Field['kind']
  /** The keywords that it can have. */
  readonly keywords: readonly string[]
  /** Where the options are, for the shapes that have them. */
  readonly optionsAt: readonly string[]
  readonly isAsDefined: boolean
}

type Entries = ReadonlyMap<string, unknown>

const common = ['type', 'title', 'description', 'default']
const several = [...common, 'items', 'minItems', 'maxItems', 'uniqueItems']

export function shapeOf(entries: Entries, items: ObjectRead): Shape | undefined {
  switch (entries.get('type')) {
    case 'string':
      return choiceShape(entries, true) ?? textShape
    case 'number':
    case 'integer':
      return numberShape(entries)
    case 'boolean':
      return booleanShape
    case 'array':
      return arrayShape(entries, items)
    case undefined:
      // Own entries only: `type: undefined` is not a missing type.
      return entries.has('type') ? undefined : choiceShape(entries, false)
    default:
      return undefined
  }
}

const textShape: Shape = {
  kind: 'text',
  keywords: [...common, 'minLength', 'maxLength', 'pattern'],
  optionsAt: [],
  isAsDefined: true,
}

const booleanShape: Shape = { kind: 'boolean', keywords: common, optionsAt: [], isAsDefined: true }

function numberShape(entries: Entries): Shape {
  const keywords = [...common, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']
  const isAsDefined = !entries.has('exclusiveMinimum') && !entries.has('exclusiveMaximum')
  return { kind: 'number', keywords, optionsAt: [], isAsDefined }
}

function choiceShape(entries: Entries, isTyped: boolean): Shape | undefined {
  if (entries.has('oneOf')) return choice([...common, 'oneOf'], 'oneOf', isTyped)
  // Some servers write the options of one choice as `anyOf`, which the protocol defines for several choices only.
  if (entries.has('anyOf')) return choice([...common, 'anyOf'], 'anyOf', false)
  if (!entries.has('enum')) return undefined
  return choice([...common, 'enum', 'enumNames'], 'enum', isTyped)
}

function choice(keywords: readonly string[], at: string, isAsDefined: boolean): Shape {
  return { kind: 'choice', keywords, optionsAt: [at], isAsDefined }
}

function arrayShape(entries: Entries, items: ObjectRead): Shape {
  const has = (keyword: string) => items.ok && items.entries.has(keyword)
  const isAsDefined = !entries.has('uniqueItems')
  const choices = { kind: 'choices', keywords: several } as const
  if (has('anyOf')) return { ...choices, optionsAt: ['items', 'anyOf'], isAsDefined: isAsDefined && !has('type') }
  if (has('oneOf')) return { ...choices, optionsAt: ['items', 'oneOf'], isAsDefined: false }
  if (has('enum')) return { ...choices, optionsAt: ['items', 'enum'], isAsDefined: isAsDefined && has('type') }
  return { kind: 'list', keywords: several, optionsAt: ['items'], isAsDefined: false }
}
