// Type tests: `npm run check` verifies these lines. At run time they only have to execute.

import { McpServer as McpServer1, ResourceTemplate as ResourceTemplate1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { Ask } from './ask/ask.ts'
import { field } from './ask/field.ts'
import { interactive } from './assent.ts'
import type { Gate } from './gate/gate.ts'
import type { Step } from './interaction.ts'
import type { Jsonify } from './run/jsonify.ts'

test('[SDK-29] the type of a step or gate describes what it returns after JSON', () => {
  interface Row {
    readonly id: number
    at: Date
    error?: string
    note: string | undefined
    save(): void
  }
  interface StoredRow {
    readonly id: number
    at: string
    error?: string
    note?: string
  }
  expectTypeOf<Jsonify<Row>>().toEqualTypeOf<StoredRow>()
  expectTypeOf<Jsonify<Row[]>>().toEqualTypeOf<StoredRow[]>()
  expectTypeOf<Jsonify<readonly [Date, undefined]>>().toEqualTypeOf<readonly [string, null]>()
  expectTypeOf<Jsonify<void>>().toEqualTypeOf<undefined>()
  expectTypeOf<Jsonify<'a' | 7 | null>>().toEqualTypeOf<'a' | 7 | null>()
  expectTypeOf<Jsonify<unknown>>().toEqualTypeOf<unknown>()
  expectTypeOf<keyof Jsonify<Map<string, number>>>().toEqualTypeOf<never>()
  expectTypeOf<keyof Jsonify<Set<string>>>().toEqualTypeOf<never>()
  expectTypeOf<keyof Jsonify<RegExp>>().toEqualTypeOf<never>()
  expect(JSON.stringify(/x/)).toBe('{}')
  // Data of an error, whose type no type can distinguish from that of an `Error`.
  type Failure = { name: string; message: string; stack: string }
  expectTypeOf<Jsonify<Failure>>().toEqualTypeOf<Failure>()
  expectTypeOf<Jsonify<{ readonly kind: 'a'; readonly list: readonly string[] }>>().toEqualTypeOf<{
    readonly kind: 'a'
    readonly list: readonly string[]
  }>()
  const typed = async (step: Step, gate: Gate) => {
    expectTypeOf(await step('none', () => undefined)).toEqualTypeOf<undefined>()
    expectTypeOf(await step('when', async () => new Date())).toEqualTypeOf<string>()
    const { value } = await gate({ title: 'Go', arguments: {} }, (_, { key }) => ({ key, at: new Date() }))
    expectTypeOf(value).toEqualTypeOf<{ key: string; at: string }>()
  }
  expect(typed).toBeTypeOf('function')
})

test('[SDK-1] arguments and context follow from the registration, with both SDKs', () => {
  const server = new McpServer({ name: 's', version: '1' })
  server.registerTool(
    'deploy',
    { inputSchema: z.object({ env: z.string(), count: z.number() }) },
    interactive(async ({ env, count }, { ask, step, context }) => {
      expectTypeOf(env).toEqualTypeOf<string>()
      expectTypeOf(count).toEqualTypeOf<number>()
      expectTypeOf(context.mcpReq.method).toEqualTypeOf<string>()
      const id = await step('deploy', () => 7)
      expectTypeOf(id).toEqualTypeOf<number>()
      return `${await ask.text('Name?')}`
    }),
  )
  server.registerTool(
    'none',
    {},
    interactive(async ({ ask }) => ask.text('Name?')),
  )
  server.registerTool(
    'full',
    { inputSchema: z.object({ env: z.string() }) },
    interactive(async ({ env }) => ({ content: [{ type: 'text', text: env }] })),
  )
  server.registerPrompt(
    'p',
    { argsSchema: z.object({ topic: z.string() }) },
    interactive(async ({ topic }, { ask }) => {
      expectTypeOf(topic).toEqualTypeOf<string>()
      return { messages: [{ role: 'user', content: { type: 'text', text: await ask.text(topic) } }] }
    }),
  )
  server.registerResource(
    'r',
    new ResourceTemplate('a://{b}', { list: undefined }),
    {},
    interactive(async (uri, variables, { ask }) => {
      expectTypeOf(uri).toEqualTypeOf<URL>()
      return { contents: [{ uri: uri.href, text: `${variables.b}${await ask.text('Which?')}` }] }
    }),
  )

  const older = new McpServer1({ name: 's', version: '1' })
  older.registerTool(
    'deploy',
    { inputSchema: { env: z.string() } },
    interactive(
      async ({ env }, { ask, context }) => {
        expectTypeOf(env).toEqualTypeOf<string>()
        expectTypeOf(context.requestId).toEqualTypeOf<string | number>()
        return ask.text('Name?')
      },
      { server: older },
    ),
  )
  older.registerTool(
    'object',
    { inputSchema: z.object({ env: z.string() }) },
    interactive(
      async ({ env }) => {
        expectTypeOf(env).toEqualTypeOf<string>()
        return { content: [{ type: 'text', text: env }] }
      },
      { server: older },
    ),
  )
  older.registerResource(
    'r',
    new ResourceTemplate1('a://{b}', { list: undefined }),
    {},
    interactive(async (uri, _variables, { ask }) => `${uri.href}${await ask.text('Which?')}`, { server: older }),
  )
  expect(server.isConnected()).toBe(false)
})

/** Never called: only the compiler checks it. */
export async function asks(ask: Ask): Promise<void> {
  expectTypeOf(await ask.choose('?', { eu: 'Europe', us: 'United States' })).toEqualTypeOf<'eu' | 'us'>()
  expectTypeOf(await ask.choose('?', ['a', 'b'])).toEqualTypeOf<'a' | 'b'>()
  expectTypeOf(await ask.chooseMany('?', ['a', 'b'])).toEqualTypeOf<readonly ('a' | 'b')[]>()
  expectTypeOf(await ask.confirm('?')).toEqualTypeOf<boolean>()
  const person = await ask.form('?', { name: field.text(), age: field.optional(field.number()) })
  expectTypeOf(person).toEqualTypeOf<{ readonly name: string; readonly age?: number }>()
  const parsed = await ask.form('?', z.object({ when: z.string().transform((text) => text.length) }))
  expectTypeOf(parsed).toEqualTypeOf<{ when: number }>()
  const both = await ask.all({ name: ask.text('?'), size: ask.choose('?', ['s', 'm']) })
  expectTypeOf(both).toEqualTypeOf<{ name: string; size: 's' | 'm' }>()

  await ask.text('?', { fallback: 'x', risk: 'notable' })
  // @ts-expect-error a destructive question has no fallback
  await ask.confirm('?', { fallback: true, risk: 'destructive' })
  await ask.confirm('?', { fallback: false })
  await ask.confirm('?', { fallback: true, risk: 'harmless' })
  // @ts-expect-error a yes without a person needs `risk: 'harmless'`
  await ask.confirm('?', { fallback: true })
  // @ts-expect-error an approval has no fallback
  await ask.approve('?', {}, { fallback: true })
  // @ts-expect-error a secret has no fallback
  await ask.secret('?', { fallback: 'x' })
  // @ts-expect-error the fallback must be one of the options
  await ask.choose('?', ['a', 'b'], { fallback: 'c' })
}

/** Never called, like the one above. */
export async function gates(gate: Gate): Promise<void> {
  const given = { env: 'production', tags: ['a'] }
  const { value, receipt } = await gate({ title: 'Deploy', arguments: given }, (approved) => {
    expectTypeOf(approved.env).toEqualTypeOf<string>()
    // @ts-expect-error it is a frozen copy
    approved.env = 'test'
    return approved.tags.length
  })
  expectTypeOf(value).toEqualTypeOf<number>()
  expectTypeOf(receipt).toEqualTypeOf<string>()
  // @ts-expect-error an argument that was not shown is not available
  await gate({ title: 'Deploy', arguments: given }, ({ region }) => region)
  // @ts-expect-error only JSON values can be approved
  await gate({ title: 'Deploy', arguments: { at: new Date() } }, () => 1)
}

interface Deployment {
  env: string
  tags: string[]
  owner: { name: string }
  note?: string
}

/** Never called, like the ones above. */
export async function gatesByInterface(gate: Gate, given: Deployment): Promise<void> {
  await gate({ title: 'Deploy', arguments: given }, (approved) => {
    expectTypeOf(approved.owner.name).toEqualTypeOf<string>()
    expectTypeOf(approved.note).toEqualTypeOf<string | undefined>()
    return approved.tags.length
  })
  // @ts-expect-error only JSON values can be approved, at any depth
  await gate({ title: 'Deploy', arguments: { ...given, owner: { at: new Date() } } }, () => 1)
  const unknownNote: { note: string | undefined } = { note: given.note }
  // @ts-expect-error a member that may be undefined could not be shown; leave it out instead
  await gate({ title: 'Deploy', arguments: unknownNote }, () => 1)
  // @ts-expect-error a function is not JSON
  await gate({ title: 'Deploy', arguments: { run: () => 1 } }, () => 1)
}

test('[SDK-1] the work of a gate gets the approved arguments with their type', () => {
  expect([gates, gatesByInterface].every((one) => typeof one === 'function')).toBe(true)
})

test('[SDK-1] the options of a choice, a schema and a set of asks are the types of their answers', () => {
  expect(asks).toBeTypeOf('function')
})
