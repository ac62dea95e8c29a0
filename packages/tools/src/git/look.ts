// The current state of a repository: its head, what is not committed, and what was committed since.
//
// It writes nothing, not even git's own index. What cannot be read is reported as unknown, never guessed.

import { compact } from '@assent/core'
import { toolLimits } from '../limits.ts'
import { gitProblems } from '../text/git-findings.ts'
import { type Git, gitIn } from './run-git.ts'
import { workTreeOf } from './work-tree.ts'

export interface Commit {
  readonly id: string
  readonly message: string
}

export type Look =
  | { readonly kind: 'unseen'; readonly why: string }
  | {
      readonly kind: 'seen'
      readonly root: string
      /** Absent in a repository without commits. */
      readonly head?: Commit
      /** What is not committed: the first few by name, and how many there are. */
      readonly changed: readonly string[]
      readonly changedCount: number
      /** Commits since the one that was asked about, the newest first; absent when that commit no longer exists. */
      readonly since?: readonly Commit[]
    }

const commitId = /^[0-9a-f]{40}([0-9a-f]{24})?$/

export interface Looking {
  /** The commit that the phase began at; empty when there was none yet. */
  readonly since?: string | undefined
  /** A folder of the repository whose files do not count as changes: plans are written during the work. */
  readonly besides?: string
}

export async function look(folder: string, { since, besides }: Looking = {}): Promise<Look> {
  const root = workTreeOf(folder)
  if (root === undefined) return unseen(gitProblems.noRepository)
  const plain = gitIn(folder, root)
  if (typeof plain === 'string') return unseen(plain)
  const filters = await ownFilters(plain)
  if (!Array.isArray(filters)) return unseen(filters)
  const git = gitIn(folder, root, filters)
  if (typeof git === 'string') return unseen(git)

  const found = await git('rev-parse', '--git-dir')
  if (!found.ok) return unseen(found.code === 128 ? gitProblems.noRepository : found.why)
  const status = await git(
    ...['status', '--porcelain=v1', '-z', '--untracked-files=normal', '--ignore-submodules=all', '--no-renames'],
    ...(besides === undefined ? [] : ['--', ':/', `:(top,exclude,literal)${besides}`]),
  )
  if (!status.ok) return unseen(status.why)
  const head = await commits(git, 'HEAD', 1)
  const changed = status.text.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(3)]))
  const [newest] = head ?? []
  return {
    kind: 'seen',
    root,
    ...compact({ head: newest }),
    changed: changed.slice(0, toolLimits.filesShown).map((path) => path.slice(0, toolLimits.pathChars)),
    changedCount: changed.length,
    ...(await sinceThen(git, since, newest)),
  }
}

/** Of these commits, the ones in the history of the commit that is checked out. Returns the reason when git cannot be read. */
export async function inHistory(root: string, ids: readonly string[]): Promise<ReadonlySet<string> | string> {
  const git = gitIn(root, root)
  if (typeof git === 'string') return git
  const found = new Set<string>()
  for (const id of new Set(ids)) {
    if (!commitId.test(id)) continue
    const run = await git('merge-base', '--is-ancestor', id, 'HEAD')
    if (run.ok) found.add(id)
    // 1: it is not in the history. 128: the commit does not exist, or there is none yet.
    else if (run.code !== 1 && run.code !== 128) return run.why
  }
  return found
}

async function sinceThen(git: Git, since: string | undefined, head: Commit | undefined): Promise<{ since?: Commit[] }> {
  if (since === undefined) return {}
  if (head === undefined) return { since: [] }
  if (since !== '' && !commitId.test(since)) return {}
  const found = await commits(git, since === '' ? 'HEAD' : `${since}..HEAD`, toolLimits.commits)
  return found === undefined ? {} : { since: found }
}

/** Undefined when git does not have the object. */
async function commits(git: Git, range: string, most: number): Promise<Commit[] | undefined> {
  const logged = await git(
    'log',
    '-z',
    `--max-count=${most}`,
    '--no-show-signature',
    '--no-color',
    '--no-decorate',
    '--no-notes',
    '--no-patch',
    '--format=%H%n%B',
    range,
    '--',
  )
  if (!logged.ok) return undefined
  return logged.text.split('\0').flatMap((entry) => {
    const at = entry.indexOf('\n')
    if (at < 0) return []
    return [{ id: entry.slice(0, at), message: entry.slice(at + 1, at + 1 + toolLimits.commitMessageChars).trim() }]
  })
}

/**
 * Settings that switch off the filters which the repository configures for itself: to compare a changed file, git would
 * run them. A filter of the user's own, such as git-lfs, stays; without it unchanged files would look changed.
 */
async function ownFilters(git: Git): Promise<string[] | string> {
  const listed = await git('config', '--null', '--show-scope', '--name-only', '--get-regexp', '^filter\\.')
  // 1: there are none. 128: no repository, which the next command reports as text.
  if (!listed.ok) return listed.code === 1 || listed.code === 128 ? [] : listed.why
  const parts = listed.text.split('\0')
  const names: string[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope, name = ''] = [parts[at], parts[at + 1]]
    if (scope === 'local' || scope === 'worktree') names.push(name)
  }
  const drivers = new Set(names.map((name) => name.slice(0, name.lastIndexOf('.'))))
  // `-c` ends a name at the first "=", so a filter with "=" in its name cannot be switched off.
  if (names.some((name) => /[=\n]/.test(name))) return gitProblems.filters
  return [...drivers].flatMap((driver) => [
    `${driver}.clean=`,
    `${driver}.smudge=`,
    `${driver}.process=`,
    `${driver}.required=false`,
  ])
}

function unseen(why: string): Look {
  return { kind: 'unseen', why }
}
