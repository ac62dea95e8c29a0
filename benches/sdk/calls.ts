// Clients with a scripted person, connected over HTTP to each variant of the tool.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { answerTo, expected, type Generation, type Spelling } from './tools.ts'

export interface BenchServer {
  readonly url: string
  stop(): void
}

export async function startServer(): Promise<BenchServer> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)))
  const [url] = await once(child, 'message')
  return { url: String(url), stop: () => child.disconnect() }
}

export interface Caller {
  /** One complete call, with both questions answered. */
  call(): Promise<void>
  close(): Promise<void>
}

export async function callerFor(server: BenchServer, generation: Generation, spelling: Spelling): Promise<Caller> {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      ...(generation === '2026-07-28' ? { versionNegotiation: { mode: { pin: generation } } } : {}),
    },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => ({
    action: 'accept',
    content: answerTo(params.message),
  }))
  const url = new URL(`${server.url}/${generation}/${spelling.replace(' ', '-')}`)
  await client.connect(new StreamableHTTPClientTransport(url))
  return {
    async call() {
      const { content } = await client.callTool({ name: 'deploy', arguments: { env: 'test' } })
      const [first] = content
      if (first?.type !== 'text' || first.text !== expected)
        throw new Error(`${spelling} returned ${JSON.stringify(content)}`)
    },
    close: () => client.close(),
  }
}
