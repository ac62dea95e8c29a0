// Servers that ask, of both generations: written with the packed SDK, and as others write them. Each notes what it received.
//
// They run in this process, so that the proof sees what a handler got even when its caller has gone.

import type { RequestListener } from 'node:http'
import { pathToFileURL } from 'node:url'
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Listening, listen } from '../../../test-kit/listen.ts'
import { serveSessions } from '../../../test-kit/mcp/serve-2025-11-25.ts'
import { serveRequests } from '../../../test-kit/mcp/serve-2026-07-28.ts'
import type { Installed } from '../installed.ts'

export type AskerName = 'sdk-2025' | 'sdk-2026' | 'other-2025' | 'other-2026'

export interface Askers {
  readonly urls: Readonly<Record<AskerName, string>>
  /** How the question ended for the handler, by ticket: `accept`, another action, or the error. */
  readonly received: ReadonlyMap<string, string>
  /** When a server that waits inside its call times out, by ticket. */
  readonly givesUpAtMs: ReadonlyMap<string, number>
  close(): Promise<void>
}

interface Notes {
  readonly received: Map<string, string>
  readonly givesUpAtMs: Map<string, number>
}

/** `half` is a text without a canonical form: such a call cannot be kept for later. */
const shape = { ticket: z.string(), waitMs: z.number(), half: z.string().optional() }
interface Args {
  readonly ticket: string
  readonly waitMs: number
}
const done = (ticket: string) => ({ content: [{ type: 'text' as const, text: `done ${ticket}` }] })

export async function startAskers(program: Installed): Promise<Askers> {
  const notes: Notes = { received: new Map(), givesUpAtMs: new Map() }
  const sdk: typeof import('@assent/sdk') = await import(
    pathToFileURL(program.path('@assent/sdk', 'dist/index.js')).href
  )
  const listeners: Record<AskerName, RequestListener> = {
    'sdk-2025': older((server) => sdkHandler(sdk, notes, server)),
    'sdk-2026': newest(sdkHandler(sdk, notes)),
    'other-2025': older(() => otherHandler2025(notes)),
    'other-2026': newest(otherHandler2026(notes)),
  }
  const servers: Listening[] = []
  const urls = await Promise.all(
    Object.entries(listeners).map(async ([name, listener]) => {
      const server = await listen(listener)
      servers.push(server)
      return [name, server.url] as const
    }),
  )
  return {
    urls: Object.fromEntries(urls) as Askers['urls'],
    ...notes,
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

type Handler = (args: Args, context: never) => Promise<unknown>

function sdkHandler(
  { createAssent, isAssentError }: typeof import('@assent/sdk'),
  { received }: Notes,
  server?: OlderServer,
): Handler {
  const { interactive } = createAssent({ name: 'deadlines' })
  const handler = interactive<[Args]>(
    async ({ ticket, waitMs }, { ask }) => {
      try {
        await ask.confirm(`Go on with ${ticket}?`, { waitMs })
        received.set(ticket, 'accept')
      } catch (error) {
        if (isAssentError(error)) received.set(ticket, error.code)
        throw error
      }
      return done(ticket)
    },
    { name: 'ask', ...(server === undefined ? {} : { server }) },
  )
  return handler as Handler
}

const form = { type: 'object', properties: { ok: { type: 'boolean', title: 'Go on?' } }, required: ['ok'] }

/** Waits with its own timeout, which the gateway and the client do not know. */
function otherHandler2025({ received, givesUpAtMs }: Notes): Handler {
  return async ({ ticket, waitMs }, context) => {
    const { sendRequest } = context as { sendRequest: (...args: readonly unknown[]) => Promise<{ action: string }> }
    const params = { mode: 'form', message: `Go on with ${ticket}?`, requestedSchema: form }
    givesUpAtMs.set(ticket, Date.now() + waitMs)
    const ended = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema, { timeout: waitMs })
      .then(({ action }) => action)
      .catch((error: Error) => error.message)
    received.set(ticket, ended)
    return done(ticket)
  }
}

function otherHandler2026({ received }: Notes): Handler {
  return async ({ ticket }, context) => {
    const { mcpReq } = context as { mcpReq: { inputResponses?: Record<string, { action?: string }> } }
    const action = mcpReq.inputResponses?.ok?.action
    if (action === undefined) {
      const params = { mode: 'form', message: `Go on with ${ticket}?`, requestedSchema: form }
      const ok = { method: 'elicitation/create', params } as never
      return inputRequired({ inputRequests: { ok }, requestState: 'asked' })
    }
    received.set(ticket, action)
    return done(ticket)
  }
}

function older(handlerOf: (server: OlderServer) => Handler): RequestListener {
  return serveSessions(() => {
    const server = new OlderServer({ name: 'deadlines', version: '1' })
    server.registerTool('ask', { inputSchema: shape }, handlerOf(server) as never)
    return server
  }).listener
}

function newest(handler: Handler): RequestListener {
  return serveRequests(() => {
    const server = new McpServer({ name: 'deadlines', version: '1' })
    server.registerTool('ask', { inputSchema: z.object(shape) }, handler as never)
    return server
  })
}
