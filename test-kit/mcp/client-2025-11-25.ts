// The SDK 1.x client. Questions reach it as requests during the call.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Address } from './address.ts'
import type { CallResult, ClientOptions, Elicitation, TestClient } from './client.ts'

export async function connect(to: Address, options: ClientOptions = {}): Promise<TestClient> {
  return connectOver(transportTo(to, 'ignore'), options)
}

/** @param transport any transport of this SDK */
export async function connectOver(
  transport: Transport,
  { name = 'test', answer, elicitation = { form: {}, url: {} }, timeoutMs }: ClientOptions = {},
): Promise<TestClient> {
  const client = new Client(
    { name, version: '1.0.0' },
    { capabilities: elicitation === 'none' ? {} : { elicitation: { ...elicitation } } },
  )
  if (elicitation !== 'none') {
    client.setRequestHandler(
      ElicitRequestSchema,
      async ({ params }, { signal }) => answer?.(params as Elicitation, signal) as never,
    )
  }
  await client.connect(transport)
  const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs }
  return {
    revision: '2025-11-25',
    call: async (tool, args = {}, more = {}) =>
      (await client.callTool({ name: tool, arguments: args }, undefined, { ...timeout, ...more })) as CallResult,
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    close: () => client.close(),
  }
}

const streamOpensWithinMs = 10_000

/** The same address, and when the session's stream is open. No SDK waits for that, and messages before it are lost. */
export function withStream(to: Address): { readonly to: Address; readonly isOpen: Promise<unknown> } {
  if (!('url' in to)) return { to, isOpen: Promise.resolve() }
  const opened = Promise.withResolvers<void>()
  const send = to.fetch ?? fetch
  const watched: typeof fetch = async (input, init) => {
    const response = await send(input, init)
    if (init?.method === 'GET') opened.resolve()
    return response
  }
  // For a server that opens none.
  setTimeout(() => opened.resolve(), streamOpensWithinMs).unref()
  return { to: { ...to, fetch: watched }, isOpen: opened.promise }
}

/** @param log where a program's standard error goes */
export function transportTo(to: Address, log: 'inherit' | 'ignore' = 'inherit'): Transport {
  if ('command' in to) {
    return new StdioClientTransport({ command: to.command, args: [...to.args], env: { ...to.env }, stderr: log })
  }
  const { url, headers = {}, fetch } = to
  const options = { requestInit: { headers }, ...(fetch === undefined ? {} : { fetch }) }
  // The SDK's class does not match its interface under exactOptionalPropertyTypes.
  return new StreamableHTTPClientTransport(new URL(url), options) as Transport
}
