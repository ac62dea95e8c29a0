// Calls a tool without a server: a handler, or a tool as it was registered, whose schema parses the arguments.

import { isStandardSchema, issuePath, type StandardSchema } from '../ask/form-source.ts'
import { isRecorded, recordingRaw } from '../raw-arguments.ts'

/** A tool handler made by `interactive(…)`. */
export type ToolHandler = (...received: never[]) => Promise<unknown>

/** A tool as `assent.tool` or an MCP SDK registered it. */
export interface RegisteredToolLike {
  /** A function; SDK 1.x types it as one of several. */
  readonly handler: object
  readonly inputSchema?: unknown
}

/** Calls the tool with a context, as the SDK does: its schema parses the arguments every time. */
export type CallHandler = (context: object) => Promise<unknown>

export function callHandlerOf(tool: ToolHandler | RegisteredToolLike, args: unknown, schema: unknown): CallHandler {
  const handler = (typeof tool === 'function' ? tool : tool.handler) as (...received: unknown[]) => unknown
  const inputSchema = schema ?? (typeof tool === 'function' ? undefined : tool.inputSchema)
  if (!isStandardSchema(inputSchema))
    return async (context) => handler(...(args === undefined ? [context] : [args, context]))
  // Only `assent.tool` binds the state of a call to what was sent. Every other registration parses the arguments in each round,
  // and the state is bound to the result.
  const parsing = isRecorded(tool) ? recordingRaw(inputSchema) : inputSchema
  const sent = JSON.stringify(args ?? {})
  return async (context) => handler(await parsed(parsing, JSON.parse(sent)), context)
}

async function parsed(schema: StandardSchema, args: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(args)
  if (result.issues === undefined) return result.value
  const issues = result.issues.map((issue) => [...issuePath(issue), issue.message].join(': '))
  throw new TypeError(`The arguments do not fit the input schema of the tool. ${issues.join(' ')}`)
}
