// A number within bounds, which the terminal and some clients show as a slider.
import { interactive } from '@assent/sdk'
import { runInTerminal } from '@assent/sdk/terminal'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { start } from './start.ts'

const input = z.object({ song: z.string() })

const setTempo = interactive<[z.infer<typeof input>]>(async ({ song }, { ask }) => {
  const tempo = await ask.number(`How fast should “${song}” be?`, {
    title: 'Beats per minute',
    integer: true,
    min: 60,
    max: 180,
    suggest: 120,
  })
  return `${song} now runs at ${tempo} beats per minute.`
})

function createServer(): McpServer {
  const server = new McpServer({ name: 'set-tempo', version: '1.0.0' })
  const description = 'Lets the person set the tempo of a song'
  server.registerTool('set_tempo', { description, inputSchema: input }, setTempo)
  return server
}

await start(createServer, () => runInTerminal(setTempo, { song: 'Night drive' }))
