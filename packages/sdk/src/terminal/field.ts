// One field of a form as a prompt, validated by core's rules and asked again in place until it is valid.
//
// An optional field can be left out. Suggested text and numbers are filled in. A suggested option, tick or yes/no is only
// marked: nothing is chosen beforehand, so Enter alone never submits a suggestion.

import {
  type ChoiceField,
  type ChoicesField,
  checkContent,
  compact,
  type Field,
  type FieldValue,
  listOfText,
  mustBeFilled,
  oneLine,
  textOfList,
} from '@assent/core'
import { enterKeys, help, optionLabel, pickKeys, placeholderOf, titleOf } from './field-text.ts'
import { exitHints, keyHints } from './key-hints.ts'
import { terminalLimits } from './limits.ts'
import { type LinePromptOptions, linePrompt } from './prompts/line.ts'
import { type ListOption, ListPrompt } from './prompts/list.ts'
import { NumberPrompt, readNumber } from './prompts/number.ts'
import { type PromptContext, type Prompted, runPrompt } from './prompts/run-prompt.ts'

/** Undefined when it was left out. */
export type FieldAnswer = { readonly value: FieldValue | undefined }

interface FieldOptions {
  /** Shown instead of the field's own title. */
  readonly title?: string
  /** The earlier answer, which is filled in. */
  readonly before?: FieldValue
  readonly settle: boolean
}

const leaveOut = 'leave-out'

export async function askField(
  context: PromptContext,
  field: Field,
  options: FieldOptions,
): Promise<Prompted<FieldAnswer>> {
  const prompted = await promptFor(context, field, options)
  return prompted.ok ? { ok: true, value: { value: prompted.value } } : prompted
}

function promptFor(
  context: PromptContext,
  field: Field,
  options: FieldOptions,
): Promise<Prompted<FieldValue | undefined>> {
  switch (field.kind) {
    case 'text':
      return askLine(context, field, options, (line) => line)
    case 'number':
      return askLine(context, field, options, readNumber)
    case 'boolean':
      return askYesNo(context, field, options)
    case 'choice':
      return askChoice(context, field, options)
    case 'choices':
      return askChoices(context, field, options)
    case 'list':
      return askLine(context, field, options, listOfText)
  }
}

async function askLine(
  context: PromptContext,
  field: Extract<Field, { kind: 'text' | 'number' | 'list' }>,
  { before, settle, title = titleOf(field) }: FieldOptions,
  read: (line: string) => FieldValue | undefined,
): Promise<Prompted<FieldValue | undefined>> {
  const given = before ?? field.default
  const suggested = typeof given === 'object' ? textOfList(given) : given
  // A line editor cannot hold several lines; Enter alone accepts such a suggestion unchanged.
  const offered = typeof suggested === 'string' && oneLine(suggested, 'terminal') !== suggested ? suggested : undefined
  const isEmpty = (line: string) => line.trim() === ''
  const line: LinePromptOptions = {
    title,
    ...help(field, title),
    ...(suggested === undefined || offered !== undefined ? {} : { suggested: String(suggested) }),
    placeholder: offered === undefined ? placeholderOf(field) : `suggested: ${oneLine(offered, 'terminal')}`,
    keys: [...(field.kind === 'number' ? [keyHints.step] : []), ...enterKeys(field, offered), ...exitHints(context)],
    problem: (typed) => {
      if (isEmpty(typed)) return mustBeFilled(field) && offered === undefined ? 'This is required.' : undefined
      return problemWith(context, field, read(typed) ?? typed)
    },
    shown: (typed) => (isEmpty(typed) ? (offered ?? 'left out') : typed),
  }
  const { min, max } = field.kind === 'number' ? field : {}
  const bounds = { ...compact({ min, max }) }
  const prompted = await runPrompt<string>(
    context,
    (pen, streams) =>
      field.kind === 'number' ? new NumberPrompt({ ...line, ...bounds }, pen, streams) : linePrompt(line, pen, streams),
    { settle },
  )
  if (!prompted.ok) return prompted
  return { ok: true, value: isEmpty(prompted.value) ? readOffered(offered, read) : read(prompted.value) }
}

function readOffered(
  offered: string | undefined,
  read: (line: string) => FieldValue | undefined,
): FieldValue | undefined {
  return offered === undefined ? undefined : read(offered)
}

async function askYesNo(
  context: PromptContext,
  field: Extract<Field, { kind: 'boolean' }>,
  options: FieldOptions,
): Promise<Prompted<FieldValue | undefined>> {
  const suggested = (value: boolean) => (field.default === value ? { note: 'suggested' } : {})
  const picked = await pick(context, field, options, [
    { id: 'yes', label: 'Yes', key: 'y', ...suggested(true) },
    { id: 'no', label: 'No', key: 'n', ...suggested(false) },
  ])
  return picked.ok ? { ok: true, value: picked.value === undefined ? undefined : picked.value === 'yes' } : picked
}

async function askChoice(
  context: PromptContext,
  field: ChoiceField,
  options: FieldOptions,
): Promise<Prompted<FieldValue | undefined>> {
  const at = field.options.findIndex(({ value }) => value === options.before)
  const picked = await pick(context, field, options, listOf(field), at < 0 ? [] : [String(at)])
  if (!picked.ok || picked.value === undefined) return picked
  return { ok: true, value: field.options[Number(picked.value)]?.value }
}

async function pick(
  context: PromptContext,
  field: Field,
  { settle, title = titleOf(field) }: FieldOptions,
  known: readonly ListOption[],
  begin: readonly string[] = [],
): Promise<Prompted<string | undefined>> {
  const all = mustBeFilled(field) ? known : [...known, { id: leaveOut, label: 'Leave this out', note: 'optional' }]
  const prompted = await runPrompt(
    context,
    (pen, streams) =>
      new ListPrompt(
        { title, ...help(field, title), options: all, begin, oneKey: true, keys: pickKeys(all, context) },
        pen,
        streams,
      ),
    { settle },
  )
  if (!prompted.ok) return prompted
  const [chosen] = prompted.value
  return { ok: true, value: chosen === leaveOut ? undefined : chosen }
}

async function askChoices(
  context: PromptContext,
  field: ChoicesField,
  { before, settle, title = titleOf(field) }: FieldOptions,
): Promise<Prompted<FieldValue | undefined>> {
  const begin = before ?? []
  const ticked = field.options.flatMap(({ value }, index) =>
    typeof begin === 'object' && begin.includes(value) ? [String(index)] : [],
  )
  const valuesOf = (ids: readonly string[]) => ids.flatMap((id) => field.options[Number(id)]?.value ?? [])
  // An empty selection is an answer if the field allows it; otherwise it leaves out an optional field.
  const isLeftOut = (ids: readonly string[]) =>
    ids.length === 0 && !mustBeFilled(field) && problemWith(context, field, []) !== undefined
  const searched = field.options.length > terminalLimits.optionsAtSight
  const prompted = await runPrompt(
    context,
    (pen, streams) =>
      new ListPrompt(
        {
          title,
          ...help(field, title),
          options: listOf(field),
          many: true,
          begin: ticked,
          keys: [searched ? keyHints.tickWhileSearching : keyHints.tick, ...enterKeys(field), ...exitHints(context)],
          problem: (ids) => (isLeftOut(ids) ? undefined : problemWith(context, field, valuesOf(ids))),
        },
        pen,
        streams,
      ),
    { settle },
  )
  if (!prompted.ok) return prompted
  return { ok: true, value: isLeftOut(prompted.value) ? undefined : valuesOf(prompted.value) }
}

function listOf(field: ChoiceField | ChoicesField): ListOption[] {
  const suggested = [field.default ?? []].flat()
  const isNumbered = field.kind === 'choice' && field.options.length <= terminalLimits.optionsAtSight
  return field.options.map((option, index) => ({
    id: String(index),
    label: optionLabel(option),
    also: option.value,
    ...(isNumbered ? { key: String(index + 1) } : {}),
    ...(suggested.includes(option.value) ? { note: 'suggested' } : {}),
  }))
}

/** Core's error messages for this value, or undefined. */
function problemWith({ patterns }: PromptContext, field: Field, value: FieldValue): string | undefined {
  const checked = checkContent({ fields: [field] }, { [field.name]: value }, { patterns })
  return checked.ok ? undefined : checked.issues.map(({ message }) => message).join(' ')
}
