// Validates fields. Forms that are read and forms that are built both pass through here, so they follow the same rules.
//
// A draft is a field with parts of unknown type, under the names that form.ts uses. This module does not know whether
// it came from a schema or a builder; the draft supplies the path for a problem.

import { compact } from '../compact.ts'
import { formLimits } from '../limits.ts'
import { boundsOf } from './bounds.ts'
import { type Draft, DraftReader } from './draft-reader.ts'
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
  UnnamedField,
} from './form.ts'
import { type Field, textFormats } from './form.ts'
import type { CompilePattern } from './patterns.ts'
import type { Problems } from './problems.ts'
import { checkValue } from './value.ts'

export type NamedDraft = Draft & { readonly name: string }

/** Undefined when there is any problem; `problems` has them. Stops reading drafts when the report is full. */
export function validateForm(
  drafts: Iterable<NamedDraft>,
  problems: Problems,
  compile: CompilePattern,
): Form | undefined {
  const fields: Field[] = []
  let textChars = 0
  for (const draft of drafts) {
    validateName(draft, problems)
    const part = validateField(draft, problems, compile)
    if (problems.full) break
    if (part === undefined) continue
    const field: Field = { name: draft.name, ...part }
    textChars += textCharsOf(field)
    // Stops here: the form is refused, so reading further fields would only cost time.
    if (textChars > formLimits.schemaChars) {
      problems.add('', 'too_large', `A form may hold ${formLimits.schemaChars} characters of text in all.`)
      break
    }
    fields.push(field)
  }
  return problems.count === 0 ? { fields } : undefined
}

/** Validates a field except for its name. */
export function validateField(draft: Draft, problems: Problems, compile: CompilePattern): UnnamedField | undefined {
  const countBefore = problems.count
  const part = partOf(draft, new DraftReader(draft, problems), compile)
  if (part === undefined || problems.count > countBefore) return undefined

  const suggested = draft.parts.get('default')
  if (suggested === undefined) return part
  const checked = checkValue(part, suggested, compile)
  if (checked.ok) return { ...part, default: checked.value } as UnnamedField
  if (draft.dropsBadDefault === true) return part
  problems.add(draft.path('default'), 'contradictory', `The default is not a valid answer. ${checked.message}`)
  return undefined
}

function validateName({ name, path }: NamedDraft, problems: Problems): void {
  if (name === '') problems.add(path(), 'malformed', 'A field needs a name.')
  else if (name.length > formLimits.nameChars) {
    problems.add(path(), 'too_large', `A field's name may have ${formLimits.nameChars} characters at most.`)
  } else if (!name.isWellFormed()) problems.add(path(), 'malformed', "The field's name contains a broken character.")
  // Assigning to it would change an object's prototype instead of adding a property.
  else if (name === '__proto__') problems.add(path(), 'unsupported', 'A field cannot be called "__proto__".')
}

function partOf(draft: Draft, reader: DraftReader, compile: CompilePattern): UnnamedField | undefined {
  switch (draft.kind) {
    case 'text':
      return textPart(reader, compile)
    case 'number':
      return numberPart(reader)
    case 'boolean':
      return compact({ kind: 'boolean', ...common(reader) }) satisfies UnnamedField<BooleanField>
    case 'choice':
      return compact({
        kind: 'choice',
        ...common(reader),
        options: options(reader),
      }) satisfies UnnamedField<ChoiceField>
    case 'choices':
      return choicesPart(reader)
    case 'list':
      return listPart(reader, compile)
    default:
      return reader.refuse(undefined, 'unsupported', 'A field must be text, number, boolean, choice, choices or list.')
  }
}

function common(reader: DraftReader) {
  return {
    required: reader.flag('required') ?? true,
    title: reader.text('title', formLimits.titleChars),
    description: reader.text('description', formLimits.descriptionChars),
    nullable: reader.flag('nullable') === true ? (true as const) : undefined,
  }
}

function textPart(reader: DraftReader, compile: CompilePattern): UnnamedField<TextField> {
  return compact({ kind: 'text', ...common(reader), ...textRules(reader, compile) })
}

function textRules(reader: DraftReader, compile: CompilePattern): TextRules {
  const format = reader.oneOf('format', textFormats)
  const minLength = reader.count('minLength')
  const maxLength = reader.count('maxLength')
  if (minLength !== undefined && minLength > formLimits.answerChars) {
    reader.refuse('minLength', 'too_large', `An answer may have ${formLimits.answerChars} characters at most.`)
  }
  reader.refuseCrossed('minLength', minLength, maxLength)
  return compact({ format, minLength, maxLength, pattern: patternOf(reader, format !== undefined, compile) })
}

/** A pattern that cannot be checked is dropped if the field has a format: it usually describes the same format. */
function patternOf(reader: DraftReader, hasFormat: boolean, compile: CompilePattern): string | undefined {
  const pattern = reader.text('pattern', formLimits.patternChars)
  if (pattern === undefined) return undefined
  const compiled = compile(pattern)
  if (compiled.ok) return pattern
  return hasFormat ? undefined : reader.refuse('pattern', 'unsupported', compiled.reason)
}

function numberPart(reader: DraftReader): UnnamedField<NumberField> {
  const integer = reader.flag('integer') ?? false
  const given = {
    min: reader.number('min', integer),
    max: reader.number('max', integer),
    above: reader.bound('above'),
    below: reader.bound('below'),
  }
  const bounds = boundsOf(integer, given)
  const { min, max } = bounds
  reader.refuseCrossed(given.min === undefined && given.above !== undefined ? 'above' : 'min', min, max)
  const [above, below] = [bounds.above ?? min, bounds.below ?? max]
  if (bounds.above !== undefined || bounds.below !== undefined) {
    if (above !== undefined && below !== undefined && above >= below)
      reader.refuse(bounds.above === undefined ? 'below' : 'above', 'contradictory', 'No number is in this range.')
  }
  if (integer && ((min ?? 0) > Number.MAX_SAFE_INTEGER || (max ?? 0) < Number.MIN_SAFE_INTEGER)) {
    reader.refuse('min', 'contradictory', 'No whole number in this range can be written exactly.')
  }
  return compact({ kind: 'number', ...common(reader), integer, ...bounds })
}

function choicesPart(reader: DraftReader): UnnamedField<ChoicesField> {
  const known = options(reader)
  const minItems = reader.count('minItems')
  const maxItems = reader.count('maxItems')
  reader.refuseCrossed('minItems', minItems, maxItems)
  if (minItems !== undefined && minItems > known.length) {
    reader.refuse('minItems', 'contradictory', `It is impossible to choose ${minItems} of ${known.length} options.`)
  }
  // An option cannot be ticked twice, so the flag changes nothing; only its type is checked.
  reader.flag('unique')
  return compact({ kind: 'choices', ...common(reader), options: known, minItems, maxItems })
}

function listPart(reader: DraftReader, compile: CompilePattern): UnnamedField<ListField> {
  const minItems = reader.count('minItems')
  const maxItems = reader.count('maxItems')
  reader.refuseCrossed('minItems', minItems, maxItems)
  if (minItems !== undefined && minItems > formLimits.listItems) {
    reader.refuse('minItems', 'too_large', `A list may have ${formLimits.listItems} entries at most.`)
  }
  const unique = reader.flag('unique') === true ? (true as const) : undefined
  return compact({ kind: 'list', ...common(reader), item: textRules(reader, compile), minItems, maxItems, unique })
}

function options(reader: DraftReader): readonly Option[] {
  const drafts = reader.options()
  const values = new Set<string>()
  return drafts.flatMap((draft, index) => {
    const value = reader.option(draft.value, index)
    const label = draft.label === undefined ? undefined : reader.option(draft.label, index)
    if (value === undefined) return []
    if (values.has(value)) reader.refuse('options', 'contradictory', 'Two options have the same value.', index)
    values.add(value)
    // A label that repeats the value is dropped, so that titled and untitled options that look alike are equal.
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
