// Servers of both generations written with our SDK, over HTTP, in this process. Their tool `name` asks for a name and
// records the outcome; its argument `waitMs` sets the timeout. With `deletes` it asks for the approval of that instead.

import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { AssentError, type JsonObject } from '@assent/core'
import { type AssentSettings, createAssent, type Interaction } from '@assent/sdk'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { listening } from '../../../../test-kit/close-after-test.ts'
import type { Revision } from '../../../../test-kit/revisions.ts'

export interface SdkServer {
  readonly url: string
  /** How each question ended for the handler: the name, or the code of the error. */
  readonly ended: readonly string[]
  /** The comment of each answer, in the same order; undefined without a comment. */
  readonly comments: readonly (string | undefined)[]
  /** The client capabilities that the server received, per call. */
  readonly capabilities: readonly unknown[]
}

interface Recording {
  readonly ended: string[]
  readonly comments: (string | undefined)[]
  readonly capabilities: unknown[]
}

interface Args {
  readonly waitMs?: number | undefined
  readonly deletes?: string | undefined
}

const shape = { waitMs: z.number().optional(), deletes: z.string().optional() }

export async function anSdkServer(generation: Revision, settings: AssentSettings = {}): Promise<SdkServer> {
  const recording: Recording = { ended: [], comments: [], capabilities: [] }
  const assent = createAssent({ name: 'names', ...settings })
  const listener = generation === '2025-11-25' ? older(assent, recording) : newest(assent, recording)
  return { url: `${(await listening(createServer(listener))).url}/mcp`, ...recording }
}

/** With version 2 of the MCP SDK in a session of 2025-11-25, and without the option `server`: only the SDK knows its client. */
export async function anSdk2Session(): Promise<SdkServer> {
  const recording: Recording = { ended: [], comments: [], capabilities: [] }
  const { interactive } = createAssent({ name: 'names' })
  const handler = interactive<[Args]>((args, interaction) => asks(args, interaction, recording), { name: 'name' })
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>()
  const { url } = await listening(
    createServer(async (request, response) => {
      const known = sessions.get(String(request.headers['mcp-session-id']))
      if (known !== undefined) return known.handleRequest(request, response)
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      })
      const server = new McpServer({ name: 'names', version: '1' })
      server.registerTool('name', { inputSchema: z.object(shape) }, handler as never)
      await server.connect(transport)
      await transport.handleRequest(request, response)
    }),
  )
  return { url: `${url}/mcp`, ...recording }
}

type Assent = ReturnType<typeof createAssent>

async function asks({ waitMs, deletes }: Args, { ask, gate }: Interaction, { ended, comments }: Recording) {
  try {
    if (deletes !== undefined) {
      const claim = 'It is *old*.'
      const action = { title: 'Delete a name', arguments: { deletes }, risk: 'destructive', claim } as const
      await gate({ ...action, reason: 'It is unused.' }, (approved) => ended.push(`deleted ${approved.deletes}`))
      return `deleted ${deletes}`
    }
    const asked = ask.text('Which name?', waitMs === undefined ? {} : { waitMs })
    const { value: name, comment } = await ask.withComment(asked)
    ended.push(name)
    comments.push(comment)
    return `got ${name}`
  } catch (error) {
    if (error instanceof AssentError) {
      ended.push(error.code)
      comments.push(error.comment)
    }
    throw error
  }
}

function older({ interactive }: Assent, recording: Recording): RequestListener {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  return async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    if (known !== undefined) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    const server = new OlderServer({ name: 'names', version: '1' })
    const handler = interactive<[Args]>(
      (args, interaction) => {
        recording.capabilities.push(server.server.getClientCapabilities())
        return asks(args, interaction, recording)
      },
      { name: 'name', server },
    )
    server.registerTool('name', { inputSchema: shape }, handler as never)
    // The SDK's class does not match the SDK's interface under exactOptionalPropertyTypes.
    await server.connect(transport as Transport)
    await transport.handleRequest(request, response)
  }
}

function newest({ interactive }: Assent, recording: Recording): RequestListener {
  const handler = interactive<[Args]>(
    (args, interaction) => {
      const { mcpReq } = interaction.context as { mcpReq: { envelope: JsonObject } }
      recording.capabilities.push(mcpReq.envelope['io.modelcontextprotocol/clientCapabilities'])
      return asks(args, interaction, recording)
    },
    { name: 'name' },
  )
  const build = () => {
    const server = new McpServer({ name: 'names', version: '1' })
    server.registerTool('name', { inputSchema: z.object(shape) }, handler as never)
    return server
  }
  // Typed as Node's listener, because the SDK's type does not match it under exactOptionalPropertyTypes.
  return toNodeHandler(createMcpHandler(build, { legacy: 'reject' })) as RequestListener
}
