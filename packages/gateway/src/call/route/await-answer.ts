// The tool that the gateway adds: a caller uses it to fetch the result of a deferred call.
//
// Its name has the prefix of a server called `assent`, so that server name is reserved.

import { compact, type JsonObject } from '@assent/core'
import { objectAt, stringAt } from '../../protocol/messages.ts'
import type { Call, Ended, Outcome } from '../model.ts'
import { awaitText } from '../text/await-answer.ts'

export const awaitTool = 'assent__await_answer'

const definition: JsonObject = {
  name: awaitTool,
  title: awaitText.title,
  description: awaitText.description,
  inputSchema: {
    type: 'object',
    properties: { ask_id: { type: 'string', description: awaitText.askId } },
    required: ['ask_id'],
    additionalProperties: false,
  },
  // The deferred call continues inside this one, so its side effects may happen here.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
}

/** The ask id in a call of this tool; undefined for any other call. */
export function awaitedAsk({ method, params }: Call): string | undefined {
  if (method !== 'tools/call' || params.name !== awaitTool) return undefined
  return stringAt(objectAt(params, 'arguments'), 'ask_id') ?? ''
}

/** Adds this tool to the last page of the tool list. */
export function withAwaitTool(call: Call, outcome: Ended): Ended
export function withAwaitTool<State>(call: Call, outcome: Outcome<State>): Outcome<State>
export function withAwaitTool({ method }: Call, outcome: Outcome<unknown>): Outcome<unknown> {
  if (method !== 'tools/list' || outcome.kind !== 'finished') return outcome
  const { tools, nextCursor } = outcome.result
  if (!Array.isArray(tools) || nextCursor !== undefined) return outcome
  return { ...outcome, result: { ...outcome.result, tools: [...tools, definition] } }
}

export interface Pending {
  readonly askId: string
  readonly expiresAtMs: number
  /** Where the person answers. */
  readonly askUrl?: string
  /** The approvals that it waits for, in words, if a policy requires them. */
  readonly needs?: string
  /** Whether the person has answered, and another request continues the call. */
  readonly isAnswered?: boolean
}

/** The result for a caller whose request times out before the person has answered, worded for a model and its user. */
export function pendingResult({ askId, expiresAtMs, askUrl, needs, isAnswered = false }: Pending): JsonObject {
  const expiresAt = new Date(expiresAtMs).toISOString()
  const text = awaitText.pending({ tool: awaitTool, askId, expiresAt, askUrl, needs, isAnswered })
  // Marked as an error because the tool may declare an output schema that only its server can satisfy.
  return {
    content: [{ type: 'text', text }],
    structuredContent: { status: 'pending', message: text, askId, expiresAt, ...compact({ askUrl }) },
    isError: true,
  }
}

/** The result while the store is unavailable. Some clients pass only the data to their model, so it has the text too. */
export function unknownResult(askId: string): JsonObject {
  const text = awaitText.unknown(awaitTool, askId)
  const structuredContent = { status: 'pending', message: text, askId }
  return { content: [{ type: 'text', text }], structuredContent, isError: true }
}

export function plainResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true }
}
