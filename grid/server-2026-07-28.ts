// A server built on SDK 2.x. It returns `input_required` when it needs a person, and is called again with the answers.
//
// It keeps nothing between rounds; its signed state must come back byte for byte. It supports no earlier revision. Like
// the 2025-11-25 server it does not validate answers.

import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { listen } from '../test-kit/listen.ts'
import { serveRequests } from '../test-kit/mcp/serve-2026-07-28.ts'
import { note } from './journal.ts'
import { messageOf, type Release, requestedSchema, type Script, scripts, urlOf } from './question.ts'
import { ownSettings, type ServerSettings } from './settings.ts'

interface State {
  readonly callId: string
  readonly round: number
}

const settings = ownSettings<ServerSettings>()
const states = createRequestStateCodec<State>({ key: settings.stateKey })
const releaseShape = z.object({
  callId: z.string(),
  build: z.string(),
  mode: z.enum(['form', 'url']),
  script: z.enum(Object.keys(scripts) as [Script, ...Script[]]),
})

function createServer(): McpServer {
  const server = new McpServer({ name: 'grid-2026', version: '1.0.0' }, { requestState: { verify: states.verify } })
  server.registerTool('release', { inputSchema: releaseShape }, async (args, ctx) => {
    const said = await release(args, ctx)
    return typeof said === 'string' ? { content: [{ type: 'text', text: said }] } : said
  })
  const promptShape = z.object({ callId: z.string(), build: z.string() })
  server.registerPrompt('release', { argsSchema: promptShape }, async (args, ctx) => {
    const said = await release({ ...args, mode: 'form', script: 'one' }, ctx)
    return typeof said === 'string' ? { messages: [{ role: 'user', content: { type: 'text', text: said } }] } : said
  })
  const template = new ResourceTemplate('grid://release/{callId}/{build}', { list: undefined })
  server.registerResource('release', template, {}, async (uri, { callId, build }, ctx) => {
    const said = await release({ callId: String(callId), build: String(build), mode: 'form', script: 'one' }, ctx)
    return typeof said === 'string' ? { contents: [{ uri: uri.href, text: said }] } : said
  })
  return server
}

/** One round of a call: reads the answers to the round before, then asks the next one or has its effect. */
async function release(args: Release, ctx: ServerContext): Promise<string | InputRequiredResult> {
  const { callId } = args
  const state = ctx.mcpReq.requestState<State>()
  const round = state?.round ?? 0
  note(settings.journal, { callId, what: 'ran', round })
  if (state !== undefined && state.callId !== callId)
    throw new Error(`The state of ${state.callId} was sent with ${callId}.`)
  const rounds: readonly (readonly string[])[] = scripts[args.script]
  const actions = (rounds[round - 1] ?? []).map((key) => read(callId, key, ctx.mcpReq.inputResponses))
  if (actions.some((action) => action !== 'accept')) return JSON.stringify({ callId, actions })

  const keys = rounds[round]
  if (keys !== undefined) return ask(args, keys, round)
  note(settings.journal, { callId, what: 'effect' })
  return JSON.stringify({ callId, actions: ['accept'] })
}

/** Recorded as received, without validation. */
function read(callId: string, key: string, responses: Record<string, unknown> | undefined): string {
  const { action = 'missing', content } = (responses?.[key] ?? {}) as { action?: string; content?: unknown }
  note(settings.journal, { callId, what: 'saw', key, action, ...(content === undefined ? {} : { content }) })
  return action
}

async function ask(args: Release, keys: readonly string[], round: number): Promise<InputRequiredResult> {
  const { callId } = args
  for (const key of keys) note(settings.journal, { callId, what: 'asked', key })
  const requests = keys.map((key) => {
    const message = messageOf(args, key)
    const request =
      args.mode === 'form'
        ? inputRequired.elicit({ mode: 'form', message, requestedSchema })
        : inputRequired.elicitUrl({ message, url: urlOf(args, key) })
    return [key, request] as const
  })
  return inputRequired({
    inputRequests: Object.fromEntries(requests),
    requestState: await states.mint({ callId, round: round + 1 }),
  })
}

if (settings.transport === 'stdio') serveStdio(createServer, { legacy: 'reject' })
else process.send?.({ url: (await listen(serveRequests(createServer), settings.port)).url })
