// Forms put together by an author in code: `form({ region: choice({ eu: 'Europe' }), replicas: number({ min: 1 }) })`.
//
// A mistake is thrown where it was made, with the words a schema with the same mistake would be refused with. The
// builders carry the type of the answer, so whoever reads the content knows what is in it.
import { AssentError } from '../errors.ts'
import { formLimits } from '../limits.ts'
import { readList, readObject } from './foreign.ts'
import type { FieldValue, FormOf, Option, TextFormat, TextRules, Unnamed } from './form.ts'
import { judgeForm, judgePart } from './judge.ts'
import { ownPatterns } from './patterns.ts'
import { Problems, shortened } from './problems.ts'
import type { Draft, OptionDraft } from './take.ts'

// Carries the answer's type through the type checker; no such property exists when the program runs.
declare const answerType: unique symbol

/** A field without a name. `form` gives it one. */
export type Part<Value extends FieldValue = FieldValue, Required extends boolean = boolean> = Unnamed & {
  readonly required: Required
  readonly [answerType]?: Value
}

interface Settings<Value, Required> {
  readonly title?: string
  readonly description?: string
  readonly default?: Value
  /** True unless said otherwise. */
  readonly required?: Required
}

export interface TextSettings<R> extends Settings<string, R> {
  readonly format?: TextFormat
  /** Both in Unicode code points. */
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression. A gateway in between takes it only if it can be checked in linear time. */
  readonly pattern?: string
}

export interface NumberSettings<R> extends Settings<number, R> {
  /** Whole numbers only. */
  readonly integer?: boolean
  readonly min?: number
  readonly max?: number
  /** Exclusive bounds. */
  readonly above?: number
  readonly below?: number
}

export interface ChoicesSettings<V, R> extends Settings<readonly V[], R> {
  readonly minItems?: number
  readonly maxItems?: number
}

export interface ListSettings<R> extends Settings<readonly string[], R> {
  readonly minItems?: number
  readonly maxItems?: number
  /** No entry twice. */
  readonly unique?: boolean
  /** What each entry must be like. */
  readonly item?: TextRules
}

/** Labels by value, or a list where the order matters or the values are digits. */
export type Options<V extends string> = Readonly<Record<V, string>> | readonly (V | Option<V>)[]

// NoInfer in what they return, or `form` would suggest to each that nothing is known about being required.
export function text<R extends boolean = true>(settings: TextSettings<R> = {}): Part<string, NoInfer<R>> {
  return part('text', settings)
}

export function number<R extends boolean = true>(settings: NumberSettings<R> = {}): Part<number, NoInfer<R>> {
  return part('number', settings)
}

/** Yes or no. */
export function boolean<R extends boolean = true>(settings: Settings<boolean, R> = {}): Part<boolean, NoInfer<R>> {
  return part('boolean', settings)
}

/** One of several. */
export function choice<const V extends string, R extends boolean = true>(
  options: Options<V>,
  settings: Settings<NoInfer<V>, R> = {},
): Part<V, NoInfer<R>> {
  return part('choice', settings, options)
}

/** Any number of several. */
export function choices<const V extends string, R extends boolean = true>(
  options: Options<V>,
  settings: ChoicesSettings<NoInfer<V>, R> = {},
): Part<readonly V[], NoInfer<R>> {
  return part('choices', settings, options)
}

/** Any number of texts. */
export function list<R extends boolean = true>(settings: ListSettings<R> = {}): Part<readonly string[], NoInfer<R>> {
  return part('list', settings)
}

export function optional<Value extends FieldValue>(required: Part<Value>): Part<Value, false> {
  return { ...required, required: false } as Part<Value, false>
}

type Parts = Readonly<Record<string, Part>>
type RequiredNames<P extends Parts> = { [N in keyof P]: P[N]['required'] extends true ? N : never }[keyof P]
type ValueOf<P extends Part> = NonNullable<P[typeof answerType]>
type ContentOfParts<P extends Parts> = Flat<
  { readonly [N in RequiredNames<P>]: ValueOf<P[N]> } & {
    readonly [N in Exclude<keyof P, RequiredNames<P>>]?: ValueOf<P[N]>
  }
>
type Flat<T> = { [K in keyof T]: T[K] }

/** The fields stand in the order they are written in, except that names made of digits come first, as in any object. */
export function form<const P extends Parts>(parts: P): FormOf<ContentOfParts<P>> {
  const problems = new Problems()
  const read = readObject(parts, formLimits.fields)
  if (!read.ok) problems.add('', 'malformed', `A form needs a plain object of ${formLimits.fields} fields at most.`)
  const entries = read.ok ? [...read.entries] : []
  const drafts = entries.map(([name, part]) => ({ ...partDraft(name, part, problems), name }))
  return judgeForm(drafts, problems, ownPatterns) ?? refuse(problems)
}

function part<V extends FieldValue, R extends boolean>(
  kind: Unnamed['kind'],
  settings: unknown,
  options?: unknown,
): Part<V, R> {
  const problems = new Problems()
  const read = readObject(settings, formLimits.keywords)
  if (!read.ok) problems.add(kind, 'malformed', 'The settings must be a plain object.')
  const parts: Draft['parts'] = read.ok ? read.entries : new Map()
  for (const name of parts.keys()) {
    if (settingNames[kind].includes(name)) continue
    problems.add(kind, 'unsupported', `A field of this type cannot use "${shortened(name)}".`)
  }
  const judged = judgePart(draftOf(kind, kind, parts, options, problems), problems, ownPatterns)
  if (judged === undefined || problems.count > 0) return refuse(problems)
  return judged as Part<V, R>
}

const common = ['title', 'description', 'default', 'required']
const textSettings = ['format', 'minLength', 'maxLength', 'pattern']
const settingNames: Readonly<Record<Unnamed['kind'], readonly string[]>> = {
  text: [...common, ...textSettings],
  number: [...common, 'integer', 'min', 'max', 'above', 'below'],
  boolean: common,
  choice: common,
  choices: [...common, 'minItems', 'maxItems'],
  list: [...common, 'minItems', 'maxItems', 'unique', 'item'],
}

/** Read again with its name, because nothing keeps an author from writing a part by hand. */
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

/** The rules for entries stand beside the list's own, as the judge takes them. */
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
