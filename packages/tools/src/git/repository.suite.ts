// A temporary git repository for one test.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Repository {
  readonly folder: string
  git(...words: string[]): string
  write(file: string, text: string): void
  /** Commits all changes and returns the commit's id. */
  commit(message: string): string
  remove(): void
}

const who = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}

export function aFolder(): { folder: string; remove: () => void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'assent-tools-')))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export function aRepository(): Repository {
  const { folder, remove } = aFolder()
  const git = (...words: string[]) =>
    execFileSync('git', words, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...who },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  git('init', '-q', '-b', 'main')
  return {
    folder,
    git,
    remove,
    write: (file, text) => writeFileSync(join(folder, file), text),
    commit: (message) => {
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '-m', message)
      return git('rev-parse', 'HEAD')
    },
  }
}
