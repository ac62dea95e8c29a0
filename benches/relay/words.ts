// The messages between clients and servers of the relay bench, in both revisions.
//
// One tool, `release`, asks one form question. Every question has a new schema, because a relay must not cache schemas
// forever.

export type Json = Record<string, unknown>
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Json
  readonly result?: Json
  readonly error?: { readonly code: number; readonly message: string }
}

export const generations = ['2025-11-25', '2026-07-28'] as const
export type Generation = (typeof generations)[number]

/** The header that names the caller. */
export const personHeader = 'x-bench-person'

const tool = 'release'
const stamp = 'io.modelcontextprotocol'
const timeKey = 'bench.assent/atMs'
const elicitation = { form: {} }

export const tools = [{ name: tool, inputSchema: { type: 'object', properties: { build: { type: 'string' } } } }]

export function question(build: string): Json {
  return {
    mode: 'form',
    message: `Where should build ${build} go?`,
    requestedSchema: {
      type: 'object',
      properties: {
        region: {
          type: 'string',
          title: `Region for ${build}`,
          oneOf: [
            { const: 'eu', title: 'Europe' },
            { const: 'us', title: 'United States' },
          ],
        },
        replicas: { type: 'integer', title: 'Replicas', minimum: 1, maximum: 50, default: 3 },
        [`note_${build}`]: { type: 'string', title: 'A note for the log', maxLength: 500 },
      },
      required: ['region', 'replicas'],
    },
  }
}

export const accepted = { action: 'accept', content: { region: 'eu', replicas: 3 } }

export function isAccepted(answer: unknown): boolean {
  const { action, content } = (answer ?? {}) as { action?: string; content?: Json }
  return action === 'accept' && content?.region === 'eu' && content.replicas === 3
}

/** With the time at which the server ran it. */
export function released(build: string): Json {
  return { content: [{ type: 'text', text: `released ${build}` }], _meta: { [timeKey]: machineMs() } }
}

export function releasedAtMs({ result }: Message): number {
  return Number((result?._meta as Json | undefined)?.[timeKey])
}

/** One clock for all processes of this machine. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Throws unless this is the result of that call: figures for wrong answers are meaningless. */
export function checkReleased(reply: Message, build: string): void {
  const [first] = (reply.result?.content ?? []) as readonly { text?: string }[]
  if (first?.text !== `released ${build}`) throw new Error(`The call for ${build} got ${JSON.stringify(reply)}`)
}

export function callOf(id: number, build: string): Message {
  return rpc({ id, method: 'tools/call', params: { name: tool, arguments: { build } } })
}

export const initialize = rpc({
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation },
    clientInfo: { name: 'bench', version: '1.0.0' },
  },
})

export const initialized = rpc({ method: 'notifications/initialized' })

export function rpc(message: Message): Message {
  return { jsonrpc: '2.0', ...message } as Message
}

/** The same request with the required members of 2026-07-28. */
export function stamped(message: Message, capabilities: Json = { elicitation }): Message {
  const meta = {
    [`${stamp}/protocolVersion`]: '2026-07-28',
    [`${stamp}/clientCapabilities`]: capabilities,
    [`${stamp}/clientInfo`]: { name: 'bench', version: '1.0.0' },
  }
  return { ...message, params: { ...message.params, _meta: meta } }
}

export const stampedHeaders = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': tool,
}
