// What each kind of ask asks: one row per kind, from an author's words to a question of core's and back to a value.
//
// This is the only conversion there is. `ask.text(…)`, a yielded ask, the terminal and every revision of the protocol go
// through it. It puts nothing to anyone; a mistake in an ask is thrown here, before anybody was bothered.

import {
  type Action,
  AssentError,
  actionDigest,
  askLimits,
  boolean,
  type Content,
  choice,
  choices,
  type Form,
  form,
  number as numberField,
  type Options,
  type Question,
  type SecretFinding,
  screenForSecrets,
  screenOptions,
  screenUrl,
  text as textField,
  withoutChecked,
} from '@assent/core'
import { Remembered } from '../remembered.ts'
import { type AnswersOf, type Asked, formOf } from './form-of.ts'
import { type Harmless, type How, howOf, type Plain, withoutDefault } from './how.ts'

const screened = new Remembered<readonly SecretFinding[]>()

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
  readonly take: (content: Content) => Value | Promise<Value>
  /** What a person's "no" is worth. Without it a no is an error. */
  readonly declined?: { readonly value: Value }
  readonly how: How<Value>
}

export interface TextSettings {
  readonly title?: string
  readonly format?: 'email' | 'uri' | 'date-time'
  /** Both in Unicode code points. */
  readonly minLength?: number
  readonly maxLength?: number
}

export interface NumberSettings {
  readonly title?: string
  readonly min?: number
  readonly max?: number
  /** Whole numbers only. */
  readonly integer?: boolean
}

/** Filled in when the form is shown; the person can change it. */
export interface Suggests<Value> {
  readonly suggest?: Value
}

/** A line of text. */
export function text(
  message: string,
  settings: Harmless<string> & TextSettings & Suggests<string> = {},
): Description<string> {
  const { title, format, minLength, maxLength, suggest } = settings
  const field = textField(given({ title, format, minLength, maxLength, default: suggest }))
  return described('text', message, form({ text: field }), settings, (content) => content.text as string)
}

/** A file is named, not sent: the protocol carries no files, so what comes back is a path or an address as text. */
export function file(message: string, settings: Harmless<string> & Suggests<string> = {}): Description<string> {
  const field = textField(
    given({ title: 'File', description: 'A path or an address.', minLength: 1, default: settings.suggest }),
  )
  return described('file', message, form({ file: field }), settings, (content) => content.file as string)
}

/** A number, with bounds. */
export function number(
  message: string,
  settings: Harmless<number> & NumberSettings & Suggests<number> = {},
): Description<number> {
  const { title, min, max, integer, suggest } = settings
  const field = numberField(given({ title, min, max, integer, default: suggest }))
  return described('number', message, form({ number: field }), settings, (content) => content.number as number)
}

/** A day, as `2026-07-28`. */
export function date(message: string, settings: Harmless<string> & Suggests<string> = {}): Description<string> {
  const field = textField(given({ format: 'date' as const, default: settings.suggest }))
  return described('date', message, form({ date: field }), settings, (content) => content.date as string)
}

/** Yes or no. A person's "no" is an answer here, not an error. */
export function confirm(message: string, settings: Harmless<boolean> & Suggests<boolean> = {}): Description<boolean> {
  const field = boolean(given({ title: 'Your answer', default: settings.suggest }))
  const asked = described(
    'confirm',
    message,
    form({ confirmed: field }),
    settings,
    (content) => content.confirmed === true,
  )
  return { ...asked, declined: { value: false } }
}

/** One of several. */
export function choose<const V extends string>(
  message: string,
  options: Options<V>,
  settings: Harmless<NoInfer<V>> & Suggests<NoInfer<V>> = {},
): Description<V> {
  const field = choice<V>(options, given({ default: settings.suggest }))
  return described('choose', message, form({ choice: field }), settings, (content) => content.choice as V)
}

/** Any number of several. */
export function chooseMany<const V extends string>(
  message: string,
  options: Options<V>,
  settings: Harmless<readonly NoInfer<V>[]> &
    Suggests<readonly NoInfer<V>[]> & { readonly min?: number; readonly max?: number } = {},
): Description<readonly V[]> {
  const { min: minItems, max: maxItems, suggest } = settings
  const field = choices<V>(options, given({ minItems, maxItems, default: suggest }))
  return described(
    'choose-many',
    message,
    form({ choices: field }),
    settings,
    (content) => content.choices as readonly V[],
  )
}

/** Several fields at once, from core's builders or from any Standard Schema that can say its JSON Schema. */
export function fields<const A extends Asked>(
  message: string,
  asked: A,
  settings: Harmless<AnswersOf<A>> = {},
): Description<AnswersOf<A>> {
  const { form, take } = formOf(asked)
  return described('form', message, form, settings, take as (content: Content) => AnswersOf<A> | Promise<AnswersOf<A>>)
}

/** Consent to open a link. What happens on that page is the page's business: an accept says no more than "I will". */
export function url(message: string, link: string, settings: Plain = {}): Description<void> {
  withoutDefault(settings)
  const screened = screenUrl(link)
  if (!screened.ok) throw new AssentError('schema_refused', `This link cannot be shown to a person: ${screened.reason}`)
  const question: Question = { kind: 'url', message: words(message), url: link }
  return { kind: 'url', question, take: () => undefined, how: howOf(settings) }
}

/**
 * A password, key or token. The protocol forbids it in a form, and no driver sends it in one: the form here is what a
 * surface of ours that can mask its input shows.
 */
export function secret(message: string, settings: Plain = {}): Description<string> {
  withoutDefault(settings)
  const question: Question = {
    kind: 'form',
    message: words(message),
    form: form({ secret: textField({ minLength: 1 }) }),
  }
  return { kind: 'secret', question, take: (content) => content.secret as string, how: howOf(settings) }
}

/** Approval of one exact action, drawn from its bytes; `claim` is what the asker says about it. */
export function approve(title: string, action: Action, settings: Plain & { claim?: string } = {}): Description<void> {
  withoutDefault(settings)
  const { claim } = settings
  const question: Question = {
    kind: 'approval',
    title: words(title),
    action,
    digest: actionDigest(action),
    ...given({ claim }),
  }
  return {
    kind: 'approve',
    question,
    take: () => undefined,
    how: { ...howOf(settings), risk: settings.risk ?? 'notable' },
  }
}

function described<Value>(
  kind: AskKind,
  message: string,
  asked: Form,
  settings: Harmless<Value>,
  take: Description<Value>['take'],
): Description<Value> {
  const sameOptions = screenOptions(asked.fields)
  if (sameOptions !== undefined) throw new AssentError('schema_refused', sameOptions)
  const [finding] = screened.of(JSON.stringify([message, asked.fields]), () => screenForSecrets(asked.fields, message))
  if (finding !== undefined) {
    // An agent may read this: it chose the words of the question. An author finds `ask.secret` in the reference.
    throw new AssentError('schema_refused', finding.reason)
  }
  const { checked } = settings
  if (checked !== undefined && withoutChecked(message, checked) === undefined) {
    throw new AssentError('misconfigured', 'What was checked must be a paragraph of the question.')
  }
  const question = { kind: 'form', message: words(message), form: asked, ...given({ checked }) } as const
  return { kind, question, take, how: howOf(settings) }
}

function words(message: string): string {
  if (typeof message !== 'string' || message.trim() === '' || !message.isWellFormed()) {
    throw new AssentError('schema_refused', 'An ask needs a question in words.')
  }
  if (message.length > askLimits.messageChars) {
    throw new AssentError('limit_exceeded', `A question has at most ${askLimits.messageChars} characters.`)
  }
  return message
}

/** What was not said is absent, never undefined. */
function given<T extends object>(settings: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const said = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said) as { [K in keyof T]: Exclude<T[K], undefined> }
}
