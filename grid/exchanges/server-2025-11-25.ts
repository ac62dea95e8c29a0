// A server built on SDK 1.x with every feature of its revision.

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  type LoggingLevel,
  LoggingLevelSchema,
  McpError,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { listen } from '../../test-kit/listen.ts'
import { serveSessions } from '../../test-kit/mcp/serve-2025-11-25.ts'
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
import { EventLog } from './event-log.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

const { name, transport, journal } = ownSettings<ComparedSettings>()
const note = journalAt(journal)
const ranks = LoggingLevelSchema.options

function createServer(): Server {
  const server = new Server(
    { name, version: serverVersion },
    { instructions: `Use ${name}.`, capabilities, enforceStrictCapabilities: true },
  )
  const offered = [...tools]
  const subscribed = new Set<string>()
  let level: LoggingLevel = 'debug'

  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const { items, next } = page(offered, params?.cursor)
    return { tools: items, ...next }
  })
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
    const { items, next } = page(resources, params?.cursor)
    return { resources: items, ...next }
  })
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }))
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    if (uri.startsWith('grid://missing')) throw new McpError(-32_002, 'Resource not found', { uri })
    return { contents: contentsOf(name, uri) }
  })
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    if (!prompts.some((prompt) => prompt.name === params.name)) throw new McpError(-32_602, 'Unknown prompt')
    return promptOf(params.name, name, params.arguments)
  })
  server.setRequestHandler(CompleteRequestSchema, ({ params }) =>
    completionOf(params.argument, params.ref, params.context),
  )
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    level = params.level
    return {}
  })
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => note('roots changed'))

  const call = async (tool: string, args: Record<string, unknown>, extra: Extra) => {
    const notify = (notification: ServerNotification) => extra.sendNotification(notification)
    switch (tool) {
      case 'ask': {
        const { action, content } = await server.elicitInput(question, { relatedRequestId: extra.requestId })
        return textOf({ action, content })
      }
      case 'roots':
        return textOf((await server.listRoots({}, { relatedRequestId: extra.requestId })).roots)
      case 'sample':
        return textOf((await server.createMessage(sampling, { relatedRequestId: extra.requestId })).content)
      case 'log':
        for (const each of levels) {
          if (ranks.indexOf(each) < ranks.indexOf(level)) continue
          await notify({ method: 'notifications/message', params: { level: each, logger: 'grid', data: { ü: each } } })
        }
        return textOf('Logged.')
      case 'progress': {
        const progressToken = extra._meta?.progressToken
        for (const progress of progressToken === undefined ? [] : steps) {
          const params = {
            progressToken: progressToken ?? 0,
            progress,
            total: steps.length,
            message: `Step ${progress}`,
          }
          await notify({ method: 'notifications/progress', params })
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
          extra.signal.addEventListener('abort', () => {
            clearTimeout(timer)
            note(`cancelled ${String(args.key)}`)
            resolve()
          })
        })
        return textOf('Late.')
      case 'announce':
        if (!offered.some((each) => each.name === addedTool.name)) offered.push(addedTool as (typeof tools)[number])
        await server.sendToolListChanged()
        await server.sendPromptListChanged()
        await server.sendResourceListChanged()
        return textOf('Announced.')
      case 'update':
        if (subscribed.has(String(args.key))) await server.sendResourceUpdated({ uri: String(args.key) })
        return textOf('Updated.')
      case 'refuse':
        throw new McpError(-32_055, 'A refusal', { why: [1, 'ü'] })
    }
    throw new McpError(-32_602, `Unknown tool: ${tool}`)
  }
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const args = params.arguments ?? {}
    return plainResult(params.name, args, params._meta) ?? (await call(params.name, args, extra))
  })
  return server
}

if (transport === 'stdio') await createServer().connect(new StdioServerTransport())
else {
  const { listener } = serveSessions(createServer, () => ({ eventStore: new EventLog() }))
  process.send?.({ url: (await listen(listener)).url })
}
