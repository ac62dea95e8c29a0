// The tool `onboarding` as a server lists it. What it does is loaded when it is first called.

import type { Assent, Interaction } from '@assent/sdk'
import type { InputRequiredResult, McpServer } from '@modelcontextprotocol/server'
import type { OnboardingOptions } from './options.ts'
import type { ToolResult } from './run.ts'
import { input, type OnboardingInput, output } from './schema.ts'

const description = `Brings a repository's AI instruction files (AGENTS.md, CLAUDE.md, Copilot, Gemini, Cursor and Windsurf rules) into one well-structured AGENTS.md, one human decision at a time.
Call the actions in this order: status, analyze, propose, approve, migrate; rollback undoes a migration.
approve, migrate, rollback and skip ask a person and change nothing without their yes. After declined or canceled, stop and ask the user what they want. Never edit the instruction files or the state folder yourself in between: the approval would no longer be valid.`

const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }

export function registerOnboarding(server: McpServer, assent: Assent, options: OnboardingOptions): void {
  const title = 'Onboarding of instruction files'
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
