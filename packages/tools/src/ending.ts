// The result of a tool that asks: structured data for programs, and sentences for a model and its user.
//
// Only `answered` is a result. Every other ending is an error with its own code, because an agent must act differently
// after a decline, a timeout and a client that cannot ask. Some clients pass only the data to their model and others
// only the text, so each contains everything that the agent needs. The person's comment is in the text and in `comment`, also
// after a decline or a dismissal.

import { AssentError, type ErrorCode, isAssentError } from '@assent/core'
import { z } from 'zod'
import { noAnswerText } from './text/no-answer.ts'

const { fields } = noAnswerText

/** Why there is no answer. The codes are those of `@assent/sdk`. */
export const noAnswerCodes = [
  'declined',
  'cancelled',
  'timed_out',
  'unseen',
  'not_supported',
  'channel_closed',
  'validation_failed',
  'refused',
] as const
export type NoAnswer = (typeof noAnswerCodes)[number]

export const endingFields = {
  status: z.enum(['answered', ...noAnswerCodes]).describe(fields.status),
  message: z.string().describe(fields.message),
  next: z.string().optional().describe(fields.next),
  comment: z.string().optional().describe(fields.comment),
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

/** The `comment` member of a result; nothing when the person wrote nothing. */
export function commentMember(comment: string | undefined): { readonly comment?: string } {
  return comment === undefined ? {} : { comment }
}

/** What the person wrote, as sentences that follow another one. Empty texts and duplicates are left out. */
export function commentSentence(...texts: readonly (string | undefined)[]): string {
  const written = [...new Set(texts)].filter((text): text is string => text !== undefined && text !== '')
  return written.map(noAnswerText.wrote).join('')
}

/** A person declined, dismissed or did not answer the question. This is recorded; technical failures are not. */
export interface NoDecision {
  readonly status: 'declined' | 'cancelled' | 'timed_out'
  readonly comment?: string
}

/** Where an ending is on record: members for the structured result, and a sentence. */
export interface OnRecord {
  readonly data: Readonly<Record<string, unknown>>
  readonly words: string
}

export interface Advice {
  /** What the agent shows its user if no person could be asked, in place of the form. */
  readonly inWords: string
  /** What has not happened. */
  readonly nothing: string
  /** Records a decline, a dismissal or a timeout; returns where, as members and as a sentence. */
  readonly onNoDecision?: (ending: NoDecision) => Promise<OnRecord | undefined>
}

/** Asks, and turns every ending without an answer into an error with its code. */
export async function withNoAnswerErrors(advice: Advice, ask: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await ask()
  } catch (error) {
    if (!isAssentError(error)) throw error
    const status = statusOf(error.code)
    if (status === undefined) throw error
    const { comment } = error
    const isByPerson = status === 'declined' || status === 'cancelled' || status === 'timed_out'
    const kept = isByPerson ? await advice.onNoDecision?.({ status, ...commentMember(comment) }) : undefined
    const instruction = nextOf(status, advice)
    const text = `${[error.message, advice.nothing, kept?.words].filter(Boolean).join(' ')}\n\n${instruction}`
    const next = `${advice.nothing} ${instruction}`
    return {
      content: [{ type: 'text', text }],
      structuredContent: { status, message: error.message, next, ...commentMember(comment), ...kept?.data },
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
  return status === 'not_supported' ? noAnswerText.next.not_supported(inWords) : noAnswerText.next[status]
}

/** For invalid arguments that the input schema cannot detect. */
export function refuse(message: string): never {
  throw new AssentError('schema_refused', message)
}
