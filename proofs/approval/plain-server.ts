// Runs as a separate process: an ordinary MCP server over stdio, written with the official SDK. It never asks a person and
// imports nothing of ours. Each run of its tool appends a line to the file of the first argument.
import { appendFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const [, , runs = ''] = process.argv
const server = new McpServer({ name: 'deploy', version: '1.0.0' })

server.registerTool(
  'rollout',
  {
    title: 'Roll out a version',
    description: 'Replaces the running version of a service.',
    inputSchema: { env: z.enum(['staging', 'production']), service: z.string(), version: z.string() },
  },
  async ({ env, service, version }) => {
    appendFileSync(runs, `${env} ${service} ${version}\n`)
    return { content: [{ type: 'text', text: `Rolled out ${service} ${version} to ${env}.` }] }
  },
)

await server.connect(new StdioServerTransport())
