// The server with all tools, as a factory: `assentTools({ … })` gives a fresh McpServer for each connection.

import { compact } from '@assent/core'
import { type Assent, type AssentSettings, createAssent } from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import { registerCompletionReview } from './checkpoint/completion.ts'
import { registerPhaseCommit } from './checkpoint/phase-commit.ts'
import { registerPlanApproval } from './checkpoint/plan.ts'
import { describeTools } from './description.ts'
import { registerChoice } from './elicit/choice.ts'
import { registerConfirm } from './elicit/confirm.ts'
import { registerInput } from './elicit/input.ts'
import type { ToolRegistration } from './tool.ts'
import { ownVersion } from './version.ts'
import { Workplace, type WorkplaceOptions } from './workplace/workplace.ts'

export interface AssentToolsOptions
  extends Pick<AssentSettings, 'keys' | 'store' | 'tenant' | 'nowMs'>,
    WorkplaceOptions {
  /** How long a person may take; five minutes by default. */
  readonly waitMs?: number
  /** Tools of other packages, listed after ours. */
  readonly additional?: readonly AdditionalTool[]
  /** The version of the program that serves the tools. */
  readonly version?: string
}

/** A tool of another package that asks with the same settings. */
export interface AdditionalTool {
  /** One line for the instructions of the server: when a model calls the tool. */
  readonly instructions: string
  readonly register: (server: McpServer, assent: Assent) => void
}

export type CreateServer = () => McpServer

export function assentTools(options: AssentToolsOptions): CreateServer {
  const { keys, store, tenant, nowMs, waitMs } = options
  const assent: Assent = createAssent({
    name: 'assent',
    ...compact({ waitMs, keys, store, tenant, nowMs }),
  })
  const workplace = new Workplace(options)
  const additional = options.additional ?? []
  return () => {
    const { info, capabilities, instructions } = describeTools(
      options.version ?? ownVersion(),
      additional.map((tool) => tool.instructions),
    )
    const server = new McpServer(info, { capabilities, instructions })
    registerAll({ server, assent, workplace })
    for (const { register } of additional) register(server, assent)
    return server
  }
}

function registerAll(registering: ToolRegistration): void {
  registerChoice(registering)
  registerInput(registering)
  registerConfirm(registering)
  registerPlanApproval(registering)
  registerPhaseCommit(registering)
  registerCompletionReview(registering)
}
