// Calls a tool the way a client of either generation would, with a scripted person behind it.
//
// It calls the author's own handler with the same arguments that the SDK passes; the code that runs handlers is not
// duplicated here.

import { type ErrorCode, isPlainObject } from '@assent/core'
import type { CallOutcome, ClientOptions, ToolHandler } from './client.ts'
import { call20251125 } from './client-2025-11-25.ts'
import { call20260728 } from './client-2026-07-28.ts'
import { type ScriptedPerson, scriptedPerson, type TranscriptEntry } from './person.ts'

export interface CallToolOptions {
  /** The person who is asked; by default one without any scripted answers. */
  readonly person?: ScriptedPerson
  /** The latest by default. */
  readonly revision?: '2025-11-25' | '2026-07-28'
  /** What the client can show; forms and links by default. */
  readonly shows?: { readonly form?: boolean; readonly url?: boolean }
  /** How long to wait for the tool if a person never answers; two seconds by default. */
  readonly timeoutMs?: number
}

export interface ToolCall {
  /** The result of the tool; undefined when it was still waiting for a person at the timeout. */
  readonly result: unknown
  /** The text of the result, all of it. */
  readonly text: string
  /** Why it was refused, when it was: `declined`, `timed_out`, `not_supported` and so on. */
  readonly refused: ErrorCode | undefined
  /** What was asked and answered, in order. */
  readonly transcript: readonly TranscriptEntry[]
  /** How often the handler was run: once per round on 2026-07-28. */
  readonly runs: number
}

const defaultTimeoutMs = 2_000
const clients = { '2025-11-25': call20251125, '2026-07-28': call20260728 } as const

/** Leave `args` out for a tool without arguments. Throws if the tool and the script do not agree. */
export async function callTool(handler: ToolHandler, args?: unknown, options: CallToolOptions = {}): Promise<ToolCall> {
  const { person = scriptedPerson(), revision = '2026-07-28', shows = {} } = options
  const client: ClientOptions = {
    person,
    shows: { form: true, url: true, ...shows },
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
  }
  const called = await clients[revision](handler, args, client)
  person.check()
  return toolCall(called, person)
}

function toolCall({ result, runs }: CallOutcome, { transcript }: ScriptedPerson): ToolCall {
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
