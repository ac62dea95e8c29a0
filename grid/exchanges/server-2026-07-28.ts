// A server built on SDK 2.x with every feature of its revision. It supports no earlier revision.

import {
  createMcpHandler,
  inputRequired,
  ProtocolError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { listen } from '../../test-kit/listen.ts'
import { nodeListener } from '../../test-kit/mcp/serve-2026-07-28.ts'
import { type ComparedSettings, ownSettings } from '../settings.ts'
import {
  addedTool,
  capabilities,
  completionOf,
  contentsOf,
  journalAt,
  levels,
  page,
  plainResult,
  promptOf,
  prompts,
  question,
  resources,
  resourceTemplates,
  sampling,
  serverVersion,
  slowMs,
  steps,
  textOf,
  tools,
} from './content.ts'

const { name, transport, journal } = ownSettings<ComparedSettings>()
const note = journalAt(journal)
const offered = [...tools]

/** Notifies every listener; over HTTP a server object lives only as long as its request. */
interface Announcer {
  lists(): Promise<void> | void
  resource(uri: string): Promise<void> | void
}

function createServer(announcer?: Announcer): Server {
  const server = new Server({ name, version: serverVersion }, { instructions: `Use ${name}.`, capabilities })
  const announce: Announcer = announcer ?? {
    lists: async () => {
      await server.sendToolListChanged()
      await server.sendPromptListChanged()
      await server.sendResourceListChanged()
    },
    resource: (uri) => server.sendResourceUpdated({ uri }),
  }
  server.setRequestHandler('tools/list', ({ params }) => {
    const { items, next } = page(offered, params?.cursor)
    return { tools: items, ...next }
  })
  server.setRequestHandler('resources/list', ({ params }) => {
    const { items, next } = page(resources, params?.cursor)
    return { resources: items, ...next }
  })
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }))
  server.setRequestHandler('prompts/list', () => ({ prompts }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    if (uri.startsWith('grid://missing')) throw new ProtocolError(-32_602, 'Resource not found', { uri })
    return { contents: contentsOf(name, uri) }
  })
  server.setRequestHandler('prompts/get', ({ params }) => {
    if (!prompts.some((prompt) => prompt.name === params.name)) throw new ProtocolError(-32_602, 'Unknown prompt')
    return promptOf(params.name, name, params.arguments)
  })
  server.setRequestHandler('completion/complete', ({ params }) =>
    completionOf(params.argument, params.ref, params.context),
  )

  const call = async (tool: string, args: Record<string, unknown>, { mcpReq }: ServerContext) => {
    const answers = mcpReq.inputResponses
    switch (tool) {
      case 'ask': {
        if (answers === undefined) return inputRequired({ inputRequests: { q: inputRequired.elicit(question) } })
        const { action, content } = answers.q as { action: string; content?: unknown }
        return textOf({ action, content })
      }
      case 'roots':
        if (answers === undefined) return inputRequired({ inputRequests: { r: { method: 'roots/list' } } })
        return textOf((answers.r as { roots: unknown }).roots)
      case 'sample':
        if (answers === undefined)
          return inputRequired({ inputRequests: { s: { method: 'sampling/createMessage', params: sampling } } })
        return textOf((answers.s as { content: unknown }).content)
      case 'log':
        for (const each of levels) await mcpReq.log(each, { ü: each }, 'grid')
        return textOf('Logged.')
      case 'progress': {
        const progressToken = mcpReq._meta?.progressToken
        for (const progress of progressToken === undefined ? [] : steps) {
          const params = {
            progressToken: progressToken ?? 0,
            progress,
            total: steps.length,
            message: `Step ${progress}`,
          }
          await mcpReq.notify({ method: 'notifications/progress', params })
        }
        return textOf('Done.')
      }
      case 'later':
        await new Promise((resolve) => setTimeout(resolve, Number(args.key)))
        return textOf('Later.')
      case 'slow':
        note(`began ${String(args.key)}`)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, slowMs)
          mcpReq.signal.addEventListener('abort', () => {
            clearTimeout(timer)
            note(`cancelled ${String(args.key)}`)
            resolve()
          })
        })
        return textOf('Late.')
      case 'announce':
        if (!offered.some((each) => each.name === addedTool.name)) offered.push(addedTool as (typeof tools)[number])
        await announce.lists()
        return textOf('Announced.')
      case 'update':
        await announce.resource(String(args.key))
        return textOf('Updated.')
      case 'refuse':
        throw new ProtocolError(-32_055, 'A refusal', { why: [1, 'ü'] })
    }
    throw new ProtocolError(-32_602, `Unknown tool: ${tool}`)
  }
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const args = params.arguments ?? {}
    return plainResult(params.name, args, context.mcpReq._meta) ?? (await call(params.name, args, context))
  })
  return server
}

if (transport === 'stdio') serveStdio(() => createServer(), { legacy: 'reject' })
else {
  const announcer: Announcer = {
    lists: () => {
      handler.notify.toolsChanged()
      handler.notify.promptsChanged()
      handler.notify.resourcesChanged()
    },
    resource: (uri) => handler.notify.resourceUpdated(uri),
  }
  const handler = createMcpHandler(() => createServer(announcer), { legacy: 'reject' })
  process.send?.({ url: (await listen(nodeListener(handler))).url })
}
