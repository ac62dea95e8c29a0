// `elicit_input`: the agent asks for something only its person knows, as text, a number or a day.

import { type FieldSpec, form, number, text } from '@assent/core'
import { z } from 'zod'
import { askForm } from '../ask-form.ts'
import { answered, commentMember, commentSentence, endingFields, refuse, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { inputText } from '../text/asking.ts'
import { register, type ToolRegistration } from '../tool.ts'

const kinds = ['text', 'email', 'url', 'date', 'number', 'integer'] as const

const input = z.object({
  question: z.string().min(1).max(toolLimits.questionChars).describe(inputText.input.question),
  kind: z.enum(kinds).optional().describe(inputText.input.kind),
  suggested: z.union([z.string(), z.number()]).optional().describe(inputText.input.suggested),
  minLength: z.number().int().min(0).optional().describe(inputText.input.length),
  maxLength: z.number().int().min(1).optional().describe(inputText.input.length),
  min: z.number().optional().describe(inputText.input.min),
  max: z.number().optional().describe(inputText.input.max),
})
type Input = z.output<typeof input>

const output = z.object({
  ...endingFields,
  value: z.union([z.string(), z.number()]).optional().describe(inputText.output.value),
})

export function registerInput(registering: ToolRegistration): void {
  register(registering, 'elicit_input', {
    title: inputText.title,
    description: inputText.description,
    input,
    output,
    run: (given, { ask }) =>
      withNoAnswerErrors({ inWords: inputText.inWords(given.question), nothing: inputText.none }, async () => {
        const { name, field } = fieldOf(given)
        const { content, comment } = await askForm(ask, { message: given.question, form: form({ [name]: field }) })
        const value = content[name] as string | number
        return answered(inputText.answered(value, commentSentence(comment)), { value, ...commentMember(comment) })
      }),
  })
}

interface NamedField {
  readonly name: string
  readonly field: FieldSpec<string> | FieldSpec<number>
}

function fieldOf({ kind = 'text', suggested, minLength, maxLength, min, max }: Input): NamedField {
  const title = inputText.field
  if (kind === 'number' || kind === 'integer') {
    if (minLength !== undefined || maxLength !== undefined) refuse(inputText.numberHasNoLength)
    if (suggested !== undefined && typeof suggested !== 'number') refuse(inputText.suggestNumber)
    const field = number({ title, integer: kind === 'integer', ...given({ min, max, default: suggested }) })
    return { name: 'number', field }
  }
  if (min !== undefined || max !== undefined) refuse(inputText.onlyNumberHasBounds)
  if (suggested !== undefined && typeof suggested !== 'string') refuse(inputText.suggestText)
  if (kind === 'date') {
    if (minLength !== undefined || maxLength !== undefined) refuse(inputText.dateHasNoLength)
    return { name: 'date', field: text({ title, format: 'date', ...given({ default: suggested }) }) }
  }
  const format = kind === 'email' ? ('email' as const) : kind === 'url' ? ('uri' as const) : undefined
  // An empty line is not an answer unless the agent allows it with minLength.
  const field = text({ title, ...given({ format, maxLength, default: suggested }), minLength: minLength ?? 1 })
  return { name: 'text', field }
}

/** Without the members that are undefined. */
function given<T extends object>(settings: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const defined = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as { [K in keyof T]?: Exclude<T[K], undefined> }
}
