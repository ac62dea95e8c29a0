// Forms built in code: `form({ region: choice({ eu: 'Europe' }), replicas: number({ min: 1 }) })`.
//
// A builder throws if its settings are invalid, with the message that a schema with the same mistake gets.
// The builders carry the type of the answer, so the content is typed.

import { AssentError } from '../errors.ts'
import { formLimits } from '../limits.ts'
import type { Draft, OptionDraft } from './draft-reader.ts'
import type { FieldValue, FormOf, Option, TextFormat, TextRules, UnnamedField } from './form.ts'
import { trustedPatterns } from './patterns.ts'
import { Problems, shortened } from './problems.ts'
import { readList, readObject } from './untrusted.ts'
import { validateField, validateForm } from './validate-form.ts'

// Carries the answer's type through the type checker; no such property exists when the program runs.
declare const answerType: unique symbol

/** A field without a name. `form` gives it one. */
export type FieldSpec<Value extends FieldValue = FieldValue, Required extends boolean = boolean> = UnnamedField & {
  readonly required: Required
  readonly [answerType]?: Value
}

interface Settings<Value, Required> {
  readonly title?: string
  readonly description?: string
  readonly default?: Value
  /** True by default. */
  readonly required?: Required
}

export interface TextFieldSettings<R> extends Settings<string, R> {
  readonly format?: TextFormat
  /** Both in Unicode code points. */
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression. A gateway accepts it only if it can be checked in linear time. */
  readonly pattern?: string
}

export interface NumberFieldSettings<R> extends Settings<number, R> {
  /** Whole numbers only. */
  readonly integer?: boolean
  readonly min?: number
  readonly max?: number
  /** Exclusive bounds. */
  readonly above?: number
  readonly below?: number
}

export interface ChoicesFieldSettings<V, R> extends Settings<readonly V[], R> {
  readonly minItems?: number
  readonly maxItems?: number
}

export interface ListFieldSettings<R> extends Settings<readonly string[], R> {
  readonly minItems?: number
  readonly maxItems?: number
  /** No entry twice. */
  readonly unique?: boolean
  /** The rules for each entry. */
  readonly item?: TextRules
}

/** Labels by value, or a list where the order matters or the values are digits. */
export type ChoiceOptions<V extends string> = Readonly<Record<V, string>> | readonly (V | Option<V>)[]

// NoInfer in the return types: otherwise `form` would infer `boolean` for the `required` of each field.
export function text<R extends boolean = true>(settings: TextFieldSettings<R> = {}): FieldSpec<string, NoInfer<R>> {
  return part('text', settings)
}

export function number<R extends boolean = true>(settings: NumberFieldSettings<R> = {}): FieldSpec<number, NoInfer<R>> {
  return part('number', settings)
}

/** Yes or no. */
export function boolean<R extends boolean = true>(settings: Settings<boolean, R> = {}): FieldSpec<boolean, NoInfer<R>> {
  return part('boolean', settings)
}

/** One of several options. */
export function choice<const V extends string, R extends boolean = true>(
  options: ChoiceOptions<V>,
  settings: Settings<NoInfer<V>, R> = {},
): FieldSpec<V, NoInfer<R>> {
  return part('choice', settings, options)
}

/** Any number of several options. */
export function choices<const V extends string, R extends boolean = true>(
  options: ChoiceOptions<V>,
  settings: ChoicesFieldSettings<NoInfer<V>, R> = {},
): FieldSpec<readonly V[], NoInfer<R>> {
  return part('choices', settings, options)
}

/** Any number of texts. */
export function list<R extends boolean = true>(
  settings: ListFieldSettings<R> = {},
): FieldSpec<readonly string[], NoInfer<R>> {
  return part('list', settings)
}

export function optional<Value extends FieldValue>(required: FieldSpec<Value>): FieldSpec<Value, false> {
  return { ...required, required: false } as FieldSpec<Value, false>
}

type Parts = Readonly<Record<string, FieldSpec>>
type RequiredNames<P extends Parts> = { [N in keyof P]: P[N]['required'] extends true ? N : never }[keyof P]
type ValueOf<P extends FieldSpec> = NonNullable<P[typeof answerType]>
type ContentOfParts<P extends Parts> = Flat<
  { readonly [N in RequiredNames<P>]: ValueOf<P[N]> } & {
    readonly [N in Exclude<keyof P, RequiredNames<P>>]?: ValueOf<P[N]>
  }
>
type Flat<T> = { [K in keyof T]: T[K] }

/** The fields keep the order in which they are written, but names made of digits come first, as in any object. */
export function form<const P extends Parts>(parts: P): FormOf<ContentOfParts<P>> {
  const problems = new Problems()
  const read = readObject(parts, formLimits.fields)
  if (!read.ok) problems.add('', 'malformed', `A form needs a plain object of ${formLimits.fields} fields at most.`)
  const entries = read.ok ? [...read.entries] : []
  const drafts = entries.map(([name, part]) => ({ ...partDraft(name, part, problems), name }))
  return validateForm(drafts, problems, trustedPatterns) ?? refuse(problems)
}

function part<V extends FieldValue, R extends boolean>(
  kind: UnnamedField['kind'],
  settings: unknown,
  options?: unknown,
): FieldSpec<V, R> {
  const problems = new Problems()
  const read = readObject(settings, formLimits.keywords)
  if (!read.ok) problems.add(kind, 'malformed', 'The settings must be a plain object.')
  const parts: Draft['parts'] = read.ok ? read.entries : new Map()
  for (const name of parts.keys()) {
    if (settingNames[kind].includes(name)) continue
    problems.add(kind, 'unsupported', `A field of this type cannot use "${shortened(name)}".`)
  }
  const field = validateField(draftOf(kind, kind, parts, options, problems), problems, trustedPatterns)
  if (field === undefined || problems.count > 0) return refuse(problems)
  return field as FieldSpec<V, R>
}

const common = ['title', 'description', 'default', 'required']
const textSettings = ['format', 'minLength', 'maxLength', 'pattern']
const settingNames: Readonly<Record<UnnamedField['kind'], readonly string[]>> = {
  text: [...common, ...textSettings],
  number: [...common, 'integer', 'min', 'max', 'above', 'below'],
  boolean: common,
  choice: common,
  choices: [...common, 'minItems', 'maxItems'],
  list: [...common, 'minItems', 'maxItems', 'unique', 'item'],
}

/** Validated again with its name, because an author can also write a part by hand. */
function partDraft(name: string, part: unknown, problems: Problems): Draft {
  const read = readObject(part, formLimits.keywords)
  const parts: Draft['parts'] = read.ok ? read.entries : new Map()
  return draftOf(shortened(name), parts.get('kind'), parts, parts.get('options'), problems)
}

function draftOf(where: string, kind: unknown, parts: Draft['parts'], options: unknown, problems: Problems): Draft {
  const path: Draft['path'] = (...steps) => [where, ...steps.filter((step) => step !== undefined)].join('.')
  const drafted = optionDrafts(options, path('options'), problems)
  return { kind, parts: kind === 'list' ? withItem(parts, path('item'), problems) : parts, options: drafted, path }
}

/** Moves the rules for entries next to those of the list, as validate-form.ts expects them. */
function withItem(parts: Draft['parts'], path: string, problems: Problems): Draft['parts'] {
  const given = parts.get('item')
  const item = readObject(given === undefined ? {} : given, formLimits.keywords)
  if (!item.ok) problems.add(path, 'malformed', 'The rules for entries must be a plain object.')
  const rules = item.ok ? [...item.entries] : []
  for (const [name] of rules) {
    if (textSettings.includes(name)) continue
    problems.add(path, 'unsupported', `An entry cannot use "${shortened(name)}".`)
  }
  return new Map([...parts, ...rules.filter(([name]) => textSettings.includes(name))])
}

function optionDrafts(options: unknown, path: string, problems: Problems): readonly OptionDraft[] {
  const list = readList(options, formLimits.options)
  if (list.ok) return list.items.map(optionDraft)
  const labels = readObject(options, formLimits.options)
  if (labels.ok) return [...labels.entries].map(([value, label]) => ({ value, label }))
  if (list.why === 'too-many' || labels.why === 'too-many') {
    problems.add(path, 'too_large', `There may be ${formLimits.options} options at most.`)
  }
  return []
}

function optionDraft(item: unknown): OptionDraft {
  const option = readObject(item, formLimits.keywords)
  if (!option.ok) return { value: item }
  return { value: option.entries.get('value'), label: option.entries.get('label') }
}

function refuse(problems: Problems): never {
  const reasons = problems.found.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`))
  throw new AssentError('schema_refused', `This form cannot be asked. ${reasons.join(' ')}`)
}
