// An in-memory client: only what a handler can observe of one.

import { isStandardSchema, issuePath, type StandardSchema } from '../ask/form-source.ts'
import { recordingRaw } from '../raw-arguments.ts'
import type { ScriptedPerson } from './person.ts'

/** A tool handler made by `interactive(…)`. */
export type ToolHandler = (...received: never[]) => Promise<unknown>

/** A tool as `assent.tool` or an MCP SDK registered it. */
export interface RegisteredToolLike {
  /** A function; SDK 1.x types it as one of several. */
  readonly handler: object
  readonly inputSchema?: unknown
}

export interface ClientOptions {
  readonly person: ScriptedPerson
  /** What the client declares that it can show. */
  readonly shows: { readonly form: boolean; readonly url: boolean }
  /** How long to wait for the tool if a person never answers. */
  readonly timeoutMs: number
  /** How many rounds with new questions the client takes part in. */
  readonly maxRounds: number
  /** Sends every answer in a round of its own. */
  readonly replayAlways: boolean
}

export interface CallOutcome {
  /** Undefined when the call was still open when the timeout passed. */
  readonly result: unknown
  /** How often the handler was run. */
  readonly runs: number
}

/** Calls the tool with a context, as the SDK does: its schema parses the arguments every time. */
export type CallHandler = (context: object) => Promise<unknown>

export function callHandlerOf(tool: ToolHandler | RegisteredToolLike, args: unknown, schema: unknown): CallHandler {
  const handler = (typeof tool === 'function' ? tool : tool.handler) as (...received: unknown[]) => unknown
  const inputSchema = schema ?? (typeof tool === 'function' ? undefined : tool.inputSchema)
  if (!isStandardSchema(inputSchema))
    return async (context) => handler(...(args === undefined ? [context] : [args, context]))
  // The state of a call is bound to what was sent, also where the server itself does not record it.
  const recording = recordingRaw(inputSchema)
  return async (context) => handler(await parsed(recording, args ?? {}), context)
}

async function parsed(schema: StandardSchema, args: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(args)
  if (result.issues === undefined) return result.value
  const issues = result.issues.map((issue) => [...issuePath(issue), issue.message].join(': '))
  throw new TypeError(`The arguments do not fit the input schema of the tool. ${issues.join(' ')}`)
}
