// One field of a form as a prompt, judged by core's own rules and asked again in place until it fits.
//
// An optional field can be left out. Suggested text and numbers are filled in. A suggested option, tick or yes/no is only
// marked: nothing is chosen beforehand, so Enter alone never submits a suggestion.

import {
  type ChoiceField,
  type ChoicesField,
  checkContent,
  type Field,
  type FieldValue,
  listOfText,
  mustBeFilled,
  oneLine,
  textOfList,
} from '@assent/core'
import { enterKeys, help, labelOf, pickKeys, placeholderOf, titleOf } from './field-words.ts'
import { terminalLimits } from './limits.ts'
import { type LineOptions, linePrompt } from './prompts/line.ts'
import { type ListOption, ListPrompt } from './prompts/list.ts'
import { NumberPrompt, readNumber } from './prompts/number.ts'
import { type Desk, type Prompted, runPrompt } from './prompts/run-prompt.ts'
import { keyWords, leaving } from './words.ts'

/** Undefined when it was left out. */
export type FieldAnswer = { readonly value: FieldValue | undefined }

interface FieldOptions {
  /** Shown instead of the field's own title. */
  readonly title?: string
  /** An earlier answer, to begin with. */
  readonly before?: FieldValue
  readonly settle: boolean
}

const leaveOut = 'leave-out'

export async function askField(desk: Desk, field: Field, options: FieldOptions): Promise<Prompted<FieldAnswer>> {
  const prompted = await promptFor(desk, field, options)
  return prompted.ok ? { ok: true, value: { value: prompted.value } } : prompted
}

function promptFor(desk: Desk, field: Field, options: FieldOptions): Promise<Prompted<FieldValue | undefined>> {
  switch (field.kind) {
    case 'text':
      return askLine(desk, field, options, (line) => line)
    case 'number':
      return askLine(desk, field, options, readNumber)
    case 'boolean':
      return askYesNo(desk, field, options)
    case 'choice':
      return askChoice(desk, field, options)
    case 'choices':
      return askChoices(desk, field, options)
    case 'list':
      return askLine(desk, field, options, listOfText)
  }
}

async function askLine(
  desk: Desk,
  field: Extract<Field, { kind: 'text' | 'number' | 'list' }>,
  { before, settle, title = titleOf(field) }: FieldOptions,
  read: (line: string) => FieldValue | undefined,
): Promise<Prompted<FieldValue | undefined>> {
  const given = before ?? field.default
  const suggested = typeof given === 'object' ? textOfList(given) : given
  // A line editor cannot hold several lines; Enter alone takes such a suggestion as it is.
  const offered = typeof suggested === 'string' && oneLine(suggested, 'terminal') !== suggested ? suggested : undefined
  const isEmpty = (line: string) => line.trim() === ''
  const line: LineOptions = {
    title,
    ...help(field, title),
    ...(suggested === undefined || offered !== undefined ? {} : { suggested: String(suggested) }),
    placeholder: offered === undefined ? placeholderOf(field) : `suggested: ${oneLine(offered, 'terminal')}`,
    keys: [...(field.kind === 'number' ? [keyWords.step] : []), ...enterKeys(field, offered), ...leaving(desk)],
    problem: (typed) => {
      if (isEmpty(typed)) return mustBeFilled(field) && offered === undefined ? 'This is required.' : undefined
      return problemWith(desk, field, read(typed) ?? typed)
    },
    shown: (typed) => (isEmpty(typed) ? (offered ?? 'left out') : typed),
  }
  const { min, max } = field.kind === 'number' ? field : {}
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  const prompted = await runPrompt<string>(
    desk,
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
  desk: Desk,
  field: Extract<Field, { kind: 'boolean' }>,
  options: FieldOptions,
): Promise<Prompted<FieldValue | undefined>> {
  const suggested = (value: boolean) => (field.default === value ? { note: 'suggested' } : {})
  const picked = await pick(desk, field, options, [
    { id: 'yes', label: 'Yes', key: 'y', ...suggested(true) },
    { id: 'no', label: 'No', key: 'n', ...suggested(false) },
  ])
  return picked.ok ? { ok: true, value: picked.value === undefined ? undefined : picked.value === 'yes' } : picked
}

async function askChoice(
  desk: Desk,
  field: ChoiceField,
  options: FieldOptions,
): Promise<Prompted<FieldValue | undefined>> {
  const at = field.options.findIndex(({ value }) => value === options.before)
  const picked = await pick(desk, field, options, listOf(field), at < 0 ? [] : [String(at)])
  if (!picked.ok || picked.value === undefined) return picked
  return { ok: true, value: field.options[Number(picked.value)]?.value }
}

async function pick(
  desk: Desk,
  field: Field,
  { settle, title = titleOf(field) }: FieldOptions,
  known: readonly ListOption[],
  begin: readonly string[] = [],
): Promise<Prompted<string | undefined>> {
  const all = mustBeFilled(field) ? known : [...known, { id: leaveOut, label: 'Leave this out', note: 'optional' }]
  const prompted = await runPrompt(
    desk,
    (pen, streams) =>
      new ListPrompt(
        { title, ...help(field, title), options: all, begin, keys: pickKeys(all.length, desk) },
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
  desk: Desk,
  field: ChoicesField,
  { before, settle, title = titleOf(field) }: FieldOptions,
): Promise<Prompted<FieldValue | undefined>> {
  const begin = before ?? []
  const ticked = field.options.flatMap(({ value }, index) =>
    typeof begin === 'object' && begin.includes(value) ? [String(index)] : [],
  )
  const valuesOf = (ids: readonly string[]) => ids.flatMap((id) => field.options[Number(id)]?.value ?? [])
  // Nothing ticked is an answer where it fits, and otherwise leaves an optional field out.
  const isLeftOut = (ids: readonly string[]) =>
    ids.length === 0 && !mustBeFilled(field) && problemWith(desk, field, []) !== undefined
  const searched = field.options.length > terminalLimits.optionsAtSight
  const prompted = await runPrompt(
    desk,
    (pen, streams) =>
      new ListPrompt(
        {
          title,
          ...help(field, title),
          options: listOf(field),
          many: true,
          begin: ticked,
          keys: [searched ? keyWords.tickWhileSearching : keyWords.tick, ...enterKeys(field), ...leaving(desk)],
          problem: (ids) => (isLeftOut(ids) ? undefined : problemWith(desk, field, valuesOf(ids))),
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
  return field.options.map((option, index) => ({
    id: String(index),
    label: labelOf(option),
    also: option.value,
    ...(suggested.includes(option.value) ? { note: 'suggested' } : {}),
  }))
}

/** In core's own words, or undefined. */
function problemWith({ patterns }: Desk, field: Field, value: FieldValue): string | undefined {
  const checked = checkContent({ fields: [field] }, { [field.name]: value }, { patterns })
  return checked.ok ? undefined : checked.issues.map(({ message }) => message).join(' ')
}
