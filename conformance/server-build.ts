// One instance of the fixture server: every tool, prompt and resource, for one request or for one session.
import { randomUUID } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  fromJsonSchema,
  McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { askingTools, type Round } from './server-asking.ts'
import { type Changes, contentTools } from './server-content.ts'
import { addPrompts, addResources } from './server-documents.ts'
import { interactiveTools, sdkState } from './server-interactive.ts'

const SEALED_BY_SDK = 'assent1.'

export function buildServer(changes: Changes, state: RequestStateCodec<Round>): McpServer {
  const server = new McpServer(
    { name: 'assent-conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      // Each codec accepts only its own states.
      requestState: {
        verify: (token, context) =>
          token.startsWith(SEALED_BY_SDK) ? sdkState.verify(token, context) : state.verify(token, context),
      },
    },
  )
  for (const tool of [...contentTools(changes), ...askingTools(state, randomUUID), ...interactiveTools]) {
    const inputSchema = fromJsonSchema<Record<string, unknown>>(tool.input ?? { type: 'object', properties: {} })
    server.registerTool(tool.name, { description: tool.description, inputSchema }, async (args, context) =>
      tool.run(args, context, declaredTo(server, context)),
    )
  }
  addResources(server)
  addPrompts(server)
  server.server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0 } }))
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
  return server
}

/** The client's capabilities: in each request in 2026-07-28, and once per session before that. */
function declaredTo(server: McpServer, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = mcpReq.envelope ?? {}
  return envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities() ?? {}
}
