// Clients of both SDK generations with a scripted person, and requests written by hand where the wire is judged.

import { Client as NewestClient, StreamableHTTPClientTransport as NewestTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Question } from './asking.suite.ts'
import type { Generation } from './servers.suite.ts'
import { personHeader, putAwayLater } from './stage.suite.ts'

type Modes = Record<string, Record<string, never>>
export type Says = (question: Question) => unknown

export interface Visit {
  readonly person?: string
  /** A bearer token, where the gateway wants one. */
  readonly token?: string
  /** What the person says to each question. */
  readonly says?: Says
  /** What it declares; `none` for a client that cannot be asked at all. */
  readonly elicitation?: Modes | 'none'
}

export interface ConnectedClient {
  /** What was put to the person, in order. */
  readonly asked: readonly Question[]
  call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<unknown>
  tools(): Promise<readonly string[]>
}

export async function aClient(generation: Generation, url: string, visit: Visit = {}): Promise<ConnectedClient> {
  const asked: Question[] = []
  const answer = async (params: unknown) => {
    asked.push(params as Question)
    return (await (visit.says ?? accepts)(params as Question)) as never
  }
  const bearer = visit.token === undefined ? {} : { authorization: `Bearer ${visit.token}` }
  const headers = { [personHeader]: visit.person ?? 'ann', ...bearer }
  const elicitation = visit.elicitation ?? { form: {}, url: {} }
  const connect = generation === '2025-11-25' ? connectOlder : connectNewest
  return { asked, ...(await connect(new URL(url), headers, elicitation, answer)) }
}

/** Someone who agrees to everything. */
export function accepts({ mode, message }: Question): unknown {
  if (mode === 'url') return { action: 'accept' }
  return { action: 'accept', content: message === 'Which region?' ? { region: 'eu' } : { replicas: 4 } }
}

type Answer = (params: unknown) => Promise<never>

async function connectOlder(url: URL, headers: Record<string, string>, elicitation: Modes | 'none', answer: Answer) {
  const capabilities = elicitation === 'none' ? {} : { elicitation }
  const client = new OlderClient({ name: 'older', version: '1' }, { capabilities })
  if (elicitation !== 'none') client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params))
  // The SDK's own class does not fit its own interface under exactOptionalPropertyTypes.
  await client.connect(new OlderTransport(url, { requestInit: { headers } }) as Transport)
  putAwayLater(() => client.close())
  return {
    call: (name: string, args: Record<string, unknown>, signal?: AbortSignal) =>
      client.callTool({ name, arguments: args }, undefined, signal === undefined ? {} : { signal }),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  }
}

async function connectNewest(url: URL, headers: Record<string, string>, elicitation: Modes | 'none', answer: Answer) {
  const capabilities = elicitation === 'none' ? {} : { elicitation }
  const client = new NewestClient(
    { name: 'newest', version: '1' },
    { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  if (elicitation !== 'none') client.setRequestHandler('elicitation/create', ({ params }) => answer(params))
  await client.connect(new NewestTransport(url, { requestInit: { headers } }))
  putAwayLater(() => client.close())
  return {
    call: (name: string, args: Record<string, unknown>, signal?: AbortSignal) =>
      client.callTool({ name, arguments: args }, signal === undefined ? {} : { signal }),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  }
}
