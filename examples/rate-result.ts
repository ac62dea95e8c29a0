// A rating from one to five and a remark, in one form. If no person can be asked, the tool continues without a rating.
import { field, interactive, isAssentError } from '@assent/sdk'
import { runInTerminal } from '@assent/sdk/terminal'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { start } from './start.ts'

const input = z.object({ song: z.string() })

const rateResult = interactive<[z.infer<typeof input>]>(async ({ song }, { ask }) => {
  try {
    const { stars, remark } = await ask.form(`How do you like “${song}”?`, {
      stars: field.number({ title: 'Stars', integer: true, min: 1, max: 5 }),
      remark: field.optional(field.text({ title: 'What would make it better?', maxLength: 280 })),
    })
    return `${stars} of 5 stars for ${song}.${remark === undefined ? '' : ` They said: ${remark}`}`
  } catch (error) {
    if (isAssentError(error, 'not_supported')) return `No person could be asked how they like ${song}.`
    throw error
  }
})

function createServer(): McpServer {
  const server = new McpServer({ name: 'rate-result', version: '1.0.0' })
  const description = 'Asks the person how they like a song'
  server.registerTool('rate_result', { description, inputSchema: input }, rateResult)
  return server
}

await start(createServer, () => runInTerminal(rateResult, { song: 'Night drive' }))
