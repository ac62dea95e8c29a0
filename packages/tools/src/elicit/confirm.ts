// `elicit_confirm`: the agent asks before it does something.

import { boolean, form, isAssentError } from '@assent/core'
import type { Ask } from '@assent/sdk'
import { z } from 'zod'
import { askForm } from '../ask-form.ts'
import { answered, commentMember, commentSentence, endingFields, withNoAnswerErrors } from '../ending.ts'
import { toolLimits } from '../limits.ts'
import { confirmText } from '../text/asking.ts'
import { register, type ToolRegistration } from '../tool.ts'

const input = z.object({
  question: z.string().min(1).max(toolLimits.questionChars).describe(confirmText.input.question),
  details: z.string().max(toolLimits.questionChars).optional().describe(confirmText.input.details),
  destructive: z.boolean().optional().describe(confirmText.input.destructive),
})

const output = z.object({
  ...endingFields,
  confirmed: z.boolean().optional().describe(confirmText.output.confirmed),
})

export function registerConfirm(registering: ToolRegistration): void {
  register(registering, 'elicit_confirm', {
    title: confirmText.title,
    description: confirmText.description,
    input,
    output,
    run: ({ question, details, destructive = false }, { ask }) => {
      const message = details === undefined ? question : `${question}\n\n${details}`
      return withNoAnswerErrors({ inWords: confirmText.inWords(message), nothing: confirmText.none }, async () => {
        const { confirmed, comment } = await confirm(ask, message, destructive)
        return answered(confirmText.answered(confirmed, commentSentence(comment)), {
          confirmed,
          ...commentMember(comment),
        })
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
    form: form({ confirmed: boolean({ title: confirmText.field }) }),
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
