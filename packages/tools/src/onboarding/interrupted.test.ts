// Processes that die in the middle, and processes that come together. The proof does the same at every point.

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Placed, place, treeDigest } from './fixtures/fixture.suite.ts'
import { monorepo } from './fixtures/repositories.corpus.ts'
import { runApart } from './killed.suite.ts'
import { rehearse } from './rehearsal.suite.ts'

let placed: Placed | undefined
afterEach(async () => {
  await placed?.remove()
  placed = undefined
})

async function approved(): Promise<string> {
  placed = await place(monorepo)
  for (const action of ['propose', 'approve'] as const) await rehearse({ root: placed.root, action })
  return placed.root
}

test.each(['backup listed', 'file 1 half written', 'file 2 changed', 'all files changed'])(
  '[ONBOARD-18] a migration killed at “%s” is explained by status and mended by rollback',
  async (killAt) => {
    const root = await approved()
    const before = await treeDigest(root)

    const killed = await runApart({ root, action: 'migrate', killAt })

    expect(killed.signal).toBe('SIGKILL')
    const status = await rehearse({ root, action: 'status' })
    if (killAt === 'backup listed') {
      expect(status.data).toMatchObject({ status: 'approved', interrupted: false })
    } else {
      expect(status.data.interrupted).toBe(true)
      expect(status.message).toMatch(/A migration was interrupted\. (No file has|All files have|The files are)/)
      expect((await rehearse({ root, action: 'migrate' })).code).toBe('INTERRUPTED')
      expect((await rehearse({ root, action: 'rollback' })).status).toBe('rolled_back')
    }
    expect(await treeDigest(root)).toBe(before)
  },
)

test('[ONBOARD-18] a rollback killed in the middle is finished by the next one', async () => {
  const root = await approved()
  const before = await treeDigest(root)
  await rehearse({ root, action: 'migrate' })
  expect((await runApart({ root, action: 'rollback', killAt: 'file 2 put back' })).signal).toBe('SIGKILL')

  expect((await rehearse({ root, action: 'status' })).message).toContain('A rollback was interrupted')
  expect((await rehearse({ root, action: 'rollback' })).status).toBe('rolled_back')
  expect(await treeDigest(root)).toBe(before)
})

test('[ONBOARD-18] a migration that fails in the middle is taken back at once', async () => {
  const root = await approved()
  const before = await treeDigest(root)
  const failed = await rehearse({
    root,
    action: 'migrate',
    reached: (point) => {
      if (point === 'file 2 changed') throw new Error('no space left on device')
    },
  })
  expect(failed.code).toBe('MIGRATION_FAILED')
  expect(failed.message).toContain('put back')
  expect(await treeDigest(root)).toBe(before)
  expect((await rehearse({ root, action: 'migrate' })).status).toBe('completed')
})

test('[ONBOARD-5] when the backup cannot be made, nothing is changed', async () => {
  const root = await approved()
  const before = await treeDigest(root)
  await writeFile(join(root, '.copilot-state/backup'), 'in the way')
  const failed = await rehearse({ root, action: 'migrate' })
  expect(failed.code).toBe('BACKUP_FAILED')
  expect(await treeDigest(root)).toBe(before)
})

/** What the others hear depends on how far the one was when they looked. */
const refusals = ['BUSY', 'CHANGED_SINCE_APPROVAL', 'CHANGED_WHILE_ASKING', 'NOT_APPROVED', 'INTERRUPTED']

test('[ONBOARD-17] of processes that migrate together exactly one does', async () => {
  const root = await approved()
  const beginAtMs = Date.now() + 4_000
  const ended = await Promise.all([1, 2, 3].map(() => runApart({ root, action: 'migrate', beginAtMs })))
  expect(ended.filter(({ status }) => status === 'completed')).toHaveLength(1)
  const others = ended.filter(({ status }) => status !== 'completed').map(({ code }) => code)
  for (const code of others) expect(refusals).toContain(code)
  expect((await rehearse({ root, action: 'rollback' })).status).toBe('rolled_back')
})

test('[ONBOARD-17] a claim of a process that lives, or of another machine, is respected; that of a dead one is not', async () => {
  placed = await place(monorepo)
  const { root } = placed
  const folder = join(root, '.copilot-state/locks')
  await mkdir(folder, { recursive: true })
  const claim = (more: object) =>
    JSON.stringify({
      pid: 1,
      host: hostname(),
      started: '',
      at: '2026-11-15T10:00:00.000Z',
      action: 'migrate',
      ...more,
    })

  await writeFile(join(folder, 'elsewhere.json'), claim({ host: 'another-machine' }))
  const busy = await rehearse({ root, action: 'analyze' })
  expect(busy.code).toBe('BUSY')
  expect(busy.message).toContain('another-machine')
  await writeFile(join(folder, 'elsewhere.json'), claim({ pid: process.pid }))
  expect((await rehearse({ root, action: 'analyze' })).code).toBe('BUSY')
  await writeFile(join(folder, 'elsewhere.json'), 'not a claim of ours')
  expect((await rehearse({ root, action: 'analyze' })).code).toBe('BUSY')

  // The same number, but a process that started at another time.
  await writeFile(join(folder, 'elsewhere.json'), claim({ pid: process.pid, started: '1' }))
  expect((await rehearse({ root, action: 'analyze' })).status).toBe('analyzed')
  await writeFile(join(folder, 'elsewhere.json'), claim({ pid: 2 ** 22 + 1 }))
  expect((await rehearse({ root, action: 'analyze' })).status).toBe('analyzed')
  expect(await readdir(folder)).toEqual([])
})
