// The agent made three variations; the person picks one.
import { interactive } from '@assent/sdk'
import { runInTerminal } from '@assent/sdk/terminal'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { start } from './start.ts'

const input = z.object({ song: z.string() })

const variations = {
  calm: 'Calm: strings, half the tempo',
  bright: 'Bright: brass and claps',
  strange: 'Strange: everything backwards',
}

const pickVariation = interactive<[z.infer<typeof input>]>(async ({ song }, { ask }) => {
  const variation = await ask.choose(`Which variation of “${song}” do you want to keep?`, variations)
  return `Kept the ${variation} variation of ${song}.`
})

function createServer(): McpServer {
  const server = new McpServer({ name: 'pick-variation', version: '1.0.0' })
  const description = 'Lets the person pick one of the variations of a song'
  server.registerTool('pick_variation', { description, inputSchema: input }, pickVariation)
  return server
}

await start(createServer, () => runInTerminal(pickVariation, { song: 'Night drive' }))
