// The whole scenario on every repository, through real clients of both generations.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { generations, type Person } from '../../../test-kit/mcp/in-memory.ts'
import { treeDigest } from './fixtures/fixture.suite.ts'
import { allRepositories } from './fixtures/repositories.corpus.ts'
import { acceptAll, createTestEnv, type TestEnv } from './test-env.suite.ts'

let env: TestEnv | undefined
afterEach(async () => {
  await env?.remove()
  env = undefined
})

const withoutPlan = new Set(['none at all'])

describe.each(generations)('on %s', (generation) => {
  test.each(allRepositories().filter(({ name }) => !withoutPlan.has(name)))(
    '[ONBOARD-1] [ONBOARD-8] a repository with $name is analysed, planned, approved, migrated and rolled back byte for byte',
    async (fixture) => {
      env = await createTestEnv(fixture, { generation, person: acceptAll })
      const { root, call } = env
      const before = await treeDigest(root)

      expect((await call('status')).data.status).toBe('not_started')
      expect((await call('analyze')).data.status).toBe('analyzed')
      const proposed = await call('propose')
      expect(proposed.data.status).toBe('proposed')
      expect(await treeDigest(root)).toBe(before)
      expect((await call('approve')).data.status).toBe('approved')
      expect(await treeDigest(root)).toBe(before)

      const migrated = await call('migrate')
      expect(migrated.data.status, migrated.text).toBe('completed')
      const after = await treeDigest(root)
      expect(after).not.toBe(before)
      expect(await leftovers(root)).toEqual([])
      const again = await call('propose', { preview: true })
      expect(again.data.edits).toEqual([])

      const back = await call('rollback')
      expect(back.data.status, back.text).toBe('rolled_back')
      expect(await treeDigest(root)).toBe(before)
      expect(await leftovers(root)).toEqual([])
      expect(env.caller.shown).toHaveLength(3)
    },
  )

  test('[ONBOARD-2] if there is nothing to move, nothing is proposed and no person is asked', async () => {
    const none = allRepositories().find(({ name }) => name === 'none at all')
    if (none === undefined) throw new Error('no such repository')
    env = await createTestEnv(none, { generation, person: acceptAll })
    const before = await treeDigest(env.root)

    expect((await env.call('analyze')).data).toMatchObject({ status: 'analyzed', pattern: 'clean' })
    expect((await env.call('propose')).data).toMatchObject({ status: 'analyzed', edits: [] })
    expect((await env.call('approve')).data).toMatchObject({ status: 'error', error: { code: 'NOT_PROPOSED' } })

    expect(env.caller.shown).toHaveLength(0)
    expect(await treeDigest(env.root)).toBe(before)
  })

  test('[ONBOARD-9] while a question is open, its trace has no response', async () => {
    const [fixture] = allRepositories()
    if (fixture === undefined) throw new Error('no repository')
    const open: { response: unknown }[] = []
    const person: Person = async (question) => {
      const folder = join(env?.root ?? '', '.copilot-state/elicitation-traces')
      for (const name of await readdir(folder)) open.push(JSON.parse(await readFile(join(folder, name), 'utf8')))
      return acceptAll(question)
    }
    env = await createTestEnv(fixture, { generation, person })
    for (const action of ['propose', 'approve']) await env.call(action)

    expect(open).toMatchObject([{ action: 'approve', response: null, duration_ms: null }])
    expect(open).toMatchObject([{ message: env.caller.shown[0]?.message }])
    expect(await readdir(join(env.root, '.copilot-state/elicitation-traces'))).toHaveLength(1)
  })

  test('[ONBOARD-9] every ask writes a trace with the question and the answer', async () => {
    const [fixture] = allRepositories()
    if (fixture === undefined) throw new Error('no repository')
    env = await createTestEnv(fixture, { generation, person: acceptAll })
    for (const action of ['propose', 'approve', 'migrate', 'rollback']) await env.call(action)

    const folder = join(env.root, '.copilot-state/elicitation-traces')
    const names = (await readdir(folder)).sort()
    expect(names.map((name) => name.replace(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-/, ''))).toEqual([
      'approve.json',
      'migrate.json',
      'rollback.json',
    ])
    const trace = JSON.parse(await readFile(join(folder, names[1] as string), 'utf8'))
    expect(Object.keys(trace).sort()).toEqual(['action', 'duration_ms', 'message', 'response', 'schema', 'timestamp'])
    expect(trace).toMatchObject({
      action: 'migrate',
      message: env.caller.shown[1]?.message,
      schema: { required: ['confirmed', 'understood_risks'] },
      response: { action: 'accept', content: { confirmed: true, understood_risks: true } },
    })
    expect(names[1]).toBe(`${trace.timestamp.replace(/[:.]/g, '-')}-migrate.json`)
    expect(trace.duration_ms).toBeGreaterThanOrEqual(0)
  })
})

/** Temporary files and lock files that were not removed. */
async function leftovers(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true })
  return names.filter((name) => name.endsWith('.tmp') || /locks\/.+/.test(name))
}
