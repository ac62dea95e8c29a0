// Clients of both generations with a scripted person, who see every message that reaches them.

import { Client as NewestClient, StreamableHTTPClientTransport as NewestTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { type Generation, personHeader } from './house.ts'

export interface Asked {
  readonly mode?: string
  readonly message: string
  readonly url?: string
  readonly elicitationId?: string
}

export interface Caller {
  /** What was put to the person, in order. */
  readonly asked: readonly Asked[]
  /** Everything that reached this client, as text. */
  readonly heard: readonly string[]
  call(tool: string): Promise<{ text: string; isError: boolean }>
}

export interface CallerOptions {
  readonly person?: string
  readonly says?: (asked: Asked) => unknown
  /** What it declares; `none` for a client that cannot be asked at all. */
  readonly elicitation?: Record<string, Record<string, never>> | 'none'
}

export async function aCaller(generation: Generation, url: string, options: CallerOptions = {}): Promise<Caller> {
  const { person = 'ann', elicitation = { form: {}, url: {} }, says = agrees } = options
  const asked: Asked[] = []
  const heard: string[] = []
  const answer = async (params: unknown) => {
    asked.push(params as Asked)
    return (await says(params as Asked)) as never
  }
  const listening = async (input: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(input, init)
    const body = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          heard.push(new TextDecoder().decode(chunk))
          controller.enqueue(chunk)
        },
      }),
    )
    return new Response(body ?? null, response)
  }
  const sent = { fetch: listening, requestInit: { headers: { [personHeader]: person } } }
  const capabilities = elicitation === 'none' ? {} : { elicitation }
  const patience = { timeout: 100_000 }
  if (generation === '2025-11-25') {
    const client = new OlderClient({ name: 'older', version: '1' }, { capabilities })
    if (elicitation !== 'none') client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params))
    await client.connect(new OlderTransport(new URL(url), sent) as Transport)
    onTestFinished(() => client.close())
    const call = (name: string) => client.callTool({ name, arguments: {} }, undefined, patience)
    return { asked, heard, call: async (name) => resultOf(await call(name)) }
  }
  const versionNegotiation = { mode: { pin: '2026-07-28' } } as const
  const client = new NewestClient({ name: 'newest', version: '1' }, { capabilities, versionNegotiation })
  if (elicitation !== 'none') client.setRequestHandler('elicitation/create', ({ params }) => answer(params))
  await client.connect(new NewestTransport(new URL(url), sent))
  onTestFinished(() => client.close())
  return { asked, heard, call: async (name) => resultOf(await client.callTool({ name, arguments: {} }, patience)) }
}

/** Opens every link and fills in every form. */
function agrees({ mode }: Asked): unknown {
  return mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { text: 'Ada' } }
}

function resultOf(result: object): { text: string; isError: boolean } {
  const { content, isError } = result as { content: readonly { text?: string }[]; isError?: boolean }
  return { text: content.map(({ text = '' }) => text).join('\n'), isError: isError === true }
}

/** Looks again and again until it is so, because what it waits for happens elsewhere. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, withinMs = 30_000): Promise<T> {
  const end = Date.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error('It did not come to pass in time.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
