// The commit that a recorded run belongs to. A figure is evidence only if others can check out the code that was measured.
//
// Changes in docs/ are allowed: no measurement reads them, and a recorded run itself writes there.
import { execFileSync } from 'node:child_process'

export type RecordedCommit =
  | { readonly ok: true; readonly commit: string }
  | { readonly ok: false; readonly problem: string }

export function recordedCommit(folder: string): RecordedCommit {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim()
  try {
    const commit = git('rev-parse', '--short=8', 'HEAD')
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':(top,exclude)docs')
    if (changed === '') return { ok: true, commit }
    return { ok: false, problem: `Commit these changes first, or run without --record:\n${changed}` }
  } catch {
    return { ok: false, problem: 'A run can be recorded only in a git checkout with a commit.' }
  }
}
