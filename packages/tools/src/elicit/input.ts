// `elicit_input`: the agent asks for something only its person knows, as text, a number or a day.

import { form, number, type Part, text } from '@assent/core'
import { z } from 'zod'
import { askForm } from '../ask-form.ts'
import { answered, commentMember, endingFields, refuse, theyWrote, withoutAnswer } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { type Registering, register } from '../tool.ts'

const kinds = ['text', 'email', 'url', 'date', 'number', 'integer'] as const

const input = z.object({
  question: z
    .string()
    .min(1)
    .max(toolLimits.questionChars)
    .describe('The question, complete in itself: the person may see it away from the conversation.'),
  kind: z.enum(kinds).optional().describe('What is asked for; text unless said. A date is a day such as 2026-07-28.'),
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
    .describe('What the person gave: a number where one was asked for.'),
})

export function registerInput(registering: Registering): void {
  register(registering, 'elicit_input', {
    title: 'Ask the person for a value',
    description:
      'Asks the user for one value that only they know (a name, a number, a day, an address) and waits for the answer, up to ' +
      'five minutes. Never for passwords, keys or tokens: such questions are refused. If the answers can be listed, use ' +
      'elicit_choice instead. If the status is not "answered", there is no value: follow the message, and do not make one up.',
    input,
    output,
    run: (given, { ask }) =>
      withoutAnswer(
        { inWords: `${given.question}\nPlease reply with your answer.`, nothing: 'No value was given.' },
        async () => {
          const { name, field } = fieldOf(given)
          const { content, comment } = await askForm(ask, { message: given.question, form: form({ [name]: field }) })
          const value = content[name] as string | number
          const words = `The person answered: ${value}${comment === undefined ? '' : `.${theyWrote(comment)}`}`
          return answered(words, { value, ...commentMember(comment) })
        },
      ),
  })
}

interface NamedField {
  readonly name: string
  readonly field: Part<string> | Part<number>
}

function fieldOf({ kind = 'text', suggested, minLength, maxLength, min, max }: Input): NamedField {
  const title = 'Your answer'
  if (kind === 'number' || kind === 'integer') {
    if (minLength !== undefined || maxLength !== undefined) refuse('A number has no length: use min and max.')
    if (suggested !== undefined && typeof suggested !== 'number') refuse('The suggested value of a number is a number.')
    const field = number({ title, integer: kind === 'integer', ...given({ min, max, default: suggested }) })
    return { name: 'number', field }
  }
  if (min !== undefined || max !== undefined) refuse('Only a number has min and max: use minLength and maxLength.')
  if (suggested !== undefined && typeof suggested !== 'string') refuse('The suggested value of text is text.')
  if (kind === 'date') {
    if (minLength !== undefined || maxLength !== undefined) refuse('A day has no length.')
    return { name: 'date', field: text({ title, format: 'date', ...given({ default: suggested }) }) }
  }
  const format = kind === 'email' ? ('email' as const) : kind === 'url' ? ('uri' as const) : undefined
  // An empty line is no answer unless the agent says that it may be one.
  const field = text({ title, ...given({ format, maxLength, default: suggested }), minLength: minLength ?? 1 })
  return { name: 'text', field }
}

/** Without the members that are undefined. */
function given<T extends object>(settings: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as never
}
