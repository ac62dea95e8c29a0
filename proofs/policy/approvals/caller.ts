// A client of revision 2026-07-28: makes one call, and sends it again with the state that it got.

import type { JsonObject } from '@assent/core'
import { messagesOf } from '../../../test-kit/mcp/messages.ts'
import { personHeader } from '../../../test-kit/person-header.ts'
import { questionKey } from './server.ts'

export interface ToolCall {
  readonly person: string
  readonly tool: string
  readonly arguments: JsonObject
}

export type Reply =
  | { readonly kind: 'done' }
  | { readonly kind: 'waits'; readonly state: string }
  /** The server asks the client. */
  | { readonly kind: 'asked'; readonly state: string }
  | { readonly kind: 'refused'; readonly text: string }

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} }, roots: {} },
}

export async function send(url: string, call: ToolCall, rounds: JsonObject = {}): Promise<Reply> {
  const params = { name: call.tool, arguments: call.arguments, ...rounds, _meta: meta }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': call.tool,
      [personHeader]: call.person,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  let last: Record<string, unknown> = {}
  for await (const message of messagesOf(response)) last = message
  return replyIn(last)
}

function replyIn({ result, error }: { result?: unknown; error?: unknown }): Reply {
  const { resultType, requestState, inputRequests, isError, content } = (result ?? {}) as Record<string, unknown>
  if (resultType === 'input_required') {
    const isAsked = Object.hasOwn((inputRequests ?? {}) as object, questionKey)
    return { kind: isAsked ? 'asked' : 'waits', state: String(requestState) }
  }
  if (result === undefined || isError === true) return { kind: 'refused', text: JSON.stringify(error ?? content) }
  return { kind: 'done' }
}
