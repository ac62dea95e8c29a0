// The folder and branch that a question shows.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../../../test-kit/remove-folder.ts'
import { workplaceOf } from './workplace.ts'

function aFolder(name: string): string {
  const parent = mkdtempSync(join(tmpdir(), 'assent-workplace-'))
  onTestFinished(() => removeFolder(parent))
  const folder = join(parent, name)
  mkdirSync(folder)
  return folder
}

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    stdio: 'ignore',
  })
}

test('[INBOX-21] the project is the folder of the repository, with the branch that is checked out now', () => {
  const folder = aFolder('notes-service')
  git(folder, 'init', '-b', 'main')
  mkdirSync(join(folder, 'src'))
  expect(workplaceOf(join(folder, 'src'))).toEqual({ folder: 'notes-service', branch: 'main' })

  git(folder, 'commit', '--allow-empty', '-m', 'first')
  git(folder, 'switch', '-c', 'feat/search')
  expect(workplaceOf(folder)).toEqual({ folder: 'notes-service', branch: 'feat/search' })

  git(folder, 'switch', '--detach')
  expect(workplaceOf(folder)).toEqual({ folder: 'notes-service' })

  const linked = join(folder, '..', 'linked')
  git(folder, 'worktree', 'add', '-b', 'fix', linked)
  expect(workplaceOf(linked)).toEqual({ folder: 'linked', branch: 'fix' })
})

test('[INBOX-21] without a repository, or with a broken one, the folder is shown alone', () => {
  const folder = aFolder('plain')
  expect(workplaceOf(folder)).toEqual({ folder: 'plain' })
  writeFileSync(join(folder, '.git'), 'gitdir: nowhere\n')
  expect(workplaceOf(folder)).toEqual({ folder: 'plain' })
  expect(workplaceOf(join(folder, 'gone'))).toEqual({ folder: 'gone' })
})
