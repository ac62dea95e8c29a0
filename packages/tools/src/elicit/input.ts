// `elicit_input`: the agent asks for something only its person knows, as text, a number or a day.

import { type FieldSpec, form, number, text } from '@assent/core'
import { z } from 'zod'
import { askForm } from '../ask-form.ts'
import { answered, commentMember, commentSentence, endingFields, refuse, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { register, type ToolRegistration } from '../tool.ts'

const kinds = ['text', 'email', 'url', 'date', 'number', 'integer'] as const

const input = z.object({
  question: z
    .string()
    .min(1)
    .max(toolLimits.questionChars)
    .describe('The question, complete in itself: the person may see it away from the conversation.'),
  kind: z.enum(kinds).optional().describe('The kind of value; text by default. A date is a day such as 2026-07-28.'),
  suggested: z
    .union([z.string(), z.number()])
    .optional()
    .describe('Filled in beforehand and marked as your suggestion.'),
  minLength: z.number().int().min(0).optional().describe('Of text, in characters.'),
  maxLength: z.number().int().min(1).optional().describe('Of text, in characters.'),
  min: z.number().optional().describe('Of a number or integer.'),
  max: z.number().optional().describe('Of a number or integer; with both, people get a slider.'),
})
type Input = z.output<typeof input>

const output = z.object({
  ...endingFields,
  value: z
    .union([z.string(), z.number()])
    .optional()
    .describe('The value that the person entered; a number if you asked for one.'),
})

export function registerInput(registering: ToolRegistration): void {
  register(registering, 'elicit_input', {
    title: 'Ask the person for a value',
    description:
      'Asks the user for one value that only they know (a name, a number, a day, an address) and waits for the answer, up to ' +
      'five minutes. Never for passwords, keys or tokens: such questions are refused. If the answers can be listed, use ' +
      'elicit_choice instead. If the status is not "answered", you have no value: follow the message, and do not make one up.',
    input,
    output,
    run: (given, { ask }) =>
      withNoAnswerErrors(
        { inWords: `${given.question}\nPlease reply with your answer.`, nothing: 'No value was given.' },
        async () => {
          const { name, field } = fieldOf(given)
          const { content, comment } = await askForm(ask, { message: given.question, form: form({ [name]: field }) })
          const value = content[name] as string | number
          const words = `The person answered: ${value}${comment === undefined ? '' : `.${commentSentence(comment)}`}`
          return answered(words, { value, ...commentMember(comment) })
        },
      ),
  })
}

interface NamedField {
  readonly name: string
  readonly field: FieldSpec<string> | FieldSpec<number>
}

function fieldOf({ kind = 'text', suggested, minLength, maxLength, min, max }: Input): NamedField {
  const title = 'Your answer'
  if (kind === 'number' || kind === 'integer') {
    if (minLength !== undefined || maxLength !== undefined) refuse('A number has no length: use min and max.')
    if (suggested !== undefined && typeof suggested !== 'number') refuse('The suggested value must be a number.')
    const field = number({ title, integer: kind === 'integer', ...given({ min, max, default: suggested }) })
    return { name: 'number', field }
  }
  if (min !== undefined || max !== undefined) refuse('Only a number has min and max: use minLength and maxLength.')
  if (suggested !== undefined && typeof suggested !== 'string') refuse('The suggested value must be text.')
  if (kind === 'date') {
    if (minLength !== undefined || maxLength !== undefined) refuse('A day has no length.')
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
