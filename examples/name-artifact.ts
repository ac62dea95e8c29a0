// Written as a generator: every `yield*` is a question.
import { interactive, yielding } from '@assent/sdk'
import { runInTerminal } from '@assent/sdk/terminal'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { start } from './start.ts'

const input = z.object({ kind: z.enum(['song', 'image', 'text']) })

const nameArtifact = interactive<[z.infer<typeof input>]>(
  yielding(function* ({ kind }, { ask, step }) {
    const name = yield* ask.text(`What should the ${kind} be called?`, { minLength: 3, maxLength: 40 })
    const isPublic = yield* ask.confirm(`Show “${name}” to everyone?`)
    const id = yield* step('save', () => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'))
    return `Saved the ${kind} “${name}” as ${id}, ${isPublic ? 'for everyone' : 'for you alone'}.`
  }),
)

function createServer(): McpServer {
  const server = new McpServer({ name: 'name-artifact', version: '1.0.0' })
  const description = 'Lets the person name what was made'
  server.registerTool('name_artifact', { description, inputSchema: input }, nameArtifact)
  return server
}

await start(createServer, () => runInTerminal(nameArtifact, { kind: 'song' }))
