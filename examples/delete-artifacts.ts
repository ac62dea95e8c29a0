// Deletes artifacts only after a person approved exactly these names. There is no default answer.
import { interactive } from '@assent/sdk'
import { runInTerminal } from '@assent/sdk/terminal'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { start } from './start.ts'

const input = z.object({ names: z.array(z.string()).min(1) })

const deleteArtifacts = interactive<[z.infer<typeof input>]>(
  async ({ names }, { gate }) => {
    const title = `Delete ${names.length} artifacts`
    const { value } = await gate({ title, arguments: { names }, risk: 'destructive' }, () => names.length)
    return `Deleted ${value} artifacts.`
  },
  { name: 'delete_artifacts' },
)

function createServer(): McpServer {
  const server = new McpServer({ name: 'delete-artifacts', version: '1.0.0' })
  const description = 'Deletes artifacts, after the person approved it'
  server.registerTool('delete_artifacts', { description, inputSchema: input }, deleteArtifacts)
  return server
}

const five = ['demo-1', 'demo-2', 'demo-3', 'old-mix', 'old-master']
await start(createServer, () => runInTerminal(deleteArtifacts, { names: five }))
