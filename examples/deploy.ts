// A deployment: three questions, two steps, and one gate. The gate runs only what a person approved, exactly once.
import { interactive } from '@assent/sdk'
import { runInTerminal } from '@assent/sdk/terminal'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { start } from './start.ts'

const input = z.object({ env: z.enum(['staging', 'production']) })

const deploy = interactive<[z.infer<typeof input>]>(
  async ({ env }, { ask, step, gate }) => {
    const region = await ask.choose('Which region?', { eu: 'Europe', us: 'United States' })
    const replicas = await ask.number('How many replicas?', { integer: true, min: 1, max: 50, suggest: 2 })
    const notifyTeam = await ask.confirm('Tell the team when it is done?')

    const image = await step('build', () => `app-${env}-42`)
    const { value: id } = await gate(
      { title: `Deploy to ${env}`, arguments: { env, region, replicas, image }, risk: 'destructive' },
      (approved) => `${approved.image}-${approved.region}-${approved.replicas}`,
    )
    if (notifyTeam) await step('tell the team', () => console.error(`To the team: ${id} is out.`))
    return `Deployed ${id}.`
  },
  { name: 'deploy' },
)

function createServer(): McpServer {
  const server = new McpServer({ name: 'deploy', version: '1.0.0' })
  const description = 'Deploys the app, after the person chose how and approved it'
  server.registerTool('deploy', { description, inputSchema: input }, deploy)
  return server
}

await start(createServer, () => runInTerminal(deploy, { env: 'production' }))
