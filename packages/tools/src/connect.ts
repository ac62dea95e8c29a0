// Connects one caller in the same process to the tools, with messages of revision 2026-07-28.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { CreateServer } from './server.ts'

export interface Connection {
  receive(message: object): void
  close(): Promise<void>
}

export function connectTools(createServer: CreateServer, send: (message: object) => void): Connection {
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => send(message),
    close: async () => undefined,
  }
  const serving = serveStdio(createServer, { transport, legacy: 'reject' })
  return {
    receive: (message) => transport.onmessage?.(message as JSONRPCMessage),
    close: () => serving.close(),
  }
}
