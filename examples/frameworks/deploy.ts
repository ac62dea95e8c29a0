import { createAssent } from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

// Read here, so that the other files only have to serve it. Every replica needs the same key.
const secret = process.env.ASSENT_KEY
const keys = secret === undefined ? {} : { keys: [{ id: 'k1', secret: Buffer.from(secret, 'base64') }] }
const assent = createAssent({ name: 'deploy', ...keys })

export function newServer(): McpServer {
  const server = new McpServer({ name: 'deploy', version: '1.0.0' })
  const inputSchema = z.object({ env: z.string() })
  assent.tool(server, 'deploy', { inputSchema }, async ({ env }, { ask, gate }) => {
    const region = await ask.choose('Which region?', { eu: 'Europe', us: 'United States' })
    const action = { title: `Deploy to ${env}`, arguments: { env, region } }
    const { value } = await gate(action, (approved) => `${approved.env}-${approved.region}`)
    return `Deployed ${value}.`
  })
  return server
}
