// Processes that are killed in the middle, and processes that start at once. proofs/onboarding does it at every point.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createRepository, type TestRepository, treeDigest } from './fixtures/fixture.suite.ts'
import { monorepo } from './fixtures/repositories.corpus.ts'
import { runAction } from './run-action.suite.ts'
import { runInProcess } from './run-in-process.suite.ts'

let placed: TestRepository | undefined
afterEach(async () => {
  await placed?.remove()
  placed = undefined
})

async function approved(): Promise<string> {
  placed = await createRepository(monorepo)
  for (const action of ['propose', 'approve'] as const) await runAction({ root: placed.root, action })
  return placed.root
}

test.each(['backup listed', 'file 1 half written', 'file 2 changed', 'all files changed'])(
  '[ONBOARD-18] a migration killed at “%s” is reported by status and repaired by rollback',
  async (killAt) => {
    const root = await approved()
    const before = await treeDigest(root)

    const killed = await runInProcess({ root, action: 'migrate', killAt })

    expect(killed.signal).toBe('SIGKILL')
    const status = await runAction({ root, action: 'status' })
    if (killAt === 'backup listed') {
      expect(status.data).toMatchObject({ status: 'approved', interrupted: false })
    } else {
      expect(status.data.interrupted).toBe(true)
      expect(status.message).toMatch(/A migration was interrupted\. (No file has|All files have|The files are)/)
      expect((await runAction({ root, action: 'migrate' })).code).toBe('INTERRUPTED')
      expect((await runAction({ root, action: 'rollback' })).status).toBe('rolled_back')
    }
    expect(await treeDigest(root)).toBe(before)
  },
)

test('[ONBOARD-9] a question that is open when the process ends leaves a trace without a response', async () => {
  placed = await createRepository(monorepo)
  const { root } = placed
  await runAction({ root, action: 'propose' })

  expect((await runInProcess({ root, action: 'approve', killAt: 'question traced' })).signal).toBe('SIGKILL')

  const folder = join(root, '.copilot-state/elicitation-traces')
  const [name = '', ...others] = await readdir(folder)
  expect(others).toEqual([])
  const trace = JSON.parse(await readFile(join(folder, name), 'utf8'))
  expect(trace).toMatchObject({ action: 'approve', response: null, duration_ms: null })
  expect(trace.message).not.toBe('')
  expect((await runAction({ root, action: 'status' })).data).toMatchObject({ status: 'proposed' })
  expect((await runAction({ root, action: 'approve' })).status).toBe('approved')
  expect(JSON.parse(await readFile(join(folder, name), 'utf8'))).toEqual(trace)
})

test('[ONBOARD-18] a rollback killed in the middle is finished by the next one', async () => {
  const root = await approved()
  const before = await treeDigest(root)
  await runAction({ root, action: 'migrate' })
  expect((await runInProcess({ root, action: 'rollback', killAt: 'file 2 put back' })).signal).toBe('SIGKILL')

  expect((await runAction({ root, action: 'status' })).message).toContain('A rollback was interrupted')
  expect((await runAction({ root, action: 'rollback' })).status).toBe('rolled_back')
  expect(await treeDigest(root)).toBe(before)
})

test('[ONBOARD-18] a migration that fails in the middle is rolled back at once', async () => {
  const root = await approved()
  const before = await treeDigest(root)
  const failed = await runAction({
    root,
    action: 'migrate',
    reached: (point) => {
      if (point === 'file 2 changed') throw new Error('no space left on device')
    },
  })
  expect(failed.code).toBe('MIGRATION_FAILED')
  expect(failed.message).toContain('Everything it had changed was restored.')
  expect(await treeDigest(root)).toBe(before)
  expect((await runAction({ root, action: 'migrate' })).status).toBe('completed')
})

test('[ONBOARD-5] when the backup cannot be made, nothing is changed', async () => {
  const root = await approved()
  const before = await treeDigest(root)
  await writeFile(join(root, '.copilot-state/backup'), 'in the way')
  const failed = await runAction({ root, action: 'migrate' })
  expect(failed.code).toBe('BACKUP_FAILED')
  expect(await treeDigest(root)).toBe(before)
})

/** The error of the others depends on how far the first process was when they checked. */
const refusals = ['BUSY', 'CHANGED_SINCE_APPROVAL', 'CHANGED_WHILE_ASKING', 'NOT_APPROVED', 'INTERRUPTED']

test('[ONBOARD-17] of several processes that migrate at once, exactly one succeeds', async () => {
  const root = await approved()
  const migrate = (beginAtMs: number) => runInProcess({ root, action: 'migrate', beginAtMs })
  const together = (at: number) => Promise.all([migrate(at), migrate(at), migrate(at)])
  let ended = await together(Date.now() + 4_000)
  // On a slow disk they may all give up because of each other. Then nothing was done, and they try again.
  while (ended.every(({ code }) => code === 'BUSY')) ended = await together(Date.now() + 4_000)
  expect(ended.filter(({ status }) => status === 'completed')).toHaveLength(1)
  const others = ended.filter(({ status }) => status !== 'completed').map(({ code }) => code)
  for (const code of others) expect(refusals).toContain(code)
  expect((await runAction({ root, action: 'rollback' })).status).toBe('rolled_back')
})

test('[ONBOARD-17] the lock of a running process, or of another machine, is respected; that of a dead one is not', async () => {
  placed = await createRepository(monorepo)
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
  const busy = await runAction({ root, action: 'analyze' })
  expect(busy.code).toBe('BUSY')
  expect(busy.message).toContain('another-machine')
  await writeFile(join(folder, 'elsewhere.json'), claim({ pid: process.pid }))
  expect((await runAction({ root, action: 'analyze' })).code).toBe('BUSY')
  await writeFile(join(folder, 'elsewhere.json'), 'not a claim of ours')
  expect((await runAction({ root, action: 'analyze' })).code).toBe('BUSY')

  // The same number, but a process that started at another time.
  await writeFile(join(folder, 'elsewhere.json'), claim({ pid: process.pid, started: '1' }))
  expect((await runAction({ root, action: 'analyze' })).status).toBe('analyzed')
  await writeFile(join(folder, 'elsewhere.json'), claim({ pid: 2 ** 22 + 1 }))
  expect((await runAction({ root, action: 'analyze' })).status).toBe('analyzed')
  expect(await readdir(folder)).toEqual([])
})
