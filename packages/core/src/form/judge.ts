// The one judge of fields: forms that are read and forms that are built both pass through here, so they cannot disagree.
//
// A draft is a field as somebody described it, every part still of unknown type but named in the form's own words. The
// judge neither knows nor cares which schema or which builder the words came from; the draft tells it what to call the
// place of a problem.
import { formLimits } from '../limits.ts'
import { boundsOf } from './bounds.ts'
import type {
  BooleanField,
  ChoiceField,
  ChoicesField,
  Form,
  ListField,
  NumberField,
  Option,
  TextField,
  TextRules,
  Unnamed,
} from './form.ts'
import { type Field, textFormats } from './form.ts'
import type { CompilePattern } from './patterns.ts'
import type { Problems } from './problems.ts'
import { said } from './said.ts'
import { type Draft, Taker } from './take.ts'
import { checkValue } from './value.ts'

export type NamedDraft = Draft & { readonly name: string }

/** Undefined when anything was wrong; the problems say what. Drafts are not asked for once the report is full. */
export function judgeForm(drafts: Iterable<NamedDraft>, problems: Problems, compile: CompilePattern): Form | undefined {
  const fields: Field[] = []
  let textChars = 0
  for (const draft of drafts) {
    judgeName(draft, problems)
    const part = judgePart(draft, problems, compile)
    if (problems.full) break
    if (part === undefined) continue
    const field: Field = { name: draft.name, ...part }
    textChars += textCharsOf(field)
    // Stops here, because every further field would cost reading time that the schema has already used up.
    if (textChars > formLimits.schemaChars) {
      problems.add('', 'too_large', `A form may hold ${formLimits.schemaChars} characters of text in all.`)
      break
    }
    fields.push(field)
  }
  return problems.count === 0 ? { fields } : undefined
}

/** Judges all of a field but its name. */
export function judgePart(draft: Draft, problems: Problems, compile: CompilePattern): Unnamed | undefined {
  const countBefore = problems.count
  const part = partOf(draft, new Taker(draft, problems), compile)
  if (part === undefined || problems.count > countBefore) return undefined

  const suggested = draft.parts.get('default')
  if (suggested === undefined) return part
  const checked = checkValue(part, suggested, compile)
  if (checked.ok) return { ...part, default: checked.value } as Unnamed
  if (draft.dropsBadDefault === true) return part
  problems.add(draft.path('default'), 'contradictory', `The default is not a valid answer. ${checked.message}`)
  return undefined
}

function judgeName({ name, path }: NamedDraft, problems: Problems): void {
  if (name === '') problems.add(path(), 'malformed', 'A field needs a name.')
  else if (name.length > formLimits.nameChars) {
    problems.add(path(), 'too_large', `A field's name may have ${formLimits.nameChars} characters at most.`)
  } else if (!name.isWellFormed()) problems.add(path(), 'malformed', "The field's name contains a broken character.")
  // Assigning to it would change an object's prototype instead of adding a property.
  else if (name === '__proto__') problems.add(path(), 'unsupported', 'A field cannot be called "__proto__".')
}

function partOf(draft: Draft, take: Taker, compile: CompilePattern): Unnamed | undefined {
  switch (draft.kind) {
    case 'text':
      return textPart(take, compile)
    case 'number':
      return numberPart(take)
    case 'boolean':
      return said({ kind: 'boolean', ...common(take) }) satisfies Unnamed<BooleanField>
    case 'choice':
      return said({ kind: 'choice', ...common(take), options: options(take) }) satisfies Unnamed<ChoiceField>
    case 'choices':
      return choicesPart(take)
    case 'list':
      return listPart(take, compile)
    default:
      return take.refuse(undefined, 'unsupported', 'A field must be text, number, boolean, choice, choices or list.')
  }
}

function common(take: Taker) {
  return {
    required: take.flag('required') ?? true,
    title: take.text('title', formLimits.titleChars),
    description: take.text('description', formLimits.descriptionChars),
    nullable: take.flag('nullable') === true ? (true as const) : undefined,
  }
}

function textPart(take: Taker, compile: CompilePattern): Unnamed<TextField> {
  return said({ kind: 'text', ...common(take), ...textRules(take, compile) })
}

function textRules(take: Taker, compile: CompilePattern): TextRules {
  const format = take.oneOf('format', textFormats)
  const minLength = take.count('minLength')
  const maxLength = take.count('maxLength')
  if (minLength !== undefined && minLength > formLimits.answerChars) {
    take.refuse('minLength', 'too_large', `An answer may have ${formLimits.answerChars} characters at most.`)
  }
  take.refuseCrossed('minLength', minLength, maxLength)
  return said({ format, minLength, maxLength, pattern: patternOf(take, format !== undefined, compile) })
}

/** Beside a format that is checked anyway, a pattern that cannot be checked only spells the format out. */
function patternOf(take: Taker, hasFormat: boolean, compile: CompilePattern): string | undefined {
  const pattern = take.text('pattern', formLimits.patternChars)
  if (pattern === undefined) return undefined
  const compiled = compile(pattern)
  if (compiled.ok) return pattern
  return hasFormat ? undefined : take.refuse('pattern', 'unsupported', compiled.reason)
}

function numberPart(take: Taker): Unnamed<NumberField> {
  const integer = take.flag('integer') ?? false
  const given = {
    min: take.number('min', integer),
    max: take.number('max', integer),
    above: take.bound('above'),
    below: take.bound('below'),
  }
  const bounds = boundsOf(integer, given)
  const { min, max } = bounds
  take.refuseCrossed(given.min === undefined && given.above !== undefined ? 'above' : 'min', min, max)
  const [above, below] = [bounds.above ?? min, bounds.below ?? max]
  if (bounds.above !== undefined || bounds.below !== undefined) {
    if (above !== undefined && below !== undefined && above >= below)
      take.refuse(bounds.above === undefined ? 'below' : 'above', 'contradictory', 'No number is in this range.')
  }
  if (integer && ((min ?? 0) > Number.MAX_SAFE_INTEGER || (max ?? 0) < Number.MIN_SAFE_INTEGER)) {
    take.refuse('min', 'contradictory', 'No whole number in this range can be written exactly.')
  }
  return said({ kind: 'number', ...common(take), integer, ...bounds })
}

function choicesPart(take: Taker): Unnamed<ChoicesField> {
  const known = options(take)
  const minItems = take.count('minItems')
  const maxItems = take.count('maxItems')
  take.refuseCrossed('minItems', minItems, maxItems)
  if (minItems !== undefined && minItems > known.length) {
    take.refuse('minItems', 'contradictory', `Nobody can choose ${minItems} of ${known.length} options.`)
  }
  // Nobody can tick an option twice, so it changes nothing; but it must be what it has to be.
  take.flag('unique')
  return said({ kind: 'choices', ...common(take), options: known, minItems, maxItems })
}

function listPart(take: Taker, compile: CompilePattern): Unnamed<ListField> {
  const minItems = take.count('minItems')
  const maxItems = take.count('maxItems')
  take.refuseCrossed('minItems', minItems, maxItems)
  if (minItems !== undefined && minItems > formLimits.listItems) {
    take.refuse('minItems', 'too_large', `A list may have ${formLimits.listItems} entries at most.`)
  }
  const unique = take.flag('unique') === true ? (true as const) : undefined
  return said({ kind: 'list', ...common(take), item: textRules(take, compile), minItems, maxItems, unique })
}

function options(take: Taker): readonly Option[] {
  const drafts = take.options()
  const values = new Set<string>()
  return drafts.flatMap((draft, index) => {
    const value = take.option(draft.value, index)
    const label = draft.label === undefined ? undefined : take.option(draft.label, index)
    if (value === undefined) return []
    if (values.has(value)) take.refuse('options', 'contradictory', 'Two options have the same value.', index)
    values.add(value)
    // A label that repeats the value says nothing; without it, titled and untitled options that look alike are alike.
    return [label === undefined || label === value ? { value } : { value, label }]
  })
}

function textCharsOf(field: Field): number {
  let chars = field.name.length + (field.title?.length ?? 0) + (field.description?.length ?? 0)
  if (field.kind === 'text') chars += (field.default?.length ?? 0) + (field.pattern?.length ?? 0)
  if (field.kind === 'list') {
    chars += field.item.pattern?.length ?? 0
    for (const entry of field.default ?? []) chars += entry.length
  }
  if (field.kind !== 'choice' && field.kind !== 'choices') return chars
  for (const option of field.options) chars += option.value.length + (option.label?.length ?? 0)
  return chars
}
