// Arguments that a person may change before they approve them.
//
// First the person gets a form with the current values; what they enter is checked like any answer, and with the input schema of
// the tool. Then they approve the result, which is a new action with its own digest: what was approved is what they saw last.
// Arguments that the form does not have stay as they are.

import {
  AssentError,
  boolean,
  type Content,
  canonicalJson,
  checkAnswer,
  type FieldSpec,
  type Form,
  form,
  isPlainObject,
  number,
  text,
  trustedPatterns,
} from '@assent/core'
import { askUntilAccepted } from './ask-again.ts'
import { type Description, edit } from './describe.ts'
import type { Ending } from './ending.ts'
import { type FormSource, parseFormSource } from './form-source.ts'
import type { AskOptions } from './options.ts'
import { checkedEdit, type ToolInput } from './tool-input.ts'

/** The names of arguments that are texts, numbers or booleans, or a form for some of the arguments. */
export type Editable = readonly string[] | FormSource

export interface Edit {
  readonly title: string
  readonly arguments: object
  readonly editable: Editable
  readonly options: AskOptions
  readonly input: ToolInput
}

/** Resolves with the arguments as the person left them. `put` asks one question and resolves with how it ended. */
export async function editedArguments(
  { title, arguments: given, editable, options, input }: Edit,
  put: (description: Description) => Promise<Ending>,
): Promise<object> {
  // A copy, so that later changes of the original change neither what is shown nor what is approved.
  const current = JSON.parse(canonicalJson(given)) as Readonly<Record<string, unknown>>
  const { form: shown, take } = isNames(editable) ? formOfNames(current, editable) : parseFormSource(editable)
  const names = shown.fields.map(({ name }) => name)
  for (const name of names) if (!Object.hasOwn(current, name)) throw notAnArgument(name)
  const description = edit(`${title}\n\nChange what you want. You approve the result afterwards.`, {
    form: withCurrent(shown, current),
    take: async (content) => {
      const edited = merged(current, names, await take(content))
      return checkedEdit(input, { current, edited, names })
    },
    options,
  })
  return (await askUntilAccepted(description, put)).value
}

function isNames(editable: Editable): editable is readonly string[] {
  return Array.isArray(editable)
}

function formOfNames(current: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const fields = Object.fromEntries(names.map((name) => [name, fieldFor(name, current)]))
  return { form: form(fields), take: (content: Content): unknown => content }
}

function fieldFor(name: string, current: Readonly<Record<string, unknown>>): FieldSpec {
  if (!Object.hasOwn(current, name)) throw notAnArgument(name)
  switch (typeof current[name]) {
    case 'string':
      return text()
    case 'number':
      return number()
    case 'boolean':
      return boolean()
    default:
      throw new AssentError(
        'misconfigured',
        `The argument "${name}" cannot be edited: only texts, numbers and booleans can. Pass a form instead.`,
      )
  }
}

/** The form, filled with the current values. They must fit it, or the person would have to correct what they never saw. */
function withCurrent(shown: Form, current: Readonly<Record<string, unknown>>): Form {
  // An argument that is null is a field that is empty.
  const filled = shown.fields.map(({ name }) => name).filter((name) => current[name] !== null)
  const content = Object.fromEntries(filled.map((name) => [name, current[name]]))
  const answer = { action: 'accept', content }
  const judged = checkAnswer({ kind: 'form', message: 'edit', form: shown }, answer, { patterns: trustedPatterns })
  if (!judged.ok)
    throw new AssentError('misconfigured', 'The arguments do not fit the form in which they could be edited.')
  const fields = shown.fields.map(({ default: _, ...field }) => {
    return filled.includes(field.name) ? { ...field, default: current[field.name] } : field
  })
  return { ...shown, fields } as Form
}

function merged(
  current: Readonly<Record<string, unknown>>,
  names: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (!isPlainObject(value)) throw new AssentError('misconfigured', 'The form of an edit must result in an object.')
  // A field that was left empty keeps its argument: the person was asked to change what they want.
  const entered = names.filter((name) => value[name] !== undefined).map((name) => [name, value[name]] as const)
  return { ...current, ...Object.fromEntries(entered) }
}

function notAnArgument(name: string): AssentError {
  return new AssentError('misconfigured', `The action has no argument "${name}" that could be edited.`)
}
