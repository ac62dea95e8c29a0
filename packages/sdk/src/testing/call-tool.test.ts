// What `callTool` finds before a real client does: differences between revisions, replays, round limits, wrong arguments.

import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import { callTool } from './call-tool.ts'
import { type ScriptedPerson, scriptedPerson } from './person.ts'

const assent = createAssent({ name: 'acme' })
const inputSchema = z.object({ env: z.string(), id: z.string().default(() => crypto.randomUUID()) })

test('[TESTING-4] a registered tool of either SDK is called on every revision, with the same script', async () => {
  for (const server of [new McpServer({ name: 's', version: '1' }), new McpServer1({ name: 's', version: '1' })]) {
    const tool = assent.tool(server, 'deploy', { inputSchema }, async ({ env }, { ask }) => {
      return `${env} ${await ask.text('Name?')}`
    })
    const person = scriptedPerson().accepts('Ada')
    expect((await callTool(tool, { env: 'test' }, { person, everyRevision: true })).text).toBe('test Ada')
  }
})

test('[TESTING-4] a result that depends on the revision fails the test, with both results', async () => {
  const tool = assent.interactive(
    async ({ ask, context }) => `${await ask.text('Name?')} ${'envelope' in (context as { mcpReq: object }).mcpReq}`,
    { name: 'tool' },
  )
  await expect(
    callTool(tool, undefined, { person: scriptedPerson().accepts('Ada'), everyRevision: true }),
  ).rejects.toThrow(/2025-11-25: .*Ada false.*\n.*2026-07-28: .*Ada true/)
})

const unasked = scriptedPerson()
const ada = scriptedPerson().accepts('Ada')
type Run = (isLatest: boolean, interaction: Interaction) => Promise<object | string>
test.each<[string, ScriptedPerson, Run]>([
  ['in its structured content', unasked, async (isLatest) => ({ content: [], structuredContent: { isLatest } })],
  ['in its error flag', unasked, async (isError) => ({ content: [{ type: 'text', text: 'x' }], isError })],
  ['in what it asks', ada, async (isLatest, { ask }) => ask.text(isLatest ? 'Your name?' : 'Name?')],
])('[TESTING-4] a tool that depends on the revision %s fails the test', async (_, person, run) => {
  const tool = assent.interactive<[], unknown, object>(
    (interaction) => run('envelope' in (interaction.context as { mcpReq: object }).mcpReq, interaction),
    { name: 'tool' },
  )
  await expect(callTool(tool, undefined, { person, everyRevision: true })).rejects.toThrow(
    'The tool does not give the same result on every revision.',
  )
})

test('[TESTING-4] an approval of a generated id is the same question', async () => {
  const server = new McpServer({ name: 's', version: '1' })
  const tool = assent.tool(server, 'deploy', { inputSchema }, async (args, { ask }) => {
    await ask.approve('Deploy', args)
    return 'done'
  })
  const person = scriptedPerson().approves()
  expect((await callTool(tool, { env: 'test' }, { person, everyRevision: true })).text).toBe('done')
})

test('[TESTING-8] a handler that does not repeat itself is named within the time of a test', async () => {
  let runs = 0
  const tool = createAssent({ log: false }).interactive(
    async ({ ask }) => {
      if (runs++ === 0) await ask.text('A?')
      return ask.text('B?')
    },
    { name: 'tool' },
  )
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const call = callTool(tool, undefined, { person: scriptedPerson().accepts('x').accepts('y') })
  const message = call.then(String, (error: Error) => error.message)
  while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(2_000)
  expect((await message).split('\n').filter((line) => /A\?" before|never asked/.test(line))).toEqual([
    expect.stringContaining('The tool ended with out_of_order: This handler asked "A?" before and asks "B?" now.'),
    'These were never asked for: accepts "y".',
  ])
})

test('[REG-4] large arguments do not change that a generated value is the same in every round', async () => {
  const server = new McpServer({ name: 's', version: '1' })
  const tool = assent.tool(server, 'deploy', { inputSchema }, async ({ env, id }, { ask, step }) => {
    const first = await step('first', () => id)
    await ask.confirm(`Use ${id}?`)
    return String(first === id && env.length)
  })
  const person = scriptedPerson().accepts(true)
  expect((await callTool(tool, { env: 'x'.repeat(20_000) }, { person })).text).toBe('20000')
})

test('[TESTING-7] only a tool of assent.tool may have a schema that generates a value, as in a server', async () => {
  const server = new McpServer({ name: 's', version: '1' })
  const { interactive } = createAssent({ log: false })
  const handler = interactive<[{ id: string }]>(async ({ id }, { ask }) => `${id} ${await ask.text('Name?')}`, {
    name: 'deploy',
  })
  const registered = server.registerTool('deploy', { inputSchema }, handler as never)
  for (const tool of [registered, handler]) {
    const call = callTool(tool, { env: 'test' }, { inputSchema, person: scriptedPerson().accepts('Ada') })
    expect((await call).refused).toBe('state_refused')
  }
})

test('[TESTING-7] each round gets its own copy of the arguments, as JSON', async () => {
  const server = new McpServer({ name: 's', version: '1' })
  const seen: unknown[] = []
  const tool = assent.tool(server, 'edit', { inputSchema: z.looseObject({}) }, async (args, { ask }) => {
    seen.push({ ...args })
    Object.assign(args, { changed: true })
    return ask.text('Name?')
  })
  await callTool(tool, { at: new Date(0) }, { person: scriptedPerson().accepts('Ada') })
  expect(seen).toEqual([{ at: '1970-01-01T00:00:00.000Z' }, { at: '1970-01-01T00:00:00.000Z' }])
})

test('[TESTING-5] replayAlways runs the handler again after every answer, also where several were asked at once', async () => {
  const runs = vi.fn()
  const tool = assent.interactive(
    async ({ ask }) => {
      runs()
      const { a, b, c } = await ask.all({ a: ask.text('A?'), b: ask.text('B?'), c: ask.text('C?') })
      return a + b + c
    },
    { name: 'tool' },
  )
  const person = scriptedPerson().accepts('1').accepts('2').accepts('3')
  expect(await callTool(tool, undefined, { person: person.again() })).toMatchObject({ text: '123', runs: 2 })
  expect(await callTool(tool, undefined, { person, replayAlways: true })).toMatchObject({ text: '123', runs: 4 })
})

function asking(times: number) {
  return assent.interactive(
    async ({ ask }) => {
      for (let index = 1; index <= times; index++) await ask.confirm(`Question ${index}?`)
      return 'done'
    },
    { name: 'tool' },
  )
}

function agreeing(times: number): ScriptedPerson {
  let person = scriptedPerson()
  for (let index = 0; index < times; index++) person = person.accepts(true)
  return person
}

test('[TESTING-6] more than ten rounds fail the test, as they fail with the official client', async () => {
  expect((await callTool(asking(10), undefined, { person: agreeing(10), replayAlways: true })).text).toBe('done')
  await expect(callTool(asking(11), undefined, { person: agreeing(11) })).rejects.toThrow('more than 10 rounds')
  expect((await callTool(asking(11), undefined, { person: agreeing(11), maxRounds: 11 })).text).toBe('done')
  expect((await callTool(asking(11), undefined, { person: agreeing(11), revision: '2025-11-25' })).text).toBe('done')
})

test('[TESTING-7] arguments are checked and parsed by the schema of the tool, or by the one that is given', async () => {
  const ran = vi.fn()
  const server = new McpServer({ name: 's', version: '1' })
  const tool = assent.tool(server, 'deploy', { inputSchema }, async ({ id }) => {
    ran()
    return String(id.length)
  })
  expect((await callTool(tool, { env: 'test' })).text).toBe('36')
  await expect(callTool(tool, { env: 7 })).rejects.toThrow(/do not fit the input schema of the tool\. env: /)
  const handler = assent.interactive<[{ env: string }]>(async ({ env }) => env, { name: 'plain' })
  await expect(callTool(handler, {}, { inputSchema })).rejects.toThrow('do not fit the input schema')
  expect(ran).toHaveBeenCalledTimes(1)
})
