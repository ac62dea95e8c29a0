// A tool of the fixture server, written once for both generations.
//
// Independent of the transport: a tool that needs a person returns `input_required`, and the SDK either returns that to a
// 2026-07-28 client or sends the questions to a 2025-11-25 one. The rule: no tool asks in another way, so that the same
// tool is tested on both revisions.
import type {
  CallToolResult,
  ClientCapabilities,
  InputRequest,
  InputRequiredResult,
  JsonSchemaType,
  ServerContext,
} from '@modelcontextprotocol/server'
import { inputRequired } from '@modelcontextprotocol/server'

type FormSchema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema']

type ToolResult = CallToolResult | InputRequiredResult

export interface FixtureTool {
  readonly name: string
  readonly description: string
  readonly input?: JsonSchemaType
  run(
    args: Readonly<Record<string, unknown>>,
    context: ServerContext,
    declared: ClientCapabilities,
  ): ToolResult | Promise<ToolResult>
}

export function text(words: string): CallToolResult {
  return { content: [{ type: 'text', text: words }] }
}

/** A form with one required field, the shape most scenarios ask for. */
export function askFor(name: string, field: { type: 'string' } | { type: 'boolean' }, message: string): InputRequest {
  return form(message, { type: 'object', properties: { [name]: field }, required: [name] })
}

export function form(message: string, requestedSchema: FormSchema): InputRequest {
  return inputRequired.elicit({ message, requestedSchema })
}

export function askModel(prompt: string, maxTokens: number): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  })
}

export function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}
