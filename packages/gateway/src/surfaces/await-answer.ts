// The one tool that the gateway adds: with it a caller fetches what came of a call that was put off.
//
// Its name begins as if a server were called `assent`, so no server may be called that.

import type { JsonObject } from '@assent/core'
import type { Call, Outcome } from '../relay/exchange.ts'
import { objectAt, stringAt } from '../wire/messages.ts'

export const awaitTool = 'assent__await_answer'

const definition: JsonObject = {
  name: awaitTool,
  title: 'Wait for a person',
  description:
    'Fetches the result of an earlier call that is waiting for a person. Use it with the ask_id that the earlier call ' +
    'returned. It waits a while for the person; if they have not answered yet it says so, and can be called again. Do not ' +
    'repeat the earlier call instead: that would ask the person again.',
  inputSchema: {
    type: 'object',
    properties: { ask_id: { type: 'string', description: 'The ask_id of the call that is waiting.' } },
    required: ['ask_id'],
    additionalProperties: false,
  },
  // The earlier call goes on inside this one, and may do whatever it was made for.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
}

/** The ask that a call of this tool is about; undefined when it is no call of this tool. */
export function awaitedAsk({ method, params }: Call): string | undefined {
  if (method !== 'tools/call' || params.name !== awaitTool) return undefined
  return stringAt(objectAt(params, 'arguments'), 'ask_id') ?? ''
}

/** The list with this tool on its last page. */
export function withAwaitTool({ method }: Call, outcome: Outcome): Outcome {
  if (method !== 'tools/list' || outcome.kind !== 'finished') return outcome
  const { tools, nextCursor } = outcome.result
  if (!Array.isArray(tools) || nextCursor !== undefined) return outcome
  return { ...outcome, result: { ...outcome.result, tools: [...tools, definition] } }
}

export interface Pending {
  readonly askId: string
  readonly expiresAtMs: number
  readonly inboxUrl?: string
}

/** What a caller is told whose patience ends before the person has answered, in words for a model and its person. */
export function pendingResult({ askId, expiresAtMs, inboxUrl }: Pending): JsonObject {
  const expiresAt = new Date(expiresAtMs).toISOString()
  const where = inboxUrl === undefined ? 'in the Assent inbox' : `in the Assent inbox at ${inboxUrl}`
  const text =
    `This call is not finished: it waits for a person, who is asked ${where} until ${expiresAt}. Tell them so. ` +
    `Then call ${awaitTool} with {"ask_id": "${askId}"} to get the result. Do not make the same call again.`
  // Marked as an error, because a result of this tool may have to fit a schema that only its own server can fill.
  return {
    content: [{ type: 'text', text }],
    structuredContent: { status: 'pending', askId, expiresAt, ...(inboxUrl === undefined ? {} : { inboxUrl }) },
    isError: true,
  }
}

/** The same while nobody can look how things stand. */
export function unknownResult(askId: string): JsonObject {
  const text =
    'The gateway cannot reach its database now, so it cannot say whether the person has answered. Nothing is lost: call ' +
    `${awaitTool} with {"ask_id": ${JSON.stringify(askId)}} again in a while. Do not make the earlier call again.`
  return { content: [{ type: 'text', text }], structuredContent: { status: 'pending', askId }, isError: true }
}

export function plainResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true }
}
