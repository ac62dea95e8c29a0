// A server with the tool `onboarding` alone, for tests that connect their own client.

import { createAssent } from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import type { OnboardingOptions } from './options.ts'
import { registerOnboarding } from './tool.ts'

export function onboardingServer(options: OnboardingOptions): () => McpServer {
  const { nowMs } = options
  const assent = createAssent({ name: 'assent', ...(nowMs === undefined ? {} : { nowMs }) })
  return () => {
    const server = new McpServer({ name: 'assent', version: '1.0.0' })
    registerOnboarding(server, assent, options)
    return server
  }
}
