import { createAssent } from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const assent = createAssent({ name: 'deploy' })
const server = new McpServer({ name: 'deploy', version: '1.0.0' })

assent.tool(server, 'deploy', { inputSchema: { env: z.string() } }, async ({ env }, { ask, gate }) => {
  const region = await ask.choose('Which region?', { eu: 'Europe', us: 'United States' })
  const action = { title: `Deploy to ${env}`, arguments: { env, region } }
  const { value } = await gate(action, (approved) => `${approved.env}-${approved.region}`)
  return `Deployed ${value}.`
})

await server.connect(new StdioServerTransport())
