// Calls a tool the way a client of either generation would, with a scripted person behind it.
//
// Nothing here is a copy of how handlers are run: the handler is the author's own, and what it is called with is what
// the SDK would call it with.

import { type ErrorCode, isPlainObject } from '@assent/core'
import type { Called, ClientOptions, ToolHandler } from './client.ts'
import { call20251125 } from './client-2025-11-25.ts'
import { call20260728 } from './client-2026-07-28.ts'
import { type Said, type ScriptedPerson, scriptedPerson } from './person.ts'

export interface CallToolOptions {
  /** Whoever is asked; unless given, nobody who answers anything. */
  readonly person?: ScriptedPerson
  /** Unless said, the latest. */
  readonly revision?: '2025-11-25' | '2026-07-28'
  /** What the client can show; forms and links unless said. */
  readonly shows?: { readonly form?: boolean; readonly url?: boolean }
  /** How long the tool is given to give up on a person who never answers; two seconds unless said. */
  readonly patienceMs?: number
}

export interface ToolCall {
  /** What the tool gave back; undefined when it was still waiting for a person at the end of patience. */
  readonly result: unknown
  /** The text of the result, all of it. */
  readonly text: string
  /** Why it was refused, when it was: `declined`, `timed_out`, `not_supported` and so on. */
  readonly refused: ErrorCode | undefined
  /** What was asked and answered, in order. */
  readonly transcript: readonly Said[]
  /** How often the handler was run: once per round on 2026-07-28. */
  readonly runs: number
}

const patienceMs = 2_000
const clients = { '2025-11-25': call20251125, '2026-07-28': call20260728 } as const

/** Leave `args` out for a tool without arguments. Fails when the tool and the script do not agree. */
export async function callTool(handler: ToolHandler, args?: unknown, options: CallToolOptions = {}): Promise<ToolCall> {
  const { person = scriptedPerson(), revision = '2026-07-28', shows = {} } = options
  const client: ClientOptions = {
    person,
    shows: { form: true, url: true, ...shows },
    patienceMs: options.patienceMs ?? patienceMs,
  }
  const called = await clients[revision](handler, args, client)
  person.check()
  return toolCall(called, person)
}

function toolCall({ result, runs }: Called, { transcript }: ScriptedPerson): ToolCall {
  const { content, _meta } = isPlainObject(result) ? result : {}
  const texts = Array.isArray(content) ? content.map((part) => (isPlainObject(part) ? part.text : undefined)) : []
  const refusal = isPlainObject(_meta) ? _meta['assent/refusal'] : undefined
  return {
    result,
    text: texts.filter((text) => typeof text === 'string').join('\n'),
    refused: isPlainObject(refusal) ? (refusal.code as ErrorCode) : undefined,
    transcript,
    runs,
  }
}
