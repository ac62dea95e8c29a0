// A server built on SDK 1.x. It sends its questions to the client during the call.
//
// It does not validate answers: every accept has its effect. Validation is the task of the client or gateway in front
// of it.

import { readFileSync } from 'node:fs'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type ElicitResult,
  ElicitResultSchema,
  type ServerNotification,
  type ServerRequest,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { listen } from '../test-kit/listen.ts'
import { serveSessions } from '../test-kit/mcp/serve-2025-11-25.ts'
import { note } from './journal.ts'
import { type Mode, messageOf, type Release, requestedSchema, type Script, scripts, urlOf } from './question.ts'
import { ownSettings, type ServerSettings } from './settings.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

const settings = ownSettings<ServerSettings>()
const releaseShape = {
  callId: z.string(),
  build: z.string(),
  mode: z.enum(['form', 'url']),
  script: z.enum(Object.keys(scripts) as [Script, ...Script[]]),
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'grid-2025', version: '1.0.0' })
  server.registerTool('release', { inputSchema: releaseShape }, async (args, extra) => ({
    content: [{ type: 'text', text: await release(server, args, extra) }],
  }))
  const promptShape = { callId: z.string(), build: z.string() }
  server.registerPrompt('release', { argsSchema: promptShape }, async (args, extra) => {
    const text = await release(server, { ...args, mode: 'form', script: 'one' }, extra)
    return { messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
  const template = new ResourceTemplate('grid://release/{callId}/{build}', { list: undefined })
  server.registerResource('release', template, {}, async (uri, { callId, build }, extra) => {
    const text = await release(
      server,
      { callId: String(callId), build: String(build), mode: 'form', script: 'one' },
      extra,
    )
    return { contents: [{ uri: uri.href, text }] }
  })
  return server
}

/** Asks round by round; the effect comes after the last accept, and only then. */
async function release(server: McpServer, args: Release, extra: Extra): Promise<string> {
  const { callId } = args
  note(settings.journal, { callId, what: 'ran', round: 0 })
  if (args.script === 'refused first') refuseOnce(server, args)
  else {
    for (const keys of scripts[args.script]) {
      const actions = await Promise.all(keys.map((key) => put(server, args, key, extra)))
      if (actions.some((action) => action !== 'accept')) return JSON.stringify({ callId, actions })
    }
  }
  note(settings.journal, { callId, what: 'effect' })
  return JSON.stringify({ callId, actions: ['accept'] })
}

async function put(server: McpServer, args: Release, key: string, extra: Extra): Promise<string> {
  const { callId } = args
  note(settings.journal, { callId, what: 'asked', key })
  const { action, content } = await elicit(server, args, key, extra).catch((error: unknown) => ({
    action: extra.signal.aborted ? 'aborted' : `error ${codeOf(error)}`,
    content: undefined,
  }))
  note(settings.journal, { callId, what: 'saw', key, action, ...(content === undefined ? {} : { content }) })
  if (action === 'accept' && args.mode === 'url') await completed(server, consentId(args, key))
  return action
}

function elicit(server: McpServer, args: Release, key: string, extra: Extra): Promise<ElicitResult> {
  const params = args.mode === 'form' ? formParams(args, key) : urlParams(args, key)
  const options = { timeout: settings.patienceMs, signal: extra.signal }
  if (settings.asksOn === 'session') return server.server.elicitInput(params, options)
  return extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema, options)
}

function formParams(args: Release, key: string): ElicitRequestFormParams {
  return { mode: 'form', message: messageOf(args, key), requestedSchema }
}

function urlParams(args: Release, key: string): ElicitRequestURLParams {
  const mode: Mode = 'url'
  return { mode, message: messageOf(args, key), url: urlOf(args, key), elicitationId: consentId(args, key) }
}

function consentId({ callId }: Release, key: string): string {
  return `consent-${callId}-${key}`
}

/** The call is refused until the person has visited the address; here a visit is assumed as soon as it was sent. */
function refuseOnce(server: McpServer, args: Release): void {
  // From the journal, because another process of this server may have refused the call.
  const before = readFileSync(settings.journal, 'utf8').includes(`{"callId":"${args.callId}","what":"refused"`)
  if (before) return
  note(settings.journal, { callId: args.callId, what: 'refused' })
  void completed(server, consentId(args, 'first'))
  throw new UrlElicitationRequiredError([urlParams(args, 'first')])
}

function completed(server: McpServer, elicitationId: string): Promise<void> {
  return server.server.createElicitationCompletionNotifier(elicitationId)()
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.name
}

if (settings.transport === 'stdio') await createServer().connect(new StdioServerTransport())
else process.send?.({ url: (await listen(serveSessions(createServer).listener, settings.port)).url })
