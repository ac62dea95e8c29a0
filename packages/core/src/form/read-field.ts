// Turns one property of a JSON schema into a draft with the names of form.ts.
//
// It accepts the shapes that a field has in every protocol revision, including the five of enums, and those that the
// SDKs of other languages write. It refuses keywords that restrict the answer and do not belong to the shape.
// validate-form.ts checks the values of the other keywords.

import { formLimits } from '../limits.ts'
import type { OptionDraft } from './draft-reader.ts'
import { textFormats } from './form.ts'
import { type ProblemCode, type Problems, pointer, shortened } from './problems.ts'
import { uncheckedIn } from './read-keywords.ts'
import { withoutNull } from './read-nullable.ts'
import { type Shape, shapeOf } from './read-shapes.ts'
import { type ObjectRead, readList, readObject } from './untrusted.ts'
import type { NamedDraft } from './validate-form.ts'

type Entries = ReadonlyMap<string, unknown>
type Refuse = (steps: readonly (string | number)[], code: ProblemCode, reason: string) => undefined

export interface FieldDraft {
  readonly draft: NamedDraft
  /** Whether the property is written as the protocol defines it. If not, a client may be unable to read it. */
  readonly isAsDefined: boolean
  readonly hasDefault: boolean
}

/** Undefined when the property cannot be read as a field; `problems` has the reason. */
export function draftField(
  name: string,
  property: unknown,
  required: boolean,
  problems: Problems,
): FieldDraft | undefined {
  const read = readObject(property, formLimits.keywords)
  const plain = read.ok ? withoutNull(read.entries) : undefined
  const path = (steps: readonly (string | number)[]) => pointer('properties', name, ...placed(steps, read, plain?.at))
  const refuse: Refuse = (steps, code, reason) => {
    problems.add(path(steps), code, reason)
  }
  if (plain === undefined) {
    return refuse([], 'malformed', 'A field must be a plain object with a type and a few keywords.')
  }

  const { entries } = plain
  const items = readObject(entries.get('items'), formLimits.keywords)
  const shape = shapeOf(entries, items)
  if (shape === undefined) {
    return refuse(['type'], 'unsupported', 'A field must be a string, number, integer, boolean or array.')
  }
  refuseOthers(entries, shape.keywords, [], refuse)
  const rules = shape.kind === 'list' && items.ok ? items.entries : entries
  const hasFormat = validateFormat(rules, shape, refuse)

  const options = draftOptions(shape, entries, items, refuse)
  if (options === undefined) return undefined
  const draft: NamedDraft = {
    name,
    kind: shape.kind,
    parts: partsOf(entries, rules, shape, { required, nullable: plain.isNullable, hasFormat }),
    options,
    dropsBadDefault: true,
    path: (part, index) => {
      const steps = part === undefined ? [] : part === 'options' ? shape.optionsAt : stepsTo(part, shape)
      return path(index === undefined ? steps : [...steps, index])
    },
  }
  const hasTitles = shape.optionsAt.at(-1) === 'enum' || options.every((option) => 'label' in option)
  const isAsDefined = shape.isAsDefined && hasTitles && !plain.isNullable && isFormatDefined(rules, hasFormat)
  return { draft, isAsDefined, hasDefault: entries.has('default') }
}

/** The path of a keyword: in the property itself if it is there, otherwise in the member of `anyOf` that was read. */
function placed(
  steps: readonly (string | number)[],
  read: ObjectRead,
  at: readonly string[] = [],
): readonly (string | number)[] {
  const [first] = steps
  return read.ok && typeof first === 'string' && read.entries.has(first) ? steps : [...at, ...steps]
}

/** An unknown format is an annotation, as in JSON Schema; but `password` asks for a secret. */
function validateFormat(rules: Entries, { kind }: Shape, refuse: Refuse): boolean {
  const format = rules.get('format')
  if (format === undefined || (kind !== 'text' && kind !== 'list')) return false
  const steps = kind === 'list' ? ['items', 'format'] : ['format']
  if (typeof format !== 'string') refuse(steps, 'malformed', 'This must be text.')
  if (format === 'password') {
    refuse(steps, 'unsupported', 'A form must not ask for a secret. Send a link to a page where the person enters it.')
  }
  return textFormats.some((known) => known === format)
}

function isFormatDefined(rules: Entries, hasFormat: boolean): boolean {
  return hasFormat || !rules.has('format')
}

function refuseOthers(entries: Entries, checked: readonly string[], at: readonly string[], refuse: Refuse): void {
  for (const name of uncheckedIn(entries, checked)) {
    refuse([...at, name], 'unsupported', `A field of this type cannot use "${shortened(name)}".`)
  }
}

interface Known {
  readonly required: boolean
  readonly nullable: boolean
  readonly hasFormat: boolean
}

const textKeywords = ['minLength', 'maxLength', 'pattern']

function partsOf(entries: Entries, rules: Entries, shape: Shape, { required, nullable, hasFormat }: Known): Entries {
  const parts = new Map<string, unknown>([['required', required]])
  for (const keyword of shape.keywords) parts.set(partOf(keyword), entries.get(keyword))
  if (shape.kind === 'text' || shape.kind === 'list') {
    for (const keyword of textKeywords) parts.set(keyword, rules.get(keyword))
    parts.set('format', hasFormat ? rules.get('format') : undefined)
  }
  if (nullable) parts.set('nullable', true)
  if (entries.get('default') === null) parts.set('default', undefined)
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
  const [first, second] = shape.optionsAt
  if (shape.kind === 'choice' && first !== undefined) {
    if (first !== 'enum') return titledOptions(shape, entries.get(first), refuse)
    return untitledOptions(shape, entries.get('enum'), entries.get('enumNames'), refuse)
  }
  if (shape.kind !== 'choices' && shape.kind !== 'list') return []
  if (!items.ok) return refuse(['items'], 'unsupported', 'A list field must define its entries.')
  if (shape.kind === 'list') return listItems(items.entries, refuse)
  if (second !== undefined && second !== 'enum') {
    refuseOthers(items.entries, ['type', second], ['items'], refuse)
    return titledOptions(shape, items.entries.get(second), refuse)
  }
  refuseOthers(items.entries, ['type', 'enum'], ['items'], refuse)
  if (items.entries.has('type')) refuseOtherItems(items.entries, refuse)
  return untitledOptions(shape, items.entries.get('enum'), undefined, refuse)
}

function listItems(items: Entries, refuse: Refuse): readonly OptionDraft[] {
  refuseOthers(items, ['type', ...textKeywords], ['items'], refuse)
  refuseOtherItems(items, refuse)
  return []
}

function refuseOtherItems(items: Entries, refuse: Refuse): void {
  if (items.get('type') === 'string') return
  refuse(['items', 'type'], 'unsupported', 'A list field can only hold entries of type "string".')
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
    const at = [...shape.optionsAt, String(index)]
    refuseOthers(entries, ['type', 'const'], at, refuse)
    if (entries.has('type') && entries.get('type') !== 'string') {
      refuse([...at, 'type'], 'unsupported', 'An option must be of type "string".')
    }
    return { value: entries.get('const'), ...(entries.has('title') ? { label: entries.get('title') ?? null } : {}) }
  })
}

function optionList(value: unknown, at: readonly string[], refuse: Refuse): readonly unknown[] | undefined {
  const list = readList(value, formLimits.options)
  if (list.ok) return list.items
  if (list.why === 'too-many') return refuse(at, 'too_large', `There may be ${formLimits.options} options at most.`)
  return refuse(at, 'malformed', 'The options must be a list.')
}

// Keywords whose name in a form differs from the name in the schema.
const renamed = [
  { keyword: 'minimum', part: 'min' },
  { keyword: 'maximum', part: 'max' },
  { keyword: 'exclusiveMinimum', part: 'above' },
  { keyword: 'exclusiveMaximum', part: 'below' },
  { keyword: 'uniqueItems', part: 'unique' },
] as const

function partOf(keyword: string): string {
  return renamed.find((pair) => pair.keyword === keyword)?.part ?? keyword
}

function stepsTo(part: string, { kind }: Shape): readonly string[] {
  const keyword = renamed.find((pair) => pair.part === part)?.keyword ?? part
  return kind === 'list' && (textKeywords.includes(part) || part === 'format') ? ['items', keyword] : [keyword]
}
