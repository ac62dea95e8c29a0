// The tool `onboarding` as a server lists it. What it does is loaded when it is first called.

import type { Assent, Interaction } from '@assent/sdk'
import type { InputRequiredResult, McpServer } from '@modelcontextprotocol/server'
import type { OnboardingOptions } from './options.ts'
import type { ToolResult } from './run.ts'
import { input, type OnboardingInput, output } from './schema.ts'
import { toolText } from './text/tool.ts'

const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }

export function registerOnboarding(server: McpServer, assent: Assent, options: OnboardingOptions): void {
  const { title, description } = toolText
  const run = async (given: OnboardingInput, interaction: Interaction) => {
    const { runOnboarding } = await import('./run.ts')
    return runOnboarding(options, server, given, interaction)
  }
  type Result = ToolResult | InputRequiredResult
  const handler = assent.interactive<[OnboardingInput], unknown, Result>(run, { name: 'onboarding', server })
  server.registerTool(
    'onboarding',
    { title, description, inputSchema: input, outputSchema: output, annotations: { title, ...annotations } },
    handler,
  )
}
