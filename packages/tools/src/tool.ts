// How every tool here is registered, and the annotations that they share.

import type { Assent, Interaction } from '@assent/sdk'
import type { McpServer } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { ToolResult } from './ending.ts'
import type { Workplace } from './workplace/workplace.ts'

export interface ToolRegistration {
  readonly server: McpServer
  readonly assent: Assent
  readonly workplace: Workplace
}

/**
 * The hints of a tool that only asks: it destroys nothing, a second call asks the person again, and it reaches no one
 * except that person.
 */
const askOnlyHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const

interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** By default those of a tool that only asks. */
  readonly annotations?: { readonly [K in keyof typeof askOnlyHints]: boolean }
  readonly run: (input: z.output<Input>, interaction: Interaction) => Promise<ToolResult>
}

export function register<Input extends z.ZodObject, Output extends z.ZodObject>(
  { server, assent }: ToolRegistration,
  name: string,
  { title, description, input, output, annotations = askOnlyHints, run }: Tool<Input, Output>,
): void {
  const handler = assent.interactive<[z.output<Input>], unknown, ToolResult>(run, { name, server })
  const config = {
    title,
    description,
    inputSchema: input,
    outputSchema: output,
    annotations: { title, ...annotations },
  }
  // The SDK infers the handler's arguments from the schema, which it cannot do while the schema is a type parameter.
  server.registerTool(name, config, handler as never)
}
