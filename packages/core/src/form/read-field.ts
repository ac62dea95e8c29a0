// One property of a JSON schema, put into the form's own words for the judge.
//
// This module knows the shapes a field can have on the wire, of every revision, the five of enums among them. It
// decides which shape it is looking at and refuses keywords that the shape does not have; what their values must be is
// the judge's business.
import { formLimits } from '../limits.ts'
import { type ObjectRead, readList, readObject } from './foreign.ts'
import type { Field } from './form.ts'
import type { NamedDraft } from './judge.ts'
import { type ProblemCode, type Problems, pointer, shortened } from './problems.ts'
import type { OptionDraft } from './take.ts'

interface Shape {
  readonly kind: Field['kind']
  readonly keywords: readonly string[]
  /** Where the options are, for the shapes that have them. */
  readonly optionsAt: readonly string[]
}

const common = ['type', 'title', 'description', 'default']
const several = [...common, 'items', 'minItems', 'maxItems']
const text: Shape = { kind: 'text', keywords: [...common, 'format', 'minLength', 'maxLength'], optionsAt: [] }
const number: Shape = { kind: 'number', keywords: [...common, 'minimum', 'maximum'], optionsAt: [] }
const boolean: Shape = { kind: 'boolean', keywords: common, optionsAt: [] }
const choice: Shape = { kind: 'choice', keywords: [...common, 'enum', 'enumNames'], optionsAt: ['enum'] }
const titledChoice: Shape = { kind: 'choice', keywords: [...common, 'oneOf'], optionsAt: ['oneOf'] }
const choices: Shape = { kind: 'choices', keywords: several, optionsAt: ['items', 'enum'] }
const titledChoices: Shape = { kind: 'choices', keywords: several, optionsAt: ['items', 'anyOf'] }

type Entries = ReadonlyMap<string, unknown>
type Refuse = (steps: readonly (string | number)[], code: ProblemCode, reason: string) => undefined

/** Undefined when the property is not enough of a field to be judged; then the problems say why. */
export function draftField(
  name: string,
  property: unknown,
  required: boolean,
  problems: Problems,
): NamedDraft | undefined {
  const path = (steps: readonly (string | number)[]) => pointer('properties', name, ...steps)
  const refuse: Refuse = (steps, code, reason) => {
    problems.add(path(steps), code, reason)
  }

  const read = readObject(property, formLimits.keywords)
  if (!read.ok) return refuse([], 'malformed', 'A field must be a plain object with a type and a few keywords.')
  const items = readObject(read.entries.get('items'), formLimits.keywords)
  const shape = shapeOf(read.entries, items)
  if (shape === undefined) {
    return refuse(['type'], 'unsupported', 'A field must be a string, number, integer, boolean or array.')
  }
  refuseOthers(read.entries, shape.keywords, [], refuse)

  const options = draftOptions(shape, read.entries, items, refuse)
  if (options === undefined) return undefined
  return {
    name,
    kind: shape.kind,
    parts: partsOf(read.entries, shape, required),
    options,
    path: (part, index) => {
      const steps = part === undefined ? [] : part === 'options' ? shape.optionsAt : [keywordOf(part)]
      return path(index === undefined ? steps : [...steps, index])
    },
  }
}

function shapeOf(entries: Entries, items: ObjectRead): Shape | undefined {
  switch (entries.get('type')) {
    case 'string':
      if (entries.has('oneOf')) return titledChoice
      return entries.has('enum') ? choice : text
    case 'number':
    case 'integer':
      return number
    case 'boolean':
      return boolean
    case 'array':
      return items.ok && items.entries.has('anyOf') ? titledChoices : choices
    default:
      return undefined
  }
}

function refuseOthers(entries: Entries, allowed: readonly string[], at: readonly string[], refuse: Refuse): void {
  for (const name of entries.keys()) {
    if (allowed.includes(name)) continue
    refuse([...at, name], 'unsupported', `A field of this type cannot use "${shortened(name)}".`)
  }
}

function partsOf(entries: Entries, shape: Shape, required: boolean): Entries {
  const parts = new Map<string, unknown>([['required', required]])
  for (const keyword of shape.keywords) parts.set(partOf(keyword), entries.get(keyword))
  if (shape.kind === 'number') parts.set('integer', entries.get('type') === 'integer')
  return parts
}

/** Empty for shapes without options; undefined when there should be some and they cannot be read. */
function draftOptions(
  shape: Shape,
  entries: Entries,
  items: ObjectRead,
  refuse: Refuse,
): readonly OptionDraft[] | undefined {
  switch (shape) {
    case choice:
      return untitledOptions(shape, entries.get('enum'), entries.get('enumNames'), refuse)
    case titledChoice:
      return titledOptions(shape, entries.get('oneOf'), refuse)
    case choices:
    case titledChoices:
      return itemOptions(shape, items, refuse)
    default:
      return []
  }
}

function itemOptions(shape: Shape, items: ObjectRead, refuse: Refuse): readonly OptionDraft[] | undefined {
  if (!items.ok) return refuse(['items'], 'unsupported', 'A list field must say what can be chosen from.')
  if (shape === titledChoices) {
    refuseOthers(items.entries, ['anyOf'], ['items'], refuse)
    return titledOptions(shape, items.entries.get('anyOf'), refuse)
  }
  refuseOthers(items.entries, ['type', 'enum'], ['items'], refuse)
  if (items.entries.get('type') !== 'string') {
    refuse(['items', 'type'], 'unsupported', 'A list field can only hold options of type "string".')
  }
  return untitledOptions(shape, items.entries.get('enum'), undefined, refuse)
}

function untitledOptions(
  shape: Shape,
  value: unknown,
  names: unknown,
  refuse: Refuse,
): readonly OptionDraft[] | undefined {
  const values = optionList(value, shape.optionsAt, refuse)
  if (values === undefined || names === undefined) return values?.map((item) => ({ value: item }))
  const labels = optionList(names, ['enumNames'], refuse)
  if (labels === undefined) return undefined
  if (labels.length !== values.length) {
    return refuse(['enumNames'], 'contradictory', `There are ${labels.length} labels for ${values.length} options.`)
  }
  // A hole among the labels is an error, not an option without a label.
  return values.map((item, index) => ({ value: item, label: labels[index] ?? null }))
}

function titledOptions(shape: Shape, value: unknown, refuse: Refuse): readonly OptionDraft[] | undefined {
  return optionList(value, shape.optionsAt, refuse)?.map((item, index) => {
    const option = readObject(item, formLimits.keywords)
    const entries: Entries = option.ok ? option.entries : new Map()
    refuseOthers(entries, ['const', 'title'], [...shape.optionsAt, String(index)], refuse)
    return { value: entries.get('const'), label: entries.get('title') ?? null }
  })
}

function optionList(value: unknown, at: readonly string[], refuse: Refuse): readonly unknown[] | undefined {
  const list = readList(value, formLimits.options)
  if (list.ok) return list.items
  if (list.why === 'too-many') return refuse(at, 'too_large', `There may be ${formLimits.options} options at most.`)
  return refuse(at, 'malformed', 'The options must be a list.')
}

// What the form calls differently from the schema.
const renamed = [
  { keyword: 'minimum', part: 'min' },
  { keyword: 'maximum', part: 'max' },
] as const

function partOf(keyword: string): string {
  return renamed.find((pair) => pair.keyword === keyword)?.part ?? keyword
}

function keywordOf(part: string): string {
  return renamed.find((pair) => pair.part === part)?.keyword ?? part
}
