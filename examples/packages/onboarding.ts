import { homedir } from 'node:os'
import { join } from 'node:path'
import { registerOnboarding } from '@assent/onboarding'
import { createAssent } from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const assent = createAssent({ name: 'onboarding' })
const home = process.env.ASSENT_HOME ?? join(homedir(), '.local/state/assent') // outside the repository

serveStdio(() => {
  const server = new McpServer({ name: 'onboarding', version: '1.0.0' })
  registerOnboarding(server, assent, { folder: process.cwd(), home })
  return server
})
