// What `callTool` finds before a real client does: differences between revisions, replays, round limits, wrong arguments.

import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer } from '@modelcontextprotocol/server'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAssent } from '../assent.ts'
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
