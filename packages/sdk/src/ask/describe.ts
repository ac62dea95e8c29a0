// The kinds of ask: one function per kind, from the author's arguments to a core question, and from its answer to a value.
//
// This is the only conversion. `ask.text(…)`, a yielded ask, the terminal and every revision of the protocol go
// through it. It asks nothing itself; a mistake in an ask is thrown here, before a person is asked.

import {
  type Action,
  AssentError,
  actionDigest,
  askLimits,
  boolean,
  type ChoiceOptions,
  type Content,
  choice as choiceField,
  choices as choicesField,
  type Form,
  form,
  type JsonObject,
  number as numberField,
  type Question,
  screenForSecrets,
  screenOptions,
  screenUrl,
  text as textField,
  withoutChecked,
} from '@assent/core'
import { BoundedCache } from '../bounded-cache.ts'
import { frozen } from '../frozen.ts'
import { type AnswersOf, type FormSource, parseFormSource } from './form-source.ts'
import {
  type AskOptions,
  type AskOptionsWithFallback,
  type ConfirmOptions,
  type ResolvedAskOptions,
  refuseFallback,
  refuseSilentYes,
  resolveAskOptions,
} from './options.ts'

/** Questions that were checked: the same object for the same question, so that its label and fingerprint are computed once. */
const checkedQuestions = new BoundedCache<Question>()

export type AskKind =
  | 'text'
  | 'secret'
  | 'confirm'
  | 'choose'
  | 'choose-many'
  | 'number'
  | 'date'
  | 'form'
  | 'url'
  | 'file'
  | 'approve'

export interface Description<Value = unknown> {
  readonly kind: AskKind
  readonly question: Question
  /** The value of a yes, from content that fits the question. */
  readonly toValue: (content: Content) => Value | Promise<Value>
  /** The value of a decline. Without it a decline is an error. */
  readonly declined?: { readonly value: Value }
  readonly options: ResolvedAskOptions<Value>
}

export interface TextOptions {
  readonly title?: string
  readonly format?: 'email' | 'uri' | 'date-time'
  /** Both in Unicode code points. */
  readonly minLength?: number
  readonly maxLength?: number
}

export interface NumberOptions {
  readonly title?: string
  readonly min?: number
  readonly max?: number
  /** Whole numbers only. */
  readonly integer?: boolean
}

/** Filled in when the form is shown; the person can change it. */
export interface Suggestion<Value> {
  readonly suggest?: Value
}

/** Titles of the only field of a form. Without one, clients would show the name of the field, such as `text`. */
const titles = { answer: 'Your answer', choice: 'Your choice' }

/** A line of text. */
export function text(
  message: string,
  options: AskOptionsWithFallback<string> & TextOptions & Suggestion<string> = {},
): Description<string> {
  const { title = titles.answer, format, minLength, maxLength, suggest } = options
  const field = textField(withoutUndefined({ title, format, minLength, maxLength, default: suggest }))
  return describeForm('text', message, form({ text: field }), options, (content) => content.text as string)
}

/** A file is named, not sent: the protocol carries no files, so the answer is a path or an address as text. */
export function file(
  message: string,
  options: AskOptionsWithFallback<string> & Suggestion<string> = {},
): Description<string> {
  const field = textField(
    withoutUndefined({ title: 'File', description: 'A path or an address.', minLength: 1, default: options.suggest }),
  )
  return describeForm('file', message, form({ file: field }), options, (content) => content.file as string)
}

/** A number, with bounds. */
export function number(
  message: string,
  options: AskOptionsWithFallback<number> & NumberOptions & Suggestion<number> = {},
): Description<number> {
  const { title = titles.answer, min, max, integer, suggest } = options
  const field = numberField(withoutUndefined({ title, min, max, integer, default: suggest }))
  return describeForm('number', message, form({ number: field }), options, (content) => content.number as number)
}

/** A day, as `2026-07-28`. */
export function date(
  message: string,
  options: AskOptionsWithFallback<string> & Suggestion<string> = {},
): Description<string> {
  const field = textField(withoutUndefined({ title: titles.answer, format: 'date' as const, default: options.suggest }))
  return describeForm('date', message, form({ date: field }), options, (content) => content.date as string)
}

/** Yes or no. A person's "no" is an answer here, not an error. */
export function confirm(message: string, options: ConfirmOptions & Suggestion<boolean> = {}): Description<boolean> {
  refuseSilentYes(options)
  const field = boolean(withoutUndefined({ title: titles.answer, default: options.suggest }))
  const asked = describeForm(
    'confirm',
    message,
    form({ confirmed: field }),
    options,
    (content) => content.confirmed === true,
  )
  return { ...asked, declined: { value: false } }
}

/** One of several. */
export function choose<const V extends string>(
  message: string,
  choices: ChoiceOptions<V>,
  options: AskOptionsWithFallback<NoInfer<V>> & Suggestion<NoInfer<V>> = {},
): Description<V> {
  const field = choiceField<V>(choices, withoutUndefined({ title: titles.choice, default: options.suggest }))
  return describeForm('choose', message, form({ choice: field }), options, (content) => content.choice as V)
}

/** Any number of several. */
export function chooseMany<const V extends string>(
  message: string,
  choices: ChoiceOptions<V>,
  options: AskOptionsWithFallback<readonly NoInfer<V>[]> &
    Suggestion<readonly NoInfer<V>[]> & { readonly min?: number; readonly max?: number } = {},
): Description<readonly V[]> {
  const { min: minItems, max: maxItems, suggest } = options
  const field = choicesField<V>(
    choices,
    withoutUndefined({ title: titles.choice, minItems, maxItems, default: suggest }),
  )
  return describeForm(
    'choose-many',
    message,
    form({ choices: field }),
    options,
    (content) => content.choices as readonly V[],
  )
}

/** Several fields at once, from core's builders or from any Standard Schema that can produce its JSON Schema. */
export function fields<const A extends FormSource>(
  message: string,
  asked: A,
  options: AskOptionsWithFallback<AnswersOf<A>> = {},
): Description<AnswersOf<A>> {
  const { form, take } = parseFormSource(asked)
  return describeForm(
    'form',
    message,
    form,
    options,
    take as (content: Content) => AnswersOf<A> | Promise<AnswersOf<A>>,
  )
}

/** A form whose answer is its content, as it is. */
export function elicit(message: string, asked: FormSource, options: AskOptions = {}): Description<Content> {
  refuseFallback(options)
  return describeForm(
    'form',
    message,
    parseFormSource(asked).form,
    options as AskOptionsWithFallback<Content>,
    (content) => content,
  )
}

/** A form in which a person changes arguments before they approve them. */
export function edit<Value>(
  message: string,
  { form: asked, take, options }: { form: Form; take: Description<Value>['toValue']; options: AskOptions },
): Description<Value> {
  refuseFallback(options)
  const { waitMs, reason, surface, risk } = options
  const kept = withoutUndefined({ waitMs, reason, surface, risk }) as AskOptionsWithFallback<Value>
  return describeForm('form', message, asked, kept, take)
}

/** Consent to open a link. An accept means only that the person agreed to open it; what they do there is not known. */
export function url(message: string, link: string, options: AskOptions = {}): Description<void> {
  refuseFallback(options)
  const screened = screenUrl(link)
  if (!screened.ok) throw new AssentError('schema_refused', `This link cannot be shown to a person: ${screened.reason}`)
  const question: Question = { kind: 'url', message: checkMessage(message), url: link }
  return { kind: 'url', question, toValue: () => undefined, options: resolveAskOptions(options) }
}

/**
 * A password, key or token. The protocol forbids it in a form, and no adapter sends it in one: this form is shown only by
 * our own surfaces that can mask their input.
 */
export function secret(message: string, options: AskOptions = {}): Description<string> {
  refuseFallback(options)
  const question: Question = {
    kind: 'form',
    message: checkMessage(message),
    form: form({ secret: textField({ minLength: 1 }) }),
  }
  return {
    kind: 'secret',
    question,
    toValue: (content) => content.secret as string,
    options: resolveAskOptions(options),
  }
}

/** Approval of one exact action, drawn from its bytes; `claim` is the asker's description of it. */
export function approve(
  title: string,
  action: Action,
  options: AskOptions & { claim?: string } = {},
): Description<JsonObject> {
  refuseFallback(options)
  const { claim } = options
  const question: Question = {
    kind: 'approval',
    title: checkMessage(title),
    action,
    digest: actionDigest(action),
    ...withoutUndefined({ claim }),
  }
  return {
    kind: 'approve',
    question,
    toValue: () => action.arguments,
    options: { ...resolveAskOptions(options), risk: options.risk ?? 'notable' },
  }
}

function describeForm<Value>(
  kind: AskKind,
  message: string,
  asked: Form,
  options: AskOptionsWithFallback<Value>,
  take: Description<Value>['toValue'],
): Description<Value> {
  const { checked } = options
  const question = checkedQuestions.getOrCompute(JSON.stringify([message, checked ?? null, asked.fields]), () =>
    formQuestion(message, asked, checked),
  )
  return { kind, question, toValue: validating(take, options.validate), options: resolveAskOptions(options) }
}

/** Throws for a question that must not be asked. A copy, because the author may change the form afterwards. */
function formQuestion(message: string, asked: Form, checked: string | undefined): Question {
  const sameOptions = screenOptions(asked.fields)
  if (sameOptions !== undefined) throw new AssentError('schema_refused', sameOptions)
  const [finding] = screenForSecrets(asked.fields, message)
  if (finding !== undefined) {
    // An agent may read this message, because it wrote the question. Authors find `ask.secret` in the reference.
    throw new AssentError('schema_refused', finding.reason)
  }
  if (checked !== undefined && withoutChecked(message, checked) === undefined) {
    throw new AssentError('misconfigured', 'What was checked must be a paragraph of the question.')
  }
  return frozen({
    kind: 'form',
    message: checkMessage(message),
    form: structuredClone(asked),
    ...withoutUndefined({ checked }),
  })
}

/** A refused value throws, like a schema that refuses it. */
function validating<Value>(
  take: Description<Value>['toValue'],
  validate: AskOptionsWithFallback<Value>['validate'],
): Description<Value>['toValue'] {
  if (validate === undefined) return take
  return async (content) => {
    const value = await take(content)
    const rejection = await validate(value)
    if (rejection === undefined || rejection === true || rejection === '') return value
    throw new AssentError('validation_failed', rejection === false ? 'it is not accepted.' : rejection)
  }
}

function checkMessage(message: string): string {
  if (typeof message !== 'string' || message.trim() === '' || !message.isWellFormed()) {
    throw new AssentError('schema_refused', 'An ask needs a question text.')
  }
  if (message.length > askLimits.messageChars) {
    throw new AssentError('limit_exceeded', `A question has at most ${askLimits.messageChars} characters.`)
  }
  return message
}

/** Without the options that are undefined. */
function withoutUndefined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as { [K in keyof T]: Exclude<T[K], undefined> }
}
