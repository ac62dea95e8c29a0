import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type * as describeAsk from '../ask/describe.ts'
import { field } from '../ask/field.ts'
import { createAssent, interactive } from '../assent.ts'
import { type Caller, type ConnectedHandler, connectionKinds, type Person } from '../connections.suite.ts'
import type { Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'
import { yielding } from './yielding.ts'

let open: Caller | undefined
afterEach(async () => {
  await open?.close()
  open = undefined
})

const accept = (content: object) => ({ action: 'accept', content })
const approve: Person = ({ requestedSchema }) =>
  accept('decision' in (requestedSchema?.properties ?? {}) ? { decision: 'approve' } : {})

describe.each(connectionKinds)('$revision: $name', (way) => {
  async function play(handler: ConnectedHandler, person: Person): Promise<Caller> {
    open = await way.open({
      assent: createAssent({ name: 'staged', unseenAfterMs: 0 }),
      tools: { tool: handler },
      person,
    })
    return open
  }

  test('[GEN-1] a generator asks by yield, and its steps are done once', async () => {
    let deployed = 0
    const caller = await play(
      yielding(function* ({ env }, { ask, step }) {
        const region = yield* ask.choose('Which region?', { eu: 'Europe', us: 'United States' })
        const id = yield* step('deploy', () => {
          deployed++
          return `${env}-${region}`
        })
        const name = yield ask.text('What is it called?')
        return `${id} ${name}`
      }),
      ({ message }) => accept(message === 'Which region?' ? { choice: 'eu' } : { text: 'blue' }),
    )

    expect((await caller.call('tool')).text).toBe('test-eu blue')
    expect(deployed).toBe(1)
  })

  test('[GEN-1] an asynchronous generator may await between its asks, and ask several things at once', async () => {
    const caller = await play(
      yielding(async function* (_, { ask }) {
        const { name, size } = yield* ask.all({ name: ask.text('Name?'), size: ask.number('Size?') })
        const doubled = await Promise.resolve(size * 2)
        return `${name} ${doubled}`
      }),
      ({ message }) => accept(message === 'Name?' ? { text: 'Ada' } : { number: 2 }),
    )
    expect((await caller.call('tool')).text).toBe('Ada 4')
  })

  test('[GEN-3] a no is thrown where it was yielded, and can be caught there', async () => {
    const caller = await play(
      yielding(function* (_, { ask }) {
        try {
          yield* ask.text('Why?')
        } catch (error) {
          const { code } = error as { code: string }
          const isSure = yield* ask.confirm('Continue without a reason?')
          return `${code} ${isSure}`
        }
        return 'never'
      }),
      ({ message }) => (message === 'Why?' ? { action: 'decline' } : accept({ confirmed: true })),
    )
    expect((await caller.call('tool')).text).toBe('declined true')
  })

  test('[GEN-1] a gate is yielded like everything else', async () => {
    let ran = 0
    const caller = await play(
      yielding(function* ({ env }, { gate }) {
        const { value } = yield* gate({ title: 'Delete', arguments: { env } }, (approved) => {
          ran++
          return `deleted ${approved.env}`
        })
        return value
      }),
      approve,
    )
    expect((await caller.call('tool')).text).toBe('deleted test')
    expect(ran).toBe(1)
  })

  test('[GEN-3] a no that the handler does not catch is the tool’s refusal', async () => {
    const caller = await play(
      yielding(function* (_, { ask }) {
        yield* ask.approve('Delete', { artifacts: 5 })
        return 'deleted'
      }),
      () => ({ action: 'decline' }),
    )
    const result = await caller.call('tool')
    expect(result).toMatchObject({ isError: true })
    expect(result.text).toContain('declined')
  })
})

/** Records every question and answers it with content that fits its kind. */
function answering(seen: describeAsk.Description[]): Surface {
  const contents: Record<string, object> = {
    text: { text: 't' },
    secret: { secret: 's' },
    confirm: { confirmed: true },
    choose: { choice: 'a' },
    'choose-many': { choices: ['a'] },
    number: { number: 3 },
    date: { date: '2026-07-28' },
    form: { name: 'Ada' },
    file: { file: '/tmp/x' },
  }
  return {
    name: 'terminal',
    refuses: () => undefined,
    put: async (description) => {
      seen.push(description)
      const content = contents[description.kind]
      return { kind: 'answered', answer: content === undefined ? { action: 'accept' } : accept(content) }
    },
  }
}

test('[GEN-1] [GEN-2] every kind of ask can be yielded, and asks exactly what the `ask` method asks', async () => {
  const yieldedAsks: describeAsk.Description[] = []
  const plainAsks: describeAsk.Description[] = []
  const link = 'https://example.com/'
  const generator = interactive(
    yielding(function* ({ ask }) {
      return JSON.stringify([
        yield* ask.text('q', { minLength: 1 }),
        yield* ask.secret('q'),
        yield* ask.confirm('q'),
        yield* ask.choose('q', ['a', 'b']),
        yield* ask.chooseMany('q', ['a', 'b'], { max: 1 }),
        yield* ask.number('q', { min: 1 }),
        yield* ask.date('q'),
        yield* ask.form('q', { name: field.text() }),
        yield* ask.url('q', link),
        yield* ask.file('q'),
        yield* ask.approve('q', { n: 1 }),
      ])
    }),
    { name: 'tool' },
  )
  const plain = interactive(
    async ({ ask }) =>
      JSON.stringify([
        await ask.text('q', { minLength: 1 }),
        await ask.secret('q'),
        await ask.confirm('q'),
        await ask.choose('q', ['a', 'b']),
        await ask.chooseMany('q', ['a', 'b'], { max: 1 }),
        await ask.number('q', { min: 1 }),
        await ask.date('q'),
        await ask.form('q', { name: field.text() }),
        await ask.url('q', link),
        await ask.file('q'),
        await ask.approve('q', { n: 1 }),
      ]),
    { name: 'tool' },
  )

  const one = await generator(onSurface(answering(yieldedAsks)))
  const other = await plain(onSurface(answering(plainAsks)))

  expect(one).toEqual(other)
  expect(one.content[0]?.text).toBe('["t","s",true,"a",["a"],3,"2026-07-28",{"name":"Ada"},null,"/tmp/x",{"n":1}]')
  const questions = (all: describeAsk.Description[]) =>
    all.map(({ kind, question, options }) => ({ kind, question, options }))
  expect(questions(yieldedAsks)).toEqual(questions(plainAsks))
  expect(yieldedAsks).toHaveLength(11)
})

test('[GEN-4] yielding anything but an ask stops the tool, and the author’s own catch does not hide it', async () => {
  let cleanedUp = false
  const tool = interactive(
    // biome-ignore lint/suspicious/noExplicitAny: the mistake that the type checker would not allow
    yielding(function* (): any {
      try {
        yield 42
      } catch {
        return 'hidden'
      } finally {
        cleanedUp = true
      }
    }),
  )
  await expect(tool(onSurface(answering([])))).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringContaining('yield* ask.text'),
  })
  expect(cleanedUp).toBe(true)
})

test('[GEN-1] generators without a name are distinguished by their source text', () => {
  const one = yielding(function* ({ ask }) {
    return yield* ask.text('one')
  })
  const two = yielding(function* ({ ask }) {
    return yield* ask.text('two')
  })
  expect(String(one)).not.toBe(String(two))
})

test('[GEN-1] the types of arguments and answers follow, with both SDKs', () => {
  const server = new McpServer({ name: 's', version: '1' })
  server.registerTool(
    'deploy',
    { inputSchema: z.object({ env: z.string() }) },
    interactive(
      yielding(function* ({ env }, { ask, step, context }) {
        expectTypeOf(env).toEqualTypeOf<string>()
        expectTypeOf(context.mcpReq.method).toEqualTypeOf<string>()
        expectTypeOf(yield* ask.choose('?', ['a', 'b'])).toEqualTypeOf<'a' | 'b'>()
        expectTypeOf(yield* ask.chooseMany('?', { a: 'A' })).toEqualTypeOf<readonly 'a'[]>()
        expectTypeOf(yield* ask.number('?')).toEqualTypeOf<number>()
        expectTypeOf(yield* ask.form('?', { n: field.optional(field.number()) })).toEqualTypeOf<{
          readonly n?: number
        }>()
        expectTypeOf(yield* step('s', () => 7)).toEqualTypeOf<number>()
        // @ts-expect-error an approval has no fallback
        yield* ask.approve('?', {}, { fallback: true })
        return 'done'
      }),
    ),
  )
  const older = new McpServer1({ name: 's', version: '1' })
  older.registerTool(
    'deploy',
    { inputSchema: { env: z.string() } },
    interactive(
      yielding(async function* ({ env }, { ask }) {
        expectTypeOf(env).toEqualTypeOf<string>()
        return yield* ask.text('Name?')
      }),
      { server: older },
    ),
  )
  expect(server).toBeDefined()
})
