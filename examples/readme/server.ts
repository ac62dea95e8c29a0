import { createAssent } from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { build, release } from './app.ts'

const assent = createAssent({ name: 'deploy' })

serveStdio(() => {
  const server = new McpServer({ name: 'deploy', version: '1.0.0' })
  const inputSchema = z.object({ env: z.string() })

  assent.tool(server, 'deploy', { inputSchema }, async ({ env }, { ask, step, gate }) => {
    const region = await ask.choose('Which region?', { eu: 'Europe', us: 'United States' })
    const replicas = await ask.number('How many replicas?', { integer: true, min: 1, max: 50 })
    const image = await step('build', () => build(env)) // runs once per call, even if the handler runs again
    const { value: id } = await gate(
      { title: `Deploy to ${env}`, arguments: { env, region, replicas, image } },
      (approved) => release(approved), // runs once, and only after a valid yes to exactly these arguments
    )
    return `Deployed ${id}.`
  })
  return server
})
