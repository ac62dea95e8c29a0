// A call of a 2026-07-28 client: it is retried with the answers until it has a final result.

import { setTimeout as sleep } from 'node:timers/promises'
import { messagesOf } from '../../test-kit/mcp/messages.ts'
import {
  answered,
  asksForms,
  betweenTriesMs,
  type CallContext,
  endOf,
  lastReplies,
  noReply,
  refusedWith,
  send,
  toolCall,
  type Wire,
} from './call.ts'
import type { CallEnd, CallRecord } from './evidence.ts'

export async function callOf2026(record: CallRecord, context: CallContext): Promise<CallEnd> {
  const endsAt = performance.now() + context.patienceMs
  const call = toolCall(record)
  let rounds: Wire | undefined
  let last = 'nothing'
  while (performance.now() < endsAt) {
    const reply = await post(record, requestOf(record, { ...call, ...rounds }), headersOf(call), context)
    last = lastReplies(last, reply)
    if (reply === noReply) return { kind: 'timeout', last }
    if (reply === undefined || typeof reply === 'string') {
      if (rounds === undefined) return { kind: 'broken', last }
      await sleep(betweenTriesMs)
      continue
    }
    if (reply.error !== undefined) return { kind: 'error', message: reply.error.message }
    const result = reply.result ?? {}
    if (result.resultType !== 'input_required') return endOf(result)
    const asked = Object.keys((result.inputRequests ?? {}) as object)
    rounds = { requestState: result.requestState }
    if (asked.length === 0) {
      context.onDeferred?.()
      continue
    }
    const answer = await answered(record, context)
    rounds = { ...rounds, inputResponses: Object.fromEntries(asked.map((key) => [key, answer])) }
  }
  return { kind: 'timeout', last }
}

function requestOf({ ticket, asked }: CallRecord, params: Wire): Wire {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': asked === 'client' ? asksForms : {},
  }
  return { jsonrpc: '2.0', id: ticket, method: 'tools/call', params: { ...params, _meta } }
}

function headersOf({ name }: Wire): Record<string, string> {
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': String(name) }
}

/** The reply, or a refusal in words; undefined if the connection broke: it is not known whether the request arrived. */
async function post(
  { principal }: CallRecord,
  message: Wire,
  headers: Record<string, string>,
  context: CallContext,
): Promise<Wire | string | undefined> {
  const signal = AbortSignal.timeout(40_000)
  try {
    const all = { ...context.headers, ...headers }
    const response = await send(context.url, principal, message, all, signal)
    // The gateway's error when it cannot reach its database: the request may be repeated.
    if (response.status >= 500 && context.endsOnUnavailable !== true)
      return refusedWith(response.status, await response.text())
    let last: Wire | undefined
    for await (const said of messagesOf(response)) last = said
    return last?.id === undefined && last?.error === undefined ? undefined : last
  } catch {
    return signal.aborted ? noReply : undefined
  }
}
