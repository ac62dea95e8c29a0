// The program the official suite starts as its client: `client.ts [--direct] <server url>`.
//
// The suite names the scenario and the revision in the environment. Without `--direct` the program starts a
// gateway whose only upstream is the suite's server and connects its SDK client to that, so that the gateway is what
// the suite sees.
import { parseArgs } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { CLIENT_SCENARIOS, type ToolCall } from './client-scenarios.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { direct: { type: 'boolean', default: false } },
})
const [serverUrl] = positionals
const scenario = CLIENT_SCENARIOS[process.env.MCP_CONFORMANCE_SCENARIO ?? '']
if (serverUrl === undefined || scenario === undefined)
  throw new Error('The suite must name a server and a known scenario.')

const stateless = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28'
const { toolCalls = [] }: { toolCalls?: ToolCall[] } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const route = values.direct ? { url: serverUrl, close: async () => undefined } : await throughGateway(serverUrl)

const client = new Client(
  { name: 'assent-conformance-client', version: '1.0.0' },
  { capabilities: scenario.capabilities, versionNegotiation: { mode: stateless ? 'auto' : 'legacy' } },
)
try {
  await client.connect(new StreamableHTTPClientTransport(new URL(route.url)))
  const negotiated = client.getNegotiatedProtocolVersion()
  if (stateless && negotiated !== '2026-07-28') throw new Error(`The client fell back to revision ${negotiated}.`)
  await scenario.run(client, toolCalls)
} finally {
  await client.close()
  await route.close()
}

async function throughGateway(upstreamUrl: string) {
  // Loaded only when needed: the direct form checks the client itself and must not depend on the gateway.
  const { openGateway } = await import('./gateway.ts')
  return openGateway('suite', upstreamUrl)
}
