// An ordinary MCP server over stdio. It never asks a person, and knows nothing of Assent. The rollout is only a text.
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

serveStdio(() => {
  const server = new McpServer({ name: 'deploy', version: '1.0.0' })
  server.registerTool(
    'rollout',
    {
      title: 'Roll out a version',
      description: 'Replaces the running version of a service.',
      inputSchema: z.object({ env: z.enum(['staging', 'production']), service: z.string(), version: z.string() }),
    },
    async ({ env, service, version }) => ({
      content: [{ type: 'text', text: `Rolled out ${service} ${version} to ${env}.` }],
    }),
  )
  return server
})
