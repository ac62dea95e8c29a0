// Asks that are yielded as plain objects: `yield { ask: 'text', message: 'Name?' }`.
//
// Tools written for other runtimes have this form. Each kind calls the method of `ask` with the same meaning. `default`
// is what the form shows, as in `suggest`: it is never an answer that no person gave.

import { AssentError, isPlainObject } from '@assent/core'
import type { FormSource } from '../ask/form-source.ts'
import type { Perform } from './yielded.ts'

type PlainOptions = readonly (string | { readonly value: string; readonly label?: string })[]

/** One question. Members that a kind does not have are ignored. */
export type PlainAsk =
  | (PlainText & { readonly ask: 'text' })
  | { readonly ask: 'password'; readonly message: string }
  | { readonly ask: 'confirm'; readonly message: string; readonly default?: boolean; readonly dangerous?: boolean }
  | PlainSelect
  | PlainNumber
  | { readonly ask: 'date'; readonly message: string; readonly default?: string }
  | { readonly ask: 'form'; readonly message: string; readonly schema: FormSource }
  | { readonly ask: 'url'; readonly message: string; readonly url: string }
  | { readonly ask: 'file'; readonly message: string; readonly default?: string }

interface PlainText {
  readonly message: string
  readonly default?: string
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression that the whole text must match. */
  readonly pattern?: string
}

interface PlainSelect {
  readonly ask: 'select'
  readonly message: string
  readonly options: PlainOptions
  readonly multi?: boolean
  readonly default?: string | readonly string[]
}

interface PlainNumber {
  readonly ask: 'number'
  readonly message: string
  readonly min?: number
  readonly max?: number
  /** Whole numbers only, where it is 1. */
  readonly step?: number
  readonly default?: number
}

/** Undefined for anything but an object with `ask`. */
export function performPlain(value: unknown): Perform | undefined {
  if (!isPlainObject(value) || typeof value.ask !== 'string') return undefined
  // The kind and the message are checked where they are used; a member with a wrong type is refused by the ask itself.
  const asked = value as unknown as PlainAsk
  return async ({ ask }) => {
    const { message } = asked
    switch (asked.ask) {
      case 'text':
        return ask.text(message, textOptions(asked))
      case 'password':
        return ask.secret(message)
      case 'confirm':
        return asked.dangerous === true
          ? ask.confirm(message, { ...suggested(asked.default), risk: 'destructive' })
          : ask.confirm(message, suggested(asked.default))
      case 'select':
        return asked.multi === true
          ? ask.chooseMany(message, choicesOf(asked), suggested(asked.default as readonly string[] | undefined))
          : ask.choose(message, choicesOf(asked), suggested(asked.default as string | undefined))
      case 'number': {
        const { min, max, step, default: given } = asked
        const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
        return ask.number(message, { ...bounds, ...(step === 1 ? { integer: true } : {}), ...suggested(given) })
      }
      case 'date':
        return ask.date(message, suggested(asked.default))
      case 'form':
        return ask.form(message, asked.schema)
      case 'url':
        return ask.url(message, asked.url)
      case 'file':
        return ask.file(message, suggested(asked.default))
      default:
        throw unknownKind(value.ask)
    }
  }
}

function suggested<Value>(value: Value | undefined): { suggest?: Value } {
  return value === undefined ? {} : { suggest: value }
}

function textOptions({ minLength, maxLength, pattern, default: given }: PlainText) {
  const expression = pattern === undefined ? undefined : new RegExp(`^(?:${pattern})$`, 'u')
  return {
    ...suggested(given),
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(expression === undefined
      ? {}
      : { validate: (text: string) => (expression.test(text) ? undefined : `It must match ${pattern}.`) }),
  }
}

function choicesOf({ options }: PlainSelect): readonly (string | { value: string; label: string })[] {
  if (!Array.isArray(options)) throw new AssentError('misconfigured', 'A yielded select needs a list of `options`.')
  const given: PlainOptions = options
  return given.map((option) =>
    typeof option === 'string' ? option : { value: option.value, label: option.label ?? option.value },
  )
}

const kinds = 'text, password, confirm, select, number, date, form, url or file'

function unknownKind(kind: unknown): AssentError {
  return new AssentError('misconfigured', `This tool yielded an ask of the kind "${kind}". Use one of ${kinds}.`)
}
