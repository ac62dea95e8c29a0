// How a tool's question ended, told twice: as data for programs and as sentences for a model and its person.
//
// Only `answered` is a result. Everything else is an error with a code of its own, because an agent must do different
// things after "no", "nobody answered" and "nobody could be asked".

import { AssentError, type ErrorCode, isAssentError } from '@assent/core'
import { z } from 'zod'

/** Why there is no answer. The words are those of `@assent/sdk`. */
export const noAnswerCodes = [
  'declined',
  'cancelled',
  'timed_out',
  'not_supported',
  'channel_closed',
  'validation_failed',
  'refused',
] as const
export type NoAnswer = (typeof noAnswerCodes)[number]

export const endingFields = {
  status: z
    .enum(['answered', ...noAnswerCodes])
    .describe('answered: a person answered. Anything else: there is no answer, and the message says what to do.'),
  message: z.string().describe('The same in one sentence, to show to the user.'),
}

export interface ToolResult {
  content: { type: 'text'; text: string }[]
  structuredContent: Record<string, unknown>
  isError?: boolean
  [member: string]: unknown
}

export function answered(message: string, data: Readonly<Record<string, unknown>>): ToolResult {
  return {
    content: [{ type: 'text', text: message }],
    structuredContent: { status: 'answered', message, ...data },
  }
}

export interface Advice {
  /** What the agent shows its user when nobody could be asked, in place of the form that nobody saw. */
  readonly inWords: string
  /** What has not happened. */
  readonly nothing: string
}

/** Puts a question, and turns every ending without an answer into an error with its code. */
export async function withoutAnswer(advice: Advice, put: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await put()
  } catch (error) {
    if (!isAssentError(error)) throw error
    const status = statusOf(error.code)
    if (status === undefined) throw error
    const text = `${error.message} ${advice.nothing}\n\n${nextOf(status, advice)}`
    return {
      content: [{ type: 'text', text }],
      structuredContent: { status, message: error.message },
      isError: true,
      _meta: { 'assent/refusal': { code: error.code } },
    }
  }
}

function statusOf(code: ErrorCode): NoAnswer | undefined {
  if (code === 'schema_refused' || code === 'limit_exceeded') return 'refused'
  return noAnswerCodes.find((known) => known === code)
}

function nextOf(status: NoAnswer, { inWords }: Advice): string {
  switch (status) {
    case 'declined':
      return 'A person said no. Do not ask again and do not look for a way around it; ask them in the chat what they want instead.'
    case 'cancelled':
      return 'Nothing was decided. Ask the user in the chat whether to go on before calling this tool again.'
    case 'timed_out':
      return 'Silence is a no. Stop here, tell the user that an answer was waited for, and call this tool again when they are back.'
    case 'channel_closed':
      return 'The connection to the person broke, which is a no. Call this tool again when the user is connected.'
    case 'validation_failed':
      return 'What came back does not fit the question, which is a no. Call this tool again to ask once more.'
    case 'not_supported':
      return `No person saw this question. STOP, show the user the following, and wait for their reply in the chat:\n\n${inWords}`
    case 'refused':
      return 'This question was put to nobody. Change it as the message says, or ask the user in the chat.'
  }
}

/** For arguments that a schema cannot judge. */
export function refuse(message: string): never {
  throw new AssentError('schema_refused', message)
}
