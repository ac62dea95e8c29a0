// What every tool here needs to be registered, and what all of them say about themselves.

import type { Assent, Interaction } from '@assent/sdk'
import type { McpServer } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { ToolResult } from './ending.ts'
import type { Workplace } from './workplace.ts'

export interface Registering {
  readonly server: McpServer
  readonly assent: Assent
  readonly workplace: Workplace
}

/**
 * Of a tool that does nothing but ask: it changes nothing outside, asking twice bothers a person twice, and whom it
 * reaches is known.
 */
const asksOnly = {
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
  /** Unless said, those of a tool that does nothing but ask. */
  readonly annotations?: { readonly [K in keyof typeof asksOnly]: boolean }
  readonly run: (input: z.output<Input>, interaction: Interaction) => Promise<ToolResult>
}

export function register<Input extends z.ZodObject, Output extends z.ZodObject>(
  { server, assent }: Registering,
  name: string,
  { title, description, input, output, annotations = asksOnly, run }: Tool<Input, Output>,
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
