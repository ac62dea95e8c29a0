// `elicit_confirm`: the agent asks before it does something.

import { boolean, form, isAssentError } from '@assent/core'
import type { Ask } from '@assent/sdk'
import { z } from 'zod'
import { askForm } from '../ask-form.ts'
import { answered, commentMember, commentSentence, endingFields, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { register, type ToolRegistration } from '../tool.ts'

const input = z.object({
  question: z
    .string()
    .min(1)
    .max(toolLimits.questionChars)
    .describe('What will happen on a yes, complete in itself: "Delete the five artifacts in build/?"'),
  details: z
    .string()
    .max(toolLimits.questionChars)
    .optional()
    .describe('What the person needs to know to decide: the files, the command, what cannot be undone.'),
  destructive: z.boolean().optional().describe('True when a yes leads to something that cannot be undone.'),
})

const output = z.object({
  ...endingFields,
  confirmed: z.boolean().optional().describe('True only when the person said yes.'),
})

export function registerConfirm(registering: ToolRegistration): void {
  register(registering, 'elicit_confirm', {
    title: 'Ask for a yes or no',
    description:
      'Asks the user yes or no and waits for the answer, up to five minutes. Use it before anything that cannot be undone or ' +
      'that they did not ask for: deleting, overwriting, publishing, spending. Continue only when "confirmed" is true. A no, ' +
      'silence and every error mean that you must not do it.',
    input,
    output,
    run: ({ question, details, destructive = false }, { ask }) => {
      const message = details === undefined ? question : `${question}\n\n${details}`
      const inWords = `${message}\nPlease reply with yes or no.`
      return withNoAnswerErrors({ inWords, nothing: 'Nothing was confirmed.' }, async () => {
        const { confirmed, comment } = await confirm(ask, message, destructive)
        const words = confirmed ? 'The person said yes.' : 'The person said no. Do not do it.'
        return answered(words + commentSentence(comment), { confirmed, ...commentMember(comment) })
      })
    },
  })
}

interface Confirmed {
  readonly confirmed: boolean
  readonly comment?: string
}

/** Here a decline is an ordinary no. */
async function confirm(ask: Ask, message: string, destructive: boolean): Promise<Confirmed> {
  const asked = {
    message,
    form: form({ confirmed: boolean({ title: 'Your answer' }) }),
    // A destructive question ends with "This cannot be undone.", which the SDK adds.
    risk: destructive ? 'destructive' : 'harmless',
  } as const
  try {
    const { content, comment } = await askForm(ask, asked)
    return { confirmed: content.confirmed, ...commentMember(comment) }
  } catch (error) {
    if (!isAssentError(error, 'declined')) throw error
    return { confirmed: false, ...commentMember(error.comment) }
  }
}
