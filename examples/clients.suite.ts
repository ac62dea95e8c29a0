// Real clients of both SDK generations, with a person behind them, connected to an example over stdio or HTTP.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { freePort } from '../test-kit/listen.ts'

export interface Question {
  readonly message: string
  readonly requestedSchema?: { readonly properties: Readonly<Record<string, object>> }
}

export type Person = (question: Question) => unknown

export interface Connected {
  call(tool: string, args: Record<string, unknown>): Promise<{ text: string; isError: boolean }>
  close(): Promise<void>
}

export const generations = ['2025-11-25', '2026-07-28'] as const
export type Generation = (typeof generations)[number]
type Transport = 'stdio' | 'HTTP'

const info = { name: 'example-client', version: '1.0.0' }
const capabilities = { elicitation: { form: {}, url: {} } }

export function fileOf(example: string): string {
  return fileURLToPath(new URL(`${example}.ts`, import.meta.url))
}

export interface Started {
  /** Its address, over HTTP. */
  readonly url: URL | undefined
  connect(generation: Generation, person: Person): Promise<Connected>
  stop(): void
}

/** Over HTTP all clients share one process; over stdio each client starts its own. */
export async function start(example: string, transport: Transport): Promise<Started> {
  const args = ['--conditions=assent-source', fileOf(example)]
  const stdio = { command: process.execPath, args, stderr: 'ignore' as const }
  const http = transport === 'HTTP' ? await overHttp(args) : undefined
  return {
    url: http?.url,
    async connect(generation, person) {
      const client =
        generation === '2025-11-25'
          ? await connect1(http === undefined ? new Stdio1(stdio) : (new Http1(http.url) as Transport1), person)
          : await connect2(http === undefined ? new Stdio2(stdio) : new Http2(http.url), person)
      return {
        async call(name, given) {
          const result = (await client.call(name, given)) as { content: { text: string }[]; isError?: boolean }
          return { text: result.content[0]?.text ?? '', isError: result.isError ?? false }
        },
        close: () => client.close(),
      }
    },
    stop: () => http?.stop(),
  }
}

async function connect1(transport: Transport1, person: Person) {
  const client = new Client1(info, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => person(params as Question) as never)
  await client.connect(transport)
  return {
    call: (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

async function connect2(transport: Stdio2 | Http2, person: Person) {
  const client = new Client2(info, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } })
  client.setRequestHandler('elicitation/create', async ({ params }) => person(params as Question) as never)
  await client.connect(transport)
  return {
    call: (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

/** The example prints its address on standard error. */
async function overHttp(args: readonly string[]): Promise<{ url: URL; stop: () => void }> {
  const key = randomBytes(32).toString('base64')
  const env = { ...process.env, PORT: String(await freePort()), ASSENT_KEY: key, ASSENT_DB: ':memory:' }
  const child = spawn(process.execPath, [...args, '--http'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  for await (const chunk of child.stderr) {
    output += chunk
    const url = /Listening on (\S+)/.exec(output)?.[1]
    if (url !== undefined) return { url: new URL(url), stop: () => child.kill() }
  }
  throw new Error(`The example did not start: ${output}`)
}
