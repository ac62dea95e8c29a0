// Calls a tool the way a client of either generation would, with a scripted person behind it.
//
// It calls the author's own handler with the same arguments that the SDK passes; the code that runs handlers is not
// duplicated here.

import { type ErrorCode, isPlainObject } from '@assent/core'
import type { StandardSchema } from '../ask/form-source.ts'
import { callHandlerOf, type RegisteredToolLike, type ToolHandler } from '../register/call-handler.ts'
import type { CallOutcome, ClientOptions } from './client.ts'
import { call20251125 } from './client-2025-11-25.ts'
import { call20260728 } from './client-2026-07-28.ts'
import { type ScriptedPerson, scriptedPerson, type TranscriptEntry } from './person.ts'

export type ClientRevision = '2025-11-25' | '2026-07-28'

export interface CallToolOptions {
  /** The person who is asked; by default one without any scripted answers. */
  readonly person?: ScriptedPerson
  /** The latest by default. */
  readonly revision?: ClientRevision
  /**
   * Calls the tool once per revision, with the same script, and throws if the results or the questions differ. What it does
   * outside of Assent happens once per revision.
   */
  readonly everyRevision?: boolean
  /** Sends every answer in a round of its own, so that the handler runs again from the top after each (2026-07-28). */
  readonly replayAlways?: boolean
  /** Rounds with new questions, on 2026-07-28: 10 by default, like the official client. */
  readonly maxRounds?: number
  /** Checks and parses the arguments; by default the schema that the tool was registered with. */
  readonly inputSchema?: StandardSchema
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
/** The limit of the official client. */
const defaultMaxRounds = 10
const clients = { '2025-11-25': call20251125, '2026-07-28': call20260728 } as const

/**
 * Calls a handler, or a tool as `assent.tool` returned it. Leave `args` out for a tool without arguments. Throws if the tool and
 * the script do not agree, if the arguments do not fit the schema, or if the tool asks in too many rounds.
 */
export async function callTool(
  tool: ToolHandler | RegisteredToolLike,
  args?: unknown,
  options: CallToolOptions = {},
): Promise<ToolCall> {
  const { person = scriptedPerson(), revision = '2026-07-28', everyRevision = false } = options
  if (!everyRevision) return callOn(revision, tool, args, person, options)
  const older = await callOn('2025-11-25', tool, args, person.again(), options)
  const latest = await callOn('2026-07-28', tool, args, person, options)
  if (outcomeText(older) === outcomeText(latest)) return latest
  throw new Error(
    `The tool does not give the same result on every revision.\n  2025-11-25: ${outcomeText(older)}\n  2026-07-28: ${outcomeText(latest)}`,
  )
}

async function callOn(
  revision: ClientRevision,
  tool: ToolHandler | RegisteredToolLike,
  args: unknown,
  person: ScriptedPerson,
  options: CallToolOptions,
): Promise<ToolCall> {
  const { shows = {}, timeoutMs = defaultTimeoutMs, maxRounds = defaultMaxRounds, replayAlways = false } = options
  const client: ClientOptions = {
    person,
    shows: { form: true, url: true, ...shows },
    timeoutMs,
    maxRounds,
    replayAlways,
  }
  const call = toolCall(await clients[revision](callHandlerOf(tool, args, options.inputSchema), client), person)
  person.check(call.refused === undefined ? undefined : `The tool ended with ${call.refused}: ${call.text}`)
  return call
}

/** The result and the questions: the first line of each, because an approval also shows a digest of its arguments. */
function outcomeText({ result, transcript }: ToolCall): string {
  const asked = transcript.map(({ question: { mode, message, fields } }) => {
    return { question: message.split('\n', 1)[0], ...(mode === 'url' ? { mode } : { fields: Object.keys(fields) }) }
  })
  return JSON.stringify({ result: result === undefined ? 'no result' : result, asked })
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
