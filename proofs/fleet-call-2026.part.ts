// A call of a 2026-07-28 client: it ends unfinished, and is made again with the answers, until there is an end.

import { setTimeout as sleep } from 'node:timers/promises'
import { messagesOf } from '../packages/gateway/src/contract/messages-of.suite.ts'
import {
  answered,
  asksForms,
  betweenTriesMs,
  endOf,
  type Given,
  lastWord,
  noReply,
  send,
  toolCall,
  type Wire,
} from './fleet-call.part.ts'
import type { CallEnd, CallRecord } from './fleet-evidence.part.ts'

export async function callOf2026(record: CallRecord, given: Given): Promise<CallEnd> {
  const endsAt = performance.now() + given.patienceMs
  const call = toolCall(record)
  let rounds: Wire | undefined
  let last = 'nothing'
  while (performance.now() < endsAt) {
    const heard = await post(record, requestOf(record, { ...call, ...rounds }), headersOf(call), given)
    last = lastWord(last, heard)
    if (heard === noReply) return { kind: 'silence', last }
    if (heard === undefined) {
      if (rounds === undefined) return { kind: 'broken', last }
      await sleep(betweenTriesMs)
      continue
    }
    if (heard.error !== undefined) return { kind: 'told', message: heard.error.message }
    const result = heard.result ?? {}
    if (result.resultType !== 'input_required') return endOf(result)
    const asked = Object.keys((result.inputRequests ?? {}) as object)
    rounds = { requestState: result.requestState }
    if (asked.length === 0) {
      given.onSentAway?.()
      continue
    }
    const answer = await answered(record, given)
    rounds = { ...rounds, inputResponses: Object.fromEntries(asked.map((key) => [key, answer])) }
  }
  return { kind: 'silence', last }
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

/** The reply, or undefined when the connection broke before one came: whether the request arrived is not known then. */
async function post(
  { principal }: CallRecord,
  message: Wire,
  headers: Record<string, string>,
  given: Given,
): Promise<Wire | typeof noReply | undefined> {
  const signal = AbortSignal.timeout(40_000)
  try {
    const all = { ...given.headers, ...headers }
    const response = await send(given.url, principal, message, all, signal)
    // What a gateway says when it cannot reach its database: the same may be sent again.
    if (response.status >= 500 && given.givesUp !== true) return void (await response.text())
    let last: Wire | undefined
    for await (const said of messagesOf(response)) last = said
    return last?.id === undefined && last?.error === undefined ? undefined : last
  } catch {
    return signal.aborted ? noReply : undefined
  }
}
