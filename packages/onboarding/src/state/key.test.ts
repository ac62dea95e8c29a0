// The key that authenticates onboarding's files: outside the repository, for this user alone, or nothing is done.

import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRepository, type TestRepository, treeDigest } from '../fixtures/fixture.suite.ts'
import { monorepo } from '../fixtures/repositories.corpus.ts'
import { runAction } from '../run-action.suite.ts'
import { installationIn } from './key.ts'

let placed: TestRepository
beforeEach(async () => {
  placed = await createRepository(monorepo)
})
afterEach(() => placed.remove())

test('[ONBOARD-23] the key is made once, in a private folder, readable by the user alone, and outside the repository', async () => {
  const { root, home } = placed
  const made = await Promise.all([1, 2, 3, 4].map(() => installationIn(home, root)))

  expect(new Set(made.map(({ key }) => key.toString('hex'))).size).toBe(1)
  expect(made[0]?.key.length).toBe(32)
  expect(statSync(home).mode & 0o777).toBe(0o700)
  expect(statSync(join(home, 'onboarding.key')).mode & 0o777).toBe(0o600)
  expect(readdirSync(home)).toEqual(['onboarding.key'])
})

test('[ONBOARD-23] no file in the repository holds the key', async () => {
  const { root, home } = placed
  for (const action of ['propose', 'approve', 'migrate'] as const) await runAction({ root, action })
  const key = readFileSync(join(home, 'onboarding.key'))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(root, path)).isFile(),
  )
  for (const form of [key, Buffer.from(key.toString('hex')), Buffer.from(key.toString('base64url'))]) {
    for (const path of files) expect(readFileSync(join(root, path)).includes(form), path).toBe(false)
  }
})

test.each<[string, (home: string) => string | undefined]>([
  ['a home inside the repository', () => join(placed.root, '.assent')],
  [
    'a home that leads into the repository',
    (home) => {
      symlinkSync(placed.root, home)
      return undefined
    },
  ],
  ['a home that is a file', (home) => void writeFileSync(home, '')],
  [
    'a home that every user may write to',
    (home) => {
      mkdirSync(home)
      chmodSync(home, 0o777)
      return undefined
    },
  ],
  ['a key that others may read', (home) => keyIn(home, Buffer.alloc(32), 0o644)],
  ['a key of another length', (home) => keyIn(home, Buffer.alloc(31), 0o600)],
  [
    'a key that is a link',
    (home) => {
      mkdirSync(home, { mode: 0o700 })
      writeFileSync(join(dirname(home), 'key'), Buffer.alloc(32), { mode: 0o600 })
      symlinkSync(join(dirname(home), 'key'), join(home, 'onboarding.key'))
      return undefined
    },
  ],
])('[ONBOARD-23] with %s every action is refused, and nothing is written', async (_, prepare) => {
  const { root, home } = placed
  const where = prepare(home) ?? home
  const before = await treeDigest(root, ['.assent'])

  for (const action of ['status', 'analyze', 'propose', 'approve', 'migrate', 'rollback', 'skip'] as const) {
    const { code, message } = await runAction({ root, action, home: where })
    expect(code).toBe('NO_KEY')
    expect(message).toContain('Nothing was done')
  }
  expect(await treeDigest(root, ['.assent'])).toBe(before)
})

function keyIn(home: string, bytes: Buffer, mode: number): undefined {
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'onboarding.key'), bytes, { mode })
}
