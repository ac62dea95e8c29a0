// Clients of both generations with a scripted person, which record every message that they receive.

import { onTestFinished } from 'vitest'
import { connectClient, textOf } from '../../test-kit/mcp/client.ts'
import { type Generation, personHeader } from './test-env.ts'

export interface Asked {
  readonly mode?: string
  readonly message: string
  readonly url?: string
  readonly elicitationId?: string
}

export interface Caller {
  /** The questions to the person, in order. */
  readonly asked: readonly Asked[]
  /** Everything that reached this client, as text. */
  readonly received: readonly string[]
  call(tool: string): Promise<{ text: string; isError: boolean }>
}

export interface CallerOptions {
  readonly person?: string
  /** The name that the client declares. */
  readonly name?: string
  readonly says?: (asked: Asked) => unknown
  /** What it declares; `none` for a client without elicitation. */
  readonly elicitation?: Record<string, Record<string, never>> | 'none'
}

export async function aCaller(generation: Generation, url: string, options: CallerOptions = {}): Promise<Caller> {
  const { person = 'ann', name = 'test', elicitation = { form: {}, url: {} }, says = agrees } = options
  const asked: Asked[] = []
  const received: string[] = []
  const answer = async (params: unknown) => {
    asked.push(params as Asked)
    return says(params as Asked)
  }
  const listening = async (input: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(input, init)
    const body = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          received.push(new TextDecoder().decode(chunk))
          controller.enqueue(chunk)
        },
      }),
    )
    return new Response(body ?? null, response)
  }
  const to = { url, fetch: listening, headers: { [personHeader]: person } }
  const client = await connectClient(generation, to, { name, elicitation, answer, timeoutMs: 280_000 })
  onTestFinished(() => client.close())
  return {
    asked,
    received,
    call: async (tool) => {
      const result = await client.call(tool)
      return { text: textOf(result), isError: result.isError === true }
    },
  }
}

/** Opens every link and fills in every form. */
function agrees({ mode }: Asked): unknown {
  return mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { text: 'Ada' } }
}
