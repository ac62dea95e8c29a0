// Clients with the timeouts of the table of known clients: each aborts exactly when the real one would.

import type { ClientTraits, RequestTimeouts } from '../../packages/gateway/src/call/clients/traits.ts'
import { awaitTool } from '../../packages/gateway/src/call/route/await-answer.ts'
import { connectClient } from '../../test-kit/mcp/client.ts'
import type { Time } from './clock.ts'
import { type Generation, personHeader, released, type TestEnv } from './test-env.ts'

export interface Caller {
  readonly title: string
  readonly name: string
  readonly revision: Generation
  /** The generation of the server behind the gateway. */
  readonly server: Generation
  readonly patience: RequestTimeouts
}

export interface Ended {
  readonly path: 'held' | 'fetched'
  readonly words: string
  readonly arrived: boolean
  readonly problem?: string
}

type Row = Pick<ClientTraits, 'title' | 'patience'> & { readonly names: readonly string[] }

/** Clients that are known to support the newest revision; all clients with the one before it. */
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

/** Calls the tool; if the call is deferred, fetches the result every minute. */
export async function waitWith(caller: Caller, testEnv: TestEnv, time: Time): Promise<Ended> {
  callers += 1
  const build = `b${callers}`
  const { call, close } = await connect(caller, testEnv.urls[caller.server], `person-${callers}`)
  let words = 'held until the result'
  let path: Ended['path'] = 'held'
  try {
    let result = await call('release', { build })
    while (result.structuredContent?.status === 'pending') {
      if (path === 'held') words = `deferred after ${Math.round(time.now() / 1_000)} s, fetched`
      path = 'fetched'
      await new Promise((resolve) => setTimeout(resolve, 60_000))
      result = await call(awaitTool, { ask_id: result.structuredContent.askId })
    }
    const hasText = result.content?.[0]?.text === released
    const runs = testEnv.runs.get(build) ?? 0
    if (hasText && runs === 1) return { path, words, arrived: true }
    return { path, words, arrived: false, problem: `${runs} runs, ${JSON.stringify(result).slice(0, 120)}` }
  } catch (error) {
    return { path, words, arrived: false, problem: error instanceof Error ? error.message : String(error) }
  } finally {
    await close()
  }
}

const never = 2 ** 31 - 1

/** A 2026 client has one minute for each of ten rounds, which are the defaults of its SDK. */
async function connect({ revision, name, patience }: Caller, url: string, person: string) {
  const { quietMs = never, extendedBy } = patience
  const hasBodyTimeout = revision === '2025-11-25' && extendedBy === 'bytes'
  const to = {
    url,
    headers: { [personHeader]: person },
    ...(hasBodyTimeout ? { fetch: fetchWithBodyTimeout(quietMs) } : {}),
  }
  const client = await connectClient(revision, to, {
    name,
    elicitation: 'none',
    ...(revision === '2025-11-25' ? { timeoutMs: hasBodyTimeout ? never : quietMs } : {}),
  })
  const isExtended = revision === '2025-11-25' && extendedBy === 'progress'
  const options = isExtended ? { resetTimeoutOnProgress: true, onprogress: () => undefined } : {}
  const call: CallTool = (tool, args) => client.call(tool, args, options)
  return { call, close: client.close }
}

/** Aborts a response after this long without data, as the body timeout of a runtime does. */
function fetchWithBodyTimeout(quietMs: number): typeof fetch {
  return async (input, init) => {
    const giveUp = new AbortController()
    const response = await fetch(input, init)
    const reader = response.body?.getReader()
    if (reader === undefined) return response
    const body = new ReadableStream({
      pull: async (controller) => {
        const timer = setTimeout(() => giveUp.abort(), quietMs)
        const gaveUp = new Promise<never>((_, reject) =>
          giveUp.signal.addEventListener('abort', () => reject(new Error('No data within the body timeout.'))),
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
