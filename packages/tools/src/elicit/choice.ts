// `elicit_choice`: the agent lets its person choose.

import { choice, compact, form } from '@assent/core'
import { z } from 'zod'
import { askForm } from '../ask-form.ts'
import { answered, commentMember, commentSentence, endingFields, refuse, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { register, type ToolRegistration } from '../tool.ts'

const option = z.object({
  value: z.string().min(1).max(toolLimits.optionChars).describe('The value that you receive if this is chosen.'),
  label: z
    .string()
    .min(1)
    .max(toolLimits.optionChars)
    .optional()
    .describe('What the person reads; the value if left out.'),
})

const input = z.object({
  question: z
    .string()
    .min(1)
    .max(toolLimits.questionChars)
    .describe('The question, complete in itself: the person may see it away from the conversation.'),
  options: z.array(option).min(2).max(toolLimits.options).describe('From two to fifty, each different.'),
  suggested: z.string().optional().describe('The value that you would choose. It is marked as your suggestion.'),
})

const output = z.object({
  ...endingFields,
  choice: z.string().optional().describe('The chosen value.'),
  label: z.string().optional().describe('What the person read.'),
})

export function registerChoice(registering: ToolRegistration): void {
  register(registering, 'elicit_choice', {
    title: 'Let the person choose',
    description:
      'Asks the user to choose one of several options and waits for the answer, up to five minutes. Use it whenever a ' +
      'decision is theirs and the answers can be listed: which approach, which library, which name. Do not use it for ' +
      'what you can find out yourself, and do not guess instead of asking. If the status is not "answered", no option was chosen: ' +
      'follow the message.',
    input,
    output,
    run: ({ question, options, suggested }, { ask }) =>
      withNoAnswerErrors({ inWords: inWords(question, options), nothing: 'Nothing was chosen.' }, async () => {
        const values = options.map(({ value }) => value)
        if (new Set(values).size < values.length) refuse('Two options have the same value.')
        if (suggested !== undefined && !values.includes(suggested))
          refuse('The suggested value is not among the options.')
        const shown = options.map(({ value, label }) => ({ value, label: label ?? value }))
        const field = choice(shown, {
          title: 'Your choice',
          ...compact({ default: suggested }),
        })
        const { content, comment } = await askForm(ask, { message: question, form: form({ choice: field }) })
        const chosen = content.choice
        const label = shown.find(({ value }) => value === chosen)?.label ?? chosen
        const words = `The person chose "${label}" (${chosen}).${commentSentence(comment)}`
        return answered(words, { choice: chosen, label, ...commentMember(comment) })
      }),
  })
}

function inWords(question: string, options: readonly z.output<typeof option>[]): string {
  const list = options.map(({ value, label }) => `- ${value}${label === undefined ? '' : `: ${label}`}`)
  return `${question}\n${list.join('\n')}\nPlease reply with one of these.`
}
