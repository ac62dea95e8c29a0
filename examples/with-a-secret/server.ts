// Asks for a token when it is needed. The token is entered on a page of the gateway's inbox, never sent through the client.
import { createAssent, gatewaySecrets } from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const { interactive } = createAssent({ name: 'registry', secrets: gatewaySecrets() })

const publish = interactive(async ({ ask, step }) => {
  const token = await ask.secret('An access token of the registry that may publish packages.')
  const version = await step('publish', () => publishWith(token))
  return `Published ${version}.`
})

/** A stand-in for a registry: the token is sent there and nowhere else. */
async function publishWith(token: string): Promise<string> {
  if (token === '') throw new Error('There is no token.')
  return '1.0.0'
}

serveStdio(() => {
  const server = new McpServer({ name: 'registry', version: '1.0.0' })
  server.registerTool('publish', { description: 'Publishes the package' }, publish)
  return server
})
