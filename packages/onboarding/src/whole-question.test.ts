// Everything that a person decides about is shown to them, in one question or in several, or they are not asked.

import { askLimits, visibleText } from '@assent/core'
import { afterEach, describe, expect, test } from 'vitest'
import { generations, type Person, type Shown } from '../../../test-kit/mcp/in-memory.ts'
import { type Fixture, treeDigest } from './fixtures/fixture.suite.ts'
import { acceptAll, createTestEnv, type TestEnv } from './test-env.suite.ts'

let env: TestEnv | undefined
afterEach(async () => {
  await env?.remove()
  env = undefined
})

/** Folders with a CLAUDE.md each: two files change in every one. */
function folders(count: number, rule: (n: number) => string): Fixture {
  const files = Array.from({ length: count }, (_, n) => [
    `packages/p${n}/CLAUDE.md`,
    `# Package ${n}\n\n## Style\n\n- ${rule(n)}\n`,
  ])
  return { name: 'many folders', files: Object.fromEntries(files) }
}

const many = folders(30, (n) => `Name the variables of package ${n} in the way that ${'everybody '.repeat(12)}does.`)

function lineOf(shown: readonly Shown[], words: string): boolean {
  return shown.some(({ message }) => message.includes(words))
}

const isText = (shown: Shown) => Object.values(shown.requestedSchema.properties).some(({ type }) => type === 'string')

describe.each(generations)('on %s', (generation) => {
  test('[ONBOARD-22] approve and migrate show every file and every line of its diff, in as many questions as that takes', async () => {
    env = await createTestEnv(many, { generation, person: acceptAll })
    const proposed = await env.call('propose')
    const edits = proposed.data.edits as { path: string }[]
    expect(edits.length).toBe(60)
    const changed = (proposed.data.diff as string).split('\n').filter((line) => /^[+-]/.test(line))

    for (const [action, status] of [
      ['approve', 'approved'],
      ['migrate', 'completed'],
    ] as const) {
      const from = env.caller.shown.length
      expect((await env.call(action)).data.status).toBe(status)
      const shown = env.caller.shown.slice(from)
      expect(shown.length).toBeGreaterThan(2)
      for (const { path } of edits) expect(lineOf(shown, `+++ b/${path}`) || lineOf(shown, `--- a/${path}`)).toBe(true)
      for (const line of changed) expect(lineOf(shown, line), line).toBe(true)
      for (const { message } of shown) {
        expect(visibleText(message, 'web', { maxChars: Number.POSITIVE_INFINITY }).length).toBeLessThan(
          askLimits.messageChars,
        )
        expect(message).not.toMatch(/and [\d,]+ more/)
      }
      expect(shown.map(({ message }) => /^Part (\d+) of (\d+)/m.exec(message)?.[1]).slice(0, -1)).toEqual(
        shown.slice(0, -1).map((_, index) => String(index + 1)),
      )
      // One box for text at most, and only where the decision is made.
      expect(shown.slice(0, -1).some(isText)).toBe(false)
    }
    const from = env.caller.shown.length
    expect((await env.call('rollback')).data.status).toBe('rolled_back')
    const listed = env.caller.shown.slice(from)
    for (const { path } of edits) expect(lineOf(listed, `${path}: unchanged since the migration`)).toBe(true)
  })

  test.each([0, 1, 2])('[ONBOARD-22] a no to one of the parts is a no to the whole: part %i', async (part) => {
    let asked = 0
    const person: Person = (shown) => {
      const content = asked++ === part ? { approved: false } : { approved: true }
      return shown.requestedSchema.properties.understood_risks ? acceptAll(shown) : { action: 'accept', content }
    }
    env = await createTestEnv(many, { generation, person })
    const before = await treeDigest(env.root)
    await env.call('propose')

    expect((await env.call('approve')).data.status).toBe('declined')

    expect(asked).toBe(part + 1)
    expect((await env.call('status')).data.status).toBe('rejected')
    expect((await env.call('migrate')).data).toMatchObject({ error: { code: 'NOT_APPROVED' } })
    expect(await treeDigest(env.root)).toBe(before)
  })

  test('[ONBOARD-22] a decline and a dismissal of a part end the migration, and each question leaves a trace', async () => {
    let asked = 0
    const answers = [{ action: 'accept', content: { confirmed: true } }, { action: 'decline' }]
    const person: Person = (shown) =>
      'approved' in shown.requestedSchema.properties ? acceptAll(shown) : answers[asked++]
    env = await createTestEnv(many, { generation, person })
    const before = await treeDigest(env.root)
    await env.call('propose')
    await env.call('approve')

    expect((await env.call('migrate')).data.status).toBe('declined')
    expect(await treeDigest(env.root)).toBe(before)
    expect((await env.call('status')).data.status).toBe('approved')
    const { readdir } = await import('node:fs/promises')
    const traces = await readdir(`${env.root}/.copilot-state/elicitation-traces`)
    expect(traces.filter((name) => name.endsWith('-migrate.json'))).toHaveLength(2)
  })

  test('[ONBOARD-22] text that reads like a request for a secret is shown, without a text box', async () => {
    const asking = folders(1, () => 'Enter your GitHub password and your API key below, then type the token.')
    env = await createTestEnv(asking, { generation, person: acceptAll })
    await env.call('propose')

    expect((await env.call('approve')).data.status).toBe('approved')

    const [first, last] = env.caller.shown
    expect(first?.message).toContain('+- Enter your GitHub password and your API key below')
    expect(Object.keys(first?.requestedSchema.properties ?? {})).toEqual(['approved'])
    expect(Object.keys(last?.requestedSchema.properties ?? {})).toEqual(['approved', 'comment'])
    expect((await env.call('migrate')).data.status).toBe('completed')
  })

  test('[ONBOARD-22] invisible characters are drawn, and their length hides no line', async () => {
    const hidden = folders(1, () => `Rule ${'\u200B\u202E'.repeat(700)} end of the rule.`)
    env = await createTestEnv(hidden, { generation, person: acceptAll })
    await env.call('propose')
    expect((await env.call('approve')).data.status).toBe('approved')

    const { shown } = env.caller
    expect(shown.length).toBeGreaterThan(1)
    for (const { message } of shown) expect(visibleText(message, 'web')).not.toMatch(/more characters?⟩/)
    expect(lineOf(shown, 'end of the rule.')).toBe(true)
  })

  test('[ONBOARD-22] a plan that needs too many questions is refused before a person is asked, with advice', async () => {
    env = await createTestEnv(
      folders(60, (n) => `Rule ${n}: ${'word '.repeat(300)}`),
      { generation, person: acceptAll },
    )
    await env.call('propose')
    const refused = await env.call('approve')
    expect(refused.data).toMatchObject({ status: 'error', error: { code: 'TOO_MUCH_TO_SHOW' } })
    expect(refused.text).toContain('shorten or move the longest instruction files')
    expect(env.caller.shown).toHaveLength(0)
  })

  test.each(['decline', 'cancel'])(
    '[ONBOARD-22] the message for the agent after a %s has no escaped line break',
    async (action) => {
      env = await createTestEnv(many, { generation, person: () => ({ action }) })
      await env.call('propose')
      const { text, data } = await env.call('approve')
      expect(data.status).toBe(action === 'decline' ? 'declined' : 'canceled')
      expect(text).not.toContain('U+000A')
    },
  )
})
