// A hand-written client of revision 2026-07-28, connected to a gateway over stdio.

import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { createKeyRing } from '@assent/core'
import type { Store } from '@assent/store'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { until } from '../../../../test-kit/until.ts'
import { type GatewayOptions, serveStdio } from '../program/gateway.ts'
import type { Wire } from './wire.suite.ts'

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

export interface StdioClient {
  /** Sends a call of the tool `ask` without waiting for its reply. */
  send(id: number, args: Wire, rounds?: Wire): void
  cancel(id: number): void
  /** The reply to the request with this id. */
  reply(id: number): Promise<{ result: Wire; error: { message: string } }>
  /** Disconnects; resolves when the gateway has stopped. */
  leave(): Promise<void>
}

export function aStdioClient(
  store: Store,
  servers: GatewayOptions['servers'],
  options: Partial<GatewayOptions> = {},
): StdioClient {
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const [input, output] = [new PassThrough(), new PassThrough()]
  const ended = serveStdio({ servers, store, keys, ...options }, input, output)
  const replies = new Map<number, Wire>()
  createInterface({ input: output }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.id !== undefined) replies.set(message.id, message)
  })
  const leave = async () => {
    input.end()
    await ended
  }
  closeAfterTest(leave)
  const write = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    send: (id, args, rounds = {}) =>
      void write({ id, method: 'tools/call', params: { name: 'ask', arguments: args, ...rounds, _meta: meta } }),
    cancel: (id) => void write({ method: 'notifications/cancelled', params: { requestId: id } }),
    reply: (id) => until(() => replies.get(id) as never),
    leave,
  }
}
