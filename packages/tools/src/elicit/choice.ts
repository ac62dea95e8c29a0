// `elicit_choice`: the agent lets its person choose.

import { choice, compact, form } from '@assent/core'
import { z } from 'zod'
import { askForm } from '../ask-form.ts'
import { answered, commentMember, commentSentence, endingFields, refuse, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { choiceText } from '../text/asking.ts'
import { register, type ToolRegistration } from '../tool.ts'

const option = z.object({
  value: z.string().min(1).max(toolLimits.optionChars).describe(choiceText.input.value),
  label: z.string().min(1).max(toolLimits.optionChars).optional().describe(choiceText.input.label),
})

const input = z.object({
  question: z.string().min(1).max(toolLimits.questionChars).describe(choiceText.input.question),
  options: z.array(option).min(2).max(toolLimits.options).describe(choiceText.input.options),
  suggested: z.string().optional().describe(choiceText.input.suggested),
})

const output = z.object({
  ...endingFields,
  choice: z.string().optional().describe(choiceText.output.choice),
  label: z.string().optional().describe(choiceText.output.label),
})

export function registerChoice(registering: ToolRegistration): void {
  register(registering, 'elicit_choice', {
    title: choiceText.title,
    description: choiceText.description,
    input,
    output,
    run: ({ question, options, suggested }, { ask }) =>
      withNoAnswerErrors({ inWords: choiceText.inWords(question, options), nothing: choiceText.none }, async () => {
        const values = options.map(({ value }) => value)
        if (new Set(values).size < values.length) refuse(choiceText.sameValue)
        if (suggested !== undefined && !values.includes(suggested)) refuse(choiceText.unknownSuggestion)
        const shown = options.map(({ value, label }) => ({ value, label: label ?? value }))
        const field = choice(shown, {
          title: choiceText.field,
          ...compact({ default: suggested }),
        })
        const { content, comment } = await askForm(ask, { message: question, form: form({ choice: field }) })
        const chosen = content.choice
        const label = shown.find(({ value }) => value === chosen)?.label ?? chosen
        const words = choiceText.chose(label, chosen, commentSentence(comment))
        return answered(words, { choice: chosen, label, ...commentMember(comment) })
      }),
  })
}
