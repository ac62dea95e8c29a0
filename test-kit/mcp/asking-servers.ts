// Servers of both SDK generations over HTTP, in this process, that ask the questions a test gives them.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { listening } from '../close-after-test.ts'
import type { Revision } from '../revisions.ts'
import { Count, newestServer, olderServer, type ToolAnnotations } from './asking-tools.ts'
import { serveSessions } from './serve-2025-11-25.ts'
import { serveRequests } from './serve-2026-07-28.ts'

export interface AskingServer {
  readonly url: string
  /** The number of started and of finished calls. */
  readonly begun: number
  readonly ended: number
  /** The answers that the server received. */
  readonly saw: readonly unknown[]
  /** Drops its sessions, as a restart would. */
  forget(): void
}

export async function anAskingServer(revision: Revision, annotations?: ToolAnnotations): Promise<AskingServer> {
  const count = new Count()
  const sessions = serveSessions(() => olderServer(count, annotations))
  count.forget = sessions.forget
  const listener = revision === '2025-11-25' ? sessions.listener : serveRequests(() => newestServer(count, annotations))
  count.url = `${(await listening(listener)).url}/mcp`
  return count
}

/** The official server for the transport of 2024-11-05: a session for each event stream. */
export async function aLegacyServer(): Promise<{ url: string; headers: IncomingHttpHeaders[] }> {
  const headers: IncomingHttpHeaders[] = []
  const sessions = new Map<string, SSEServerTransport>()
  const open = async (response: ServerResponse) => {
    const transport = new SSEServerTransport('/messages', response)
    sessions.set(transport.sessionId, transport)
    await olderServer(new Count()).connect(transport)
  }
  const receive = async (message: IncomingMessage, response: ServerResponse) => {
    const id = new URL(message.url ?? '', 'http://localhost').searchParams.get('sessionId') ?? ''
    await sessions.get(id)?.handlePostMessage(message, response)
  }
  const { url } = await listening(
    createServer((message, response) => {
      headers.push(message.headers)
      const isStream = message.method === 'GET'
      if (!isStream && !message.url?.startsWith('/messages')) return void response.writeHead(404).end()
      return void (isStream ? open(response) : receive(message, response))
    }),
  )
  return { url, headers }
}
