// The whole scenario on every repository, through real clients of both generations.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { generations } from '../stage.suite.ts'
import { treeDigest } from './fixtures/fixture.suite.ts'
import { allRepositories } from './fixtures/repositories.corpus.ts'
import { agreeing, type Stage, staged } from './stage.suite.ts'

let stage: Stage | undefined
afterEach(async () => {
  await stage?.remove()
  stage = undefined
})

const unstructuredOrNone = new Set(['none at all'])

describe.each(generations)('on %s', (generation) => {
  test.each(allRepositories().filter(({ name }) => !unstructuredOrNone.has(name)))(
    '[ONBOARD-1] [ONBOARD-8] a repository with $name is analysed, planned, approved, migrated and rolled back byte for byte',
    async (fixture) => {
      stage = await staged(fixture, { generation, person: agreeing })
      const { root, call } = stage
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
      expect(stage.caller.shown).toHaveLength(3)
    },
  )

  test('[ONBOARD-2] where there is nothing to move, nothing is proposed and nobody is asked', async () => {
    const none = allRepositories().find(({ name }) => name === 'none at all')
    if (none === undefined) throw new Error('no such repository')
    stage = await staged(none, { generation, person: agreeing })
    const before = await treeDigest(stage.root)

    expect((await stage.call('analyze')).data).toMatchObject({ status: 'analyzed', pattern: 'clean' })
    expect((await stage.call('propose')).data).toMatchObject({ status: 'analyzed', edits: [] })
    expect((await stage.call('approve')).data).toMatchObject({ status: 'error', error: { code: 'NOT_PROPOSED' } })

    expect(stage.caller.shown).toHaveLength(0)
    expect(await treeDigest(stage.root)).toBe(before)
  })

  test('[ONBOARD-9] every ask leaves a trace with what was asked and what came back', async () => {
    const [fixture] = allRepositories()
    if (fixture === undefined) throw new Error('no repository')
    stage = await staged(fixture, { generation, person: agreeing })
    for (const action of ['propose', 'approve', 'migrate', 'rollback']) await stage.call(action)

    const folder = join(stage.root, '.copilot-state/elicitation-traces')
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
      message: stage.caller.shown[1]?.message,
      schema: { required: ['confirmed', 'understood_risks'] },
      response: { action: 'accept', content: { confirmed: true, understood_risks: true } },
    })
    expect(names[1]).toBe(`${trace.timestamp.replace(/[:.]/g, '-')}-migrate.json`)
    expect(trace.duration_ms).toBeGreaterThanOrEqual(0)
  })
})

/** Files that are still being written, and claims that are still laid. */
async function leftovers(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true })
  return names.filter((name) => name.endsWith('.tmp') || /locks\/.+/.test(name))
}
