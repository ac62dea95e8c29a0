// The SDK 2.x client. In revision 2026-07-28 questions are in the result, and it calls again with the answers.

import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Address } from './address.ts'
import type { CallResult, ClientOptions, Elicitation, TestClient } from './client.ts'

export async function connect(to: Address, options: ClientOptions = {}): Promise<TestClient> {
  return connectOver(transportTo(to, 'ignore'), options)
}

/** @param transport any transport of this SDK */
export async function connectOver(
  transport: Transport,
  {
    name = 'test',
    answer,
    elicitation = { form: {}, url: {} },
    timeoutMs,
    revision = '2026-07-28',
  }: ClientOptions = {},
): Promise<TestClient> {
  const client = new Client(
    { name, version: '1.0.0' },
    {
      capabilities: elicitation === 'none' ? {} : { elicitation: { ...elicitation } },
      ...(revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {}),
    },
  )
  if (elicitation !== 'none') {
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }, { mcpReq }) => answer?.(params as Elicitation, mcpReq.signal) as never,
    )
  }
  await client.connect(transport)
  const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs }
  return {
    revision,
    call: async (tool, args = {}, more = {}) =>
      (await client.callTool({ name: tool, arguments: args }, { ...timeout, ...more })) as CallResult,
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    close: () => client.close(),
  }
}

/** @param log where a program's standard error goes */
export function transportTo(to: Address, log: 'inherit' | 'ignore' = 'inherit'): Transport {
  if ('command' in to) {
    return new StdioClientTransport({ command: to.command, args: [...to.args], env: { ...to.env }, stderr: log })
  }
  const { url, headers = {}, fetch } = to
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    ...(fetch === undefined ? {} : { fetch }),
  })
}
