// `assent.tool`, `assent.prompt` and `assent.resource` with the real servers of both SDK generations.

import { Client as Client2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServer1, ResourceTemplate as Template1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { type Assent, createAssent } from '../assent.ts'
import { rawArgumentsOf, recordingRaw } from '../raw-arguments.ts'
import { definitionOf } from './definition.ts'

const info = { name: 'deploys', version: '1.0.0' }
const input = z.object({ env: z.string() })
type AnyClient = Pick<Client2, 'callTool' | 'getPrompt' | 'readResource' | 'close'>

const answers: Readonly<Record<string, object>> = {
  'Which region?': { choice: 'eu' },
  'For whom?': { text: 'Ada' },
  'Which language?': { choice: 'de' },
}

/** What happens while the person decides. */
let meanwhile = (): void => undefined
afterEach(() => {
  meanwhile = () => undefined
})

function answer({ message }: { message: string }): never {
  meanwhile()
  const content = answers[message] ?? { decision: 'approve' }
  return { action: 'accept', content } as never
}

function newAssent(): Assent {
  return createAssent({ name: 'deploys', unseenAfterMs: 0 })
}

type Server = McpServer | McpServer1

async function connect2(register: (server: McpServer) => void): Promise<AnyClient> {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(info)
      register(server)
      return server
    },
    { legacy: 'reject' },
  )
  const client = new Client2(info, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  })
  client.setRequestHandler('elicitation/create', async ({ params }) => answer(params))
  const fetch = (url: unknown, init: unknown) => handler.fetch(new Request(String(url), init as RequestInit))
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch: fetch as never }))
  return client
}

async function connect1(register: (server: McpServer1) => void): Promise<AnyClient> {
  const server = new McpServer1(info)
  register(server)
  const client = new Client1(info, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params))
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  await client.connect(near)
  return client as unknown as AnyClient
}

describe.each([
  ['SDK 2, 2026-07-28', connect2 as (register: (server: Server) => void) => Promise<AnyClient>, ResourceTemplate],
  ['SDK 1, 2025-11-25', connect1 as (register: (server: Server) => void) => Promise<AnyClient>, Template1],
] as const)('%s', (_, connect, Template) => {
  test('[REG-1] a tool, a prompt and resources are registered with one call each, and ask', async () => {
    const assent = newAssent()
    const client = await connect((server) => {
      assent.tool(server, 'deploy', { description: 'Deploys', inputSchema: input }, async ({ env }, { ask }) => {
        expectTypeOf(env).toEqualTypeOf<string>()
        return `${env} in ${await ask.choose('Which region?', ['eu', 'us'])}`
      })
      assent.tool(server, 'bare', {}, async ({ ask }) => ask.text('For whom?'))
      assent.prompt(server, 'write', { argsSchema: { topic: z.string() } }, async ({ topic }, { ask }) => {
        expectTypeOf(topic).toEqualTypeOf<string>()
        return `${topic} for ${await ask.text('For whom?')}`
      })
      assent.resource(server, 'about', 'doc://about', {}, async (uri, { ask }) => {
        return `${uri.href} in ${await ask.choose('Which language?', ['en', 'de'])}`
      })
      const template = new Template('page://{id}', { list: undefined })
      assent.resource(server, 'page', template, {}, async (uri, { id }, { ask }) => {
        return `${id} of ${uri.href} in ${await ask.choose('Which language?', ['en', 'de'])}`
      })
    })

    expect(await client.callTool({ name: 'deploy', arguments: { env: 'test' } })).toMatchObject({
      content: [{ type: 'text', text: 'test in eu' }],
    })
    expect(await client.callTool({ name: 'bare' })).toMatchObject({ content: [{ text: 'Ada' }] })
    expect(await client.getPrompt({ name: 'write', arguments: { topic: 'A poem' } })).toMatchObject({
      messages: [{ content: { text: 'A poem for Ada' } }],
    })
    expect(await client.readResource({ uri: 'doc://about' })).toMatchObject({
      contents: [{ text: 'doc://about in de' }],
    })
    expect(await client.readResource({ uri: 'page://7' })).toMatchObject({
      contents: [{ text: '7 of page://7 in de' }],
    })
    await client.close()
  })

  test('[REG-2] a wrong server, name, handler or form is refused before anything is registered', () => {
    const assent = newAssent()
    const server = Template === Template1 ? new McpServer1(info) : new McpServer(info)
    const handler = async () => 'done'
    const tool = assent.tool as (...given: unknown[]) => unknown
    expect(() => tool({}, 'deploy', {}, handler)).toThrow('The first argument is not an McpServer')
    expect(() => tool(server.server, 'deploy', {}, handler)).toThrow('The first argument is not an McpServer')
    expect(() => tool(server, '', {}, handler)).toThrow('needs a name')
    expect(() => tool(server, 'deploy', {}, undefined)).toThrow('The handler of the tool "deploy" is not a function')
    const { prompt, resource } = assent as unknown as Record<string, (...given: unknown[]) => unknown>
    expect(() => tool(server, 'deploy', handler)).toThrow(
      'The config of the tool "deploy" is missing: an object before the handler, which may be empty. ' +
        'Write assent.tool(server, name, { description }, handler).',
    )
    for (const config of [undefined, null, 'Deploys']) {
      expect(() => tool(server, 'deploy', config, handler)).toThrow('The config of the tool "deploy" is missing')
      expect(() => prompt?.(server, 'deploy', config, handler)).toThrow('The config of the prompt "deploy" is missing')
    }
    expect(() => resource?.(server, 'deploy', 'doc://deploy', handler)).toThrow(
      'The config of the resource "deploy" is missing',
    )
    const nested = z.object({ who: z.object({ name: z.string() }) })
    expect(() => tool(server, 'deploy', { forms: [input, nested] }, handler)).toThrow(
      'Form 2 of the tool "deploy" cannot be shown.',
    )
    expect(() => tool(server, 'deploy', { forms: [undefined] }, handler)).toThrow(
      'Form 1 of the tool "deploy" cannot be shown. The fields of this form are missing.',
    )
    expect(() => tool(server, 'deploy', { _meta: { size: 10n } }, handler)).toThrow()
    // The name is still free.
    assent.tool(server, 'deploy', { forms: [input] }, handler)
    expect(() => assent.tool(server, 'deploy', {}, handler)).toThrow('already registered')
  })

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'nothing'],
    ['a number', 42, 'a number'],
    ['an object of its own', { id: 1 }, 'an object without content'],
    [
      'a generator',
      (function* () {
        yield 1
      })(),
      'an object without content',
    ],
  ])('[REG-6] a tool whose handler returned %s reports it as a mistake', async (_, returned, what) => {
    const client = await connect((server) => {
      createAssent({ log: false }).tool(server, 'deploy', {}, async () => returned as string)
    })
    expect(await client.callTool({ name: 'deploy' })).toMatchObject({
      isError: true,
      content: [
        {
          text: `The tool "deploy" returned ${what}. Return a text, or an object with \`content\` or \`structuredContent\`.`,
        },
      ],
    })
    await client.close()
  })

  test('[REG-3] an approval of a tool that is changed meanwhile opens nothing', async () => {
    const assent = newAssent()
    const ran: string[] = []
    const description = { now: 'Deploys', change: (): void => undefined }
    const client = await connect((server) => {
      const config = { description: description.now, inputSchema: input }
      const registered = assent.tool(server, 'deploy', config, async ({ env }, { gate }) => {
        await gate({ title: 'Deploy', arguments: { env } }, () => ran.push(env))
        return 'deployed'
      })
      description.change = () => registered.update({ description: description.now })
    })
    const call = () => client.callTool({ name: 'deploy', arguments: { env: 'test' } })
    expect(await call()).toMatchObject({ content: [{ text: 'deployed' }] })
    meanwhile = () => {
      description.now = 'Deploys, then deletes the old one'
      description.change()
    }
    expect(await call()).toMatchObject({ isError: true })
    expect(ran).toEqual(['test'])
    await client.close()
  })
})

test('[REG-2] a single key instead of a list is refused, with what to write', () => {
  const key = { id: 'k1', secret: new Uint8Array(32) }
  expect(() => createAssent({ keys: key as never })).toThrow(
    'The setting `keys` is a list of keys: createAssent({ keys: [{ id, secret }] }).',
  )
})

test('[REG-1] with SDK 1, arguments that may be left out are optional, and the context has the SDK’s type', () => {
  const assent = newAssent()
  const server = new McpServer1(info)
  const shape = { env: z.string(), count: z.number().optional() }
  assent.tool(server, 'deploy', { inputSchema: shape }, async ({ env, count }, { context }) => {
    expectTypeOf(env).toEqualTypeOf<string>()
    expectTypeOf(count).toEqualTypeOf<number | undefined>()
    expectTypeOf(context.requestId).toEqualTypeOf<string | number>()
    return env
  })
  const server2 = new McpServer(info)
  assent.tool(server2, 'deploy', { inputSchema: input }, async ({ env }, { context }) => {
    expectTypeOf(context.mcpReq.method).toEqualTypeOf<string>()
    return { content: [{ type: 'text', text: env }] }
  })
  // @ts-expect-error a tool without a schema has no arguments
  assent.tool(server2, 'bare', {}, async ({ env }) => env)
  // @ts-expect-error a result has content
  assent.tool(server2, 'empty', {}, async () => ({ text: 'x' }))
  expect(server.isConnected()).toBe(false)
})

test('[REG-3] the definition is the one that tools/list gives, and follows an update', async () => {
  const assent = newAssent()
  const server = new McpServer(info)
  const config = { description: 'Deploys', inputSchema: input, annotations: { destructiveHint: true } }
  const registered = assent.tool(server, 'deploy', config, async () => 'done')
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far as never)
  const client = new Client1(info)
  await client.connect(near)
  const [listed] = (await client.listTools()).tools
  expect(JSON.parse(JSON.stringify(listed))).toEqual(definitionOf('deploy', registered))
  registered.update({ description: 'Deploys and deletes' })
  expect(definitionOf('deploy', registered).description).toBe('Deploys and deletes')
  await client.close()
})

/** A schema that is a function, as ArkType's are. */
function callable<Schema extends z.ZodType>(schema: Schema): ((value: unknown) => unknown) & Schema {
  const parse = (value: unknown) => schema.parse(value)
  return Object.assign(parse, { '~standard': schema['~standard'], description: 'callable' }) as typeof parse & Schema
}

test('[REG-4] a schema that is a function stays one when its arguments are recorded', async () => {
  const schema = callable(z.object({ env: z.string().trim() }))
  const recording = recordingRaw(schema)
  expect(recording({ env: ' test ' })).toEqual({ env: 'test' })
  expect([recording.description, recording.name, recording.length]).toEqual(['callable', schema.name, 1])
  const sent = { env: ' test ' }
  const result = await recording['~standard'].validate(sent)
  expect(rawArgumentsOf(['value' in result ? result.value : undefined])).toEqual([sent])
})

test('[REG-4] state is bound to the arguments as the client sent them, not to what a schema added to them', async () => {
  const assent = newAssent()
  const generated = z.object({ env: z.string(), id: z.string().default(() => crypto.randomUUID()) })
  const client = await connect2((server) => {
    assent.tool(server, 'deploy', { inputSchema: generated }, async ({ env }, { ask }) => {
      return `${env} ${await ask.choose('Which region?', ['eu', 'us'])}`
    })
    assent.tool(server, 'callable', { inputSchema: callable(generated) }, async ({ env }, { ask }) => {
      return `${env} ${await ask.choose('Which region?', ['eu', 'us'])}`
    })
    assent.tool(server, 'shape', { inputSchema: generated.shape }, async ({ env }, { ask }) => {
      return `${env} ${await ask.choose('Which region?', ['eu', 'us'])}`
    })
    assent.prompt(server, 'write', { argsSchema: generated }, async ({ env }, { ask }) => {
      return `${env} ${await ask.choose('Which region?', ['eu', 'us'])}`
    })
  })
  for (const name of ['deploy', 'callable', 'shape'])
    expect(await client.callTool({ name, arguments: { env: 'test' } })).toMatchObject({
      content: [{ text: 'test eu' }],
    })
  expect(await client.getPrompt({ name: 'write', arguments: { env: 'test' } })).toMatchObject({
    messages: [{ content: { text: 'test eu' } }],
  })
  await client.close()
})
