// Arguments that a person edits before they approve them, checked with the input schema of the tool.

import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { approved } from './approved.ts'
import { createAssent } from './assent.ts'
import type { Interaction } from './interaction.ts'
import { callTool } from './testing/call-tool.ts'
import { type ScriptedPerson, scriptedPerson } from './testing/person.ts'

const assent = createAssent({ name: 'files' })
const person = scriptedPerson
const info = { name: 'files', version: '1.0.0' }
const schema = z.object({ path: z.string().startsWith('/tmp/').trim(), count: z.int().max(5).default(1) })
type Removal = z.infer<typeof schema>
type Handler = (given: Removal, interaction: Interaction) => Promise<string>

const servers = [
  ['SDK 2', () => new McpServer(info)],
  ['SDK 1', () => new McpServer1(info) as unknown as McpServer],
] as const

describe.each(servers)('%s', (_, newServer) => {
  function call(handler: Handler, who: ScriptedPerson, given: object = { path: '/tmp/a' }) {
    const tool = assent.tool(newServer(), 'remove', { inputSchema: schema }, handler)
    return callTool(tool, given, { person: who, everyRevision: true })
  }

  test('[APPROVED-4] a value that the input schema does not accept is asked for again with the reason', async () => {
    const ran = vi.fn()
    const handler: Handler = async (given, { gate }) => {
      const action = { title: 'Remove', arguments: given, editable: ['path', 'count'] }
      const { value } = await gate(action, (allowed) => {
        ran(allowed)
        return JSON.stringify(allowed)
      })
      return value
    }
    const who = person()
      .accepts({ path: '/etc/passwd', count: 1 })
      .accepts({ path: '/tmp/b', count: 6 }, { asked: /not accepted: path: .*\/tmp\// })
      .accepts({ path: '/tmp/b ', count: 5 }, { asked: /not accepted: count: / })
      .approves()
    // As the schema returns it: without the space.
    expect(JSON.parse((await call(handler, who)).text)).toEqual({ path: '/tmp/b', count: 5 })
    const never = person().accepts({ path: '/a', count: 1 }).accepts({ path: '/b', count: 1 })
    const refused = await call(handler, never.accepts({ path: '/c', count: 1 }))
    expect(refused.refused).toBe('validation_failed')
    expect(ran).not.toHaveBeenCalledWith(expect.objectContaining({ path: expect.not.stringMatching(/^\/tmp\//) }))
  })

  test('[APPROVED-4] the same holds for ask.approve and for approved()', async () => {
    const who = () =>
      person().accepts({ path: '/etc' }).accepts({ path: '/tmp/b' }, { asked: 'not accepted' }).approves()
    const editable = ['path'] as const
    const asking: Handler = async (given, { ask }) => (await ask.approve('Remove', given, { editable })).path
    expect((await call(asking, who())).text).toBe('/tmp/b')
    const whole = approved(async ({ path }: Removal) => path, { title: 'Remove', editable })
    expect((await call(whole, who())).text).toBe('/tmp/b')
  })

  test('[APPROVED-4] an argument of the action that is not the tool’s is limited by its form only', async () => {
    const handler: Handler = async ({ path }, { ask }) => {
      const action = { path: `${path}/old`, note: '' }
      return JSON.stringify(await ask.approve('Remove', action, { editable: ['path', 'note'] }))
    }
    const { text } = await call(handler, person().accepts({ path: '/var', note: 'x' }).approves())
    expect(JSON.parse(text)).toEqual({ path: '/var', note: 'x' })
  })
})

test('[APPROVED-4] an argument that the schema converts is not checked again, and does not prevent other edits', async () => {
  const converting = z.object({ size: z.string().transform(Number), path: z.string().startsWith('/tmp/') })
  const handler = async (given: z.infer<typeof converting>, { ask }: Interaction) =>
    JSON.stringify(await ask.approve('Remove', given, { editable: ['size', 'path'] }))
  for (const [, newServer] of servers) {
    const tool = assent.tool(newServer(), 'remove', { inputSchema: converting }, handler)
    const who = person().accepts({ size: 2, path: '/etc' }).accepts({ size: 2, path: '/tmp/b' }, { asked: 'path: ' })
    const { text } = await callTool(
      tool,
      { size: '1', path: '/tmp/a' },
      { person: who.approves(), everyRevision: true },
    )
    expect(JSON.parse(text)).toEqual({ size: 2, path: '/tmp/b' })
  }
})

test('[APPROVED-4] an argument that the schema converts to a value without JSON can be edited as what the action has', async () => {
  const toDate = (text: string) => new Date(text)
  const dated = z.object({
    when: z.iso.datetime().transform(toDate),
    // Not sent, so nothing tells that its type changes.
    until: z.iso.datetime().default('2026-12-01T00:00:00Z').transform(toDate),
  })
  const handler = async ({ when, until }: z.infer<typeof dated>, { ask }: Interaction) => {
    const action = { when: when.toISOString(), until: until.toISOString() }
    return JSON.stringify(await ask.approve('Book', action, { editable: ['when', 'until'] }))
  }
  const edited = { when: '2026-11-02T00:00:00.000Z', until: '2026-11-03T00:00:00.000Z' }
  for (const [, newServer] of servers) {
    const tool = assent.tool(newServer(), 'book', { inputSchema: dated }, handler)
    const who = person().accepts(edited).approves()
    const { text } = await callTool(tool, { when: '2026-11-01T00:00:00Z' }, { person: who, everyRevision: true })
    expect(JSON.parse(text)).toEqual(edited)
  }
})

test('[APPROVED-4] a handler outside of assent.tool can pass its schema, and a rule between arguments holds', async () => {
  const ordered = z
    .object({ from: z.number(), to: z.number() })
    .refine(({ from, to }) => from < to, 'from is not before to')
  const tool = assent.interactive<[z.infer<typeof ordered>]>(
    async (given, { ask }) => JSON.stringify(await ask.approve('Move', given, { editable: ['from'] })),
    { name: 'move', inputSchema: ordered },
  )
  const who = person().accepts({ from: 9 }).accepts({ from: 1 }, { asked: 'from is not before to' }).approves()
  const { text } = await callTool(tool, { from: 0, to: 5 }, { person: who, everyRevision: true })
  expect(JSON.parse(text)).toEqual({ from: 1, to: 5 })
})
