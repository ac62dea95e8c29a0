// A separate stdio server process of a given generation that asks for a secret and keeps it. It returns a hash of the
// secret, and logs as much as a careless author would.

import { createHash } from 'node:crypto'
import { createAssent, gatewaySecrets } from '@assent/sdk'
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const { interactive } = createAssent({ name: 'secretive', secrets: gatewaySecrets(), waitMs: 120_000 })
const info = { name: 'secretive', version: '1' }
const hashed = (secret: string) => createHash('sha256').update(secret).digest('hex')

function withTool<S extends McpServer | OlderServer>(server: S): S {
  const login = interactive(
    async ({ ask }) => {
      const secret = await ask.secret('The token of the build account?')
      process.stderr.write(`a secret of ${secret.length} characters came\n`)
      return hashed(secret)
    },
    { name: 'login', server },
  )
  // The two generations type a tool without arguments differently.
  ;(server as McpServer).registerTool('login', {}, login as never)
  return server
}

if (process.argv[2] === '2025-11-25') await withTool(new OlderServer(info)).connect(new StdioServerTransport())
else serveStdio(() => withTool(new McpServer(info)), { legacy: 'reject' })
