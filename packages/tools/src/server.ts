// The server with all tools, as a factory: `assentTools({ … })` gives a fresh McpServer for each connection.

import { type Assent, type AssentSettings, createAssent } from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import { registerCompletionReview } from './checkpoint/completion.ts'
import { registerPhaseCommit } from './checkpoint/phase-commit.ts'
import { registerPlanApproval } from './checkpoint/plan.ts'
import { describeTools } from './description.ts'
import { registerChoice } from './elicit/choice.ts'
import { registerConfirm } from './elicit/confirm.ts'
import { registerInput } from './elicit/input.ts'
import { registerOnboarding } from './onboarding/onboarding.ts'
import type { OnboardingSettings } from './onboarding/settings.ts'
import type { Registering } from './tool.ts'
import { Workplace, type WorkplaceOptions } from './workplace.ts'

export interface AssentToolsOptions
  extends Pick<AssentSettings, 'keys' | 'store' | 'tenant' | 'nowMs'>,
    WorkplaceOptions {
  /** How long a person may take; five minutes unless said. */
  readonly waitMs?: number
  readonly onboarding?: OnboardingSettings
  /** Of the program that serves them. */
  readonly version?: string
}

export type CreateServer = () => McpServer

export function assentTools(options: AssentToolsOptions): CreateServer {
  const { keys, store, tenant, nowMs, waitMs } = options
  const assent: Assent = createAssent({
    name: 'assent',
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(keys === undefined ? {} : { keys }),
    ...(store === undefined ? {} : { store }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(nowMs === undefined ? {} : { nowMs }),
  })
  const workplace = new Workplace(options)
  return () => {
    const { info, capabilities, instructions } = describeTools(options.version ?? '0.0.0')
    const server = new McpServer(info, { capabilities, instructions })
    registerAll({ server, assent, workplace }, options)
    return server
  }
}

function registerAll(registering: Registering, options: AssentToolsOptions): void {
  registerChoice(registering)
  registerInput(registering)
  registerConfirm(registering)
  registerPlanApproval(registering)
  registerPhaseCommit(registering)
  registerCompletionReview(registering)
  registerOnboarding(registering, options.onboarding, { home: options.stateFolder, nowMs: options.nowMs })
}
