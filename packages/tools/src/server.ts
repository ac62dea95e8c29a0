// The server with all tools, as a factory: `assentTools({ … })` gives a fresh McpServer for each connection.

import { type Assent, type AssentSettings, createAssent } from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import { registerChoice } from './elicit/choice.ts'
import { registerConfirm } from './elicit/confirm.ts'
import { registerInput } from './elicit/input.ts'
import { instructions } from './instructions.ts'
import { toolLimits } from './limits.ts'
import type { Registering } from './tool.ts'
import type { Workplace } from './workplace.ts'

export interface AssentToolsOptions extends Pick<AssentSettings, 'keys' | 'store' | 'tenant' | 'nowMs'> {
  /** The project that the agent works on. */
  readonly folder: string
  /** Where completion files are, from the project's folder; `plans` unless said. */
  readonly plansFolder?: string
  /** Where phases are remembered across restarts; without it, in this process alone. */
  readonly stateFolder?: string
  /** How long a person may take; five minutes unless said. */
  readonly waitMs?: number
  readonly version?: string
}

export type CreateServer = () => McpServer

export function assentTools(options: AssentToolsOptions): CreateServer {
  const { keys, store, tenant, nowMs, waitMs = toolLimits.waitMs } = options
  const assent: Assent = createAssent({
    name: 'assent',
    waitMs,
    ...(keys === undefined ? {} : { keys }),
    ...(store === undefined ? {} : { store }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(nowMs === undefined ? {} : { nowMs }),
  })
  const workplace: Workplace = {
    folder: options.folder,
    plansFolder: options.plansFolder ?? 'plans',
    stateFolder: options.stateFolder,
    nowMs: nowMs ?? Date.now,
  }
  return () => {
    const info = { name: 'assent', title: 'Assent', version: options.version ?? '0.0.0' }
    const server = new McpServer(info, { instructions })
    registerAll({ server, assent, workplace })
    return server
  }
}

function registerAll(registering: Registering): void {
  registerChoice(registering)
  registerInput(registering)
  registerConfirm(registering)
  // onboarding: registerOnboarding(registering)
}
