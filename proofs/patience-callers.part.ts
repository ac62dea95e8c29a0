// Clients that behave as the table says: each gives up exactly when the real one would.

import { Client as NewestClient, StreamableHTTPClientTransport as NewestTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { ClientTraits, Patience } from '../packages/gateway/src/clients/traits.ts'
import { awaitTool } from '../packages/gateway/src/surfaces/await-answer.ts'
import type { Time } from './patience-clock.part.ts'
import { type Generation, type House, personHeader, released } from './patience-house.part.ts'

export interface Caller {
  readonly title: string
  readonly name: string
  readonly revision: Generation
  /** Which kind of server stands behind the gateway. */
  readonly server: Generation
  readonly patience: Patience
}

export interface Ended {
  readonly path: 'held' | 'fetched'
  readonly words: string
  readonly arrived: boolean
  readonly problem?: string
}

type Row = Pick<ClientTraits, 'title' | 'patience'> & { readonly names: readonly string[] }

/** Those that are known to speak the newest revision, and everybody on the one before it. */
const newest = ['Claude Code', 'MCP Inspector', 'fast-agent', 'an unknown client']
const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']

export function callersOf(table: readonly Row[]): Caller[] {
  return table.flatMap(({ title, names: [name = ''], patience }) =>
    generations
      .filter((revision) => revision === '2025-11-25' || newest.includes(title))
      .flatMap((revision) =>
        generations.map((server) => ({ title, name: name.replace('*', ''), revision, server, patience })),
      ),
  )
}

interface Result {
  readonly content?: readonly { readonly text?: string }[]
  readonly structuredContent?: { readonly status?: string; readonly askId?: string }
}
type CallTool = (name: string, args: Record<string, unknown>) => Promise<Result>

let callers = 0

/** Calls, and if it is sent away comes back every minute. */
export async function waitWith(caller: Caller, house: House, time: Time): Promise<Ended> {
  callers += 1
  const build = `b${callers}`
  const connect = caller.revision === '2025-11-25' ? connectOlder : connectNewest
  const { call, close } = await connect(caller, house.urls[caller.server], `person-${callers}`)
  let words = 'held to the end'
  let path: Ended['path'] = 'held'
  try {
    let result = await call('release', { build })
    while (result.structuredContent?.status === 'pending') {
      if (path === 'held') words = `put off after ${Math.round(time.now() / 1_000)} s, fetched`
      path = 'fetched'
      await new Promise((resolve) => setTimeout(resolve, 60_000))
      result = await call(awaitTool, { ask_id: result.structuredContent.askId })
    }
    const hasText = result.content?.[0]?.text === released
    const runs = house.runs.get(build) ?? 0
    if (hasText && runs === 1) return { path, words, arrived: true }
    return { path, words, arrived: false, problem: `${runs} runs, ${JSON.stringify(result).slice(0, 120)}` }
  } catch (error) {
    return { path, words, arrived: false, problem: error instanceof Error ? error.message : String(error) }
  } finally {
    await close()
  }
}

const never = 2 ** 31 - 1

async function connectOlder({ name, patience }: Caller, url: string, person: string) {
  const { quietMs = never, extendedBy } = patience
  const client = new OlderClient({ name, version: '1.0.0' }, { capabilities: {} })
  const isCutByBytes = extendedBy === 'bytes'
  const transport = new OlderTransport(new URL(url), {
    requestInit: { headers: { [personHeader]: person } },
    ...(isCutByBytes ? { fetch: impatientFetch(quietMs) } : {}),
  })
  // The SDK's own class does not fit its own interface under exactOptionalPropertyTypes.
  await client.connect(transport as Transport)
  const call: CallTool = (tool, args) =>
    client.callTool({ name: tool, arguments: args }, undefined, {
      timeout: isCutByBytes ? never : quietMs,
      ...(extendedBy === 'progress' ? { resetTimeoutOnProgress: true, onprogress: () => undefined } : {}),
    }) as Promise<Result>
  return { call, close: () => client.close() }
}

/** Each leg has the SDK's own minute, and there are ten of them. */
async function connectNewest({ name }: Caller, url: string, person: string) {
  const client = new NewestClient(
    { name, version: '1.0.0' },
    { capabilities: {}, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  await client.connect(new NewestTransport(new URL(url), { requestInit: { headers: { [personHeader]: person } } }))
  const call: CallTool = (tool, args) => client.callTool({ name: tool, arguments: args }) as Promise<Result>
  return { call, close: () => client.close() }
}

/** Gives a response up when nothing has come for this long, as a runtime's own limit on bodies does. */
function impatientFetch(quietMs: number): typeof fetch {
  return async (input, init) => {
    const giveUp = new AbortController()
    const response = await fetch(input, init)
    const reader = response.body?.getReader()
    if (reader === undefined) return response
    const body = new ReadableStream({
      pull: async (controller) => {
        const timer = setTimeout(() => giveUp.abort(), quietMs)
        const gaveUp = new Promise<never>((_, reject) =>
          giveUp.signal.addEventListener('abort', () => reject(new Error('The body was cut for want of bytes.'))),
        )
        try {
          const { done, value } = await Promise.race([reader.read(), gaveUp])
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          controller.error(error)
        } finally {
          clearTimeout(timer)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    })
    return new Response(body, { status: response.status, headers: response.headers })
  }
}
