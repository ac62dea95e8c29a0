// Twelve keys to choose from: a list in a client, a list that can be searched in a terminal.
import { interactive } from '@assent/sdk'
import { runInTerminal } from '@assent/sdk/terminal'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { start } from './start.ts'

const input = z.object({ song: z.string(), now: z.string().optional() })

const keys = ['C', 'D flat', 'D', 'E flat', 'E', 'F', 'F sharp', 'G', 'A flat', 'A', 'B flat', 'B'] as const

const pickKey = interactive<[z.infer<typeof input>]>(async ({ song, now }, { ask }) => {
  const suggest = keys.find((key) => key === now)
  const key = await ask.choose(`Which key should “${song}” be in?`, keys, suggest === undefined ? {} : { suggest })
  return key === now ? `${song} stays in ${key}.` : `Moved ${song} to ${key}.`
})

function createServer(): McpServer {
  const server = new McpServer({ name: 'pick-key', version: '1.0.0' })
  const description = 'Lets the person pick the key of a song'
  server.registerTool('pick_key', { description, inputSchema: input }, pickKey)
  return server
}

await start(createServer, () => runInTerminal(pickKey, { song: 'Night drive', now: 'A' }))
