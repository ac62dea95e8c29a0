// What a client does in each of the official suite's client scenarios that do not concern authorization.
//
// A scenario gets its client and the suite's input; it does not depend on how the client reaches the server (directly or
// through the gateway). The rule: a scenario only calls the SDK, so that the suite checks the wire and not this code.
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client'

export interface ToolCall {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

export interface ClientScenario {
  readonly capabilities: ClientCapabilities
  run(client: Client, toolCalls: readonly ToolCall[]): Promise<void>
}

export const CLIENT_SCENARIOS: Readonly<Record<string, ClientScenario>> = {
  initialize: { capabilities: {}, run: listTools },
  tools_call: { capabilities: {}, run: (client) => call(client, 'add_numbers', { a: 5, b: 3 }) },
  'elicitation-sep1034-client-defaults': {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    async run(client) {
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }))
      await call(client, 'test_client_elicitation_defaults', {})
    },
  },
  'sse-retry': { capabilities: {}, run: (client) => call(client, 'test_reconnection', {}) },
  'request-metadata': {
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
    run: listTools,
  },
  'sep-2322-client-request-state': { capabilities: { elicitation: {} }, run: answerRounds },
  'http-standard-headers': { capabilities: {}, run: useEverything },
  'http-custom-headers': {
    capabilities: {},
    async run(client, toolCalls) {
      await client.listTools()
      for (const toolCall of toolCalls) await client.callTool(toolCall)
    },
  },
  'http-invalid-tool-headers': {
    capabilities: {},
    async run(client) {
      const { tools } = await client.listTools()
      for (const { name } of tools) await call(client, name, { region: 'us-west1' })
    },
  },
  'json-schema-ref-no-deref': { capabilities: {}, run: listTools },
}

async function listTools(client: Client): Promise<void> {
  await client.listTools()
}

/** Lists first: the SDK learns from the list which arguments are sent in headers. */
async function call(client: Client, name: string, args: Record<string, unknown>): Promise<void> {
  await client.listTools()
  await client.callTool({ name, arguments: args })
}

async function answerRounds(client: Client): Promise<void> {
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirmed: true } }))
  for (const name of ['test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_unrelated']) {
    await client.callTool({ name, arguments: {} })
  }
  // The SDK refuses a result without a type; the suite only requires that it is not retried.
  await client.callTool({ name: 'test_mrtr_no_result_type', arguments: {} }).catch(() => undefined)
}

async function useEverything(client: Client): Promise<void> {
  const { tools } = await client.listTools()
  for (const { name } of tools) await client.callTool({ name, arguments: {} })
  const { resources } = await client.listResources()
  for (const { uri } of resources) await client.readResource({ uri })
  const { prompts } = await client.listPrompts()
  for (const { name } of prompts) await client.getPrompt({ name })
}
