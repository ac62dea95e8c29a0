// The working tree that a folder belongs to: the nearest folder, from there upwards, that holds `.git`.
//
// Unlike git, it ignores `core.worktree`: the repository itself contains this setting, and it could make us write files
// anywhere.

import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Undefined when the folder is in no repository. */
export function workTreeOf(folder: string): string | undefined {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return at
    if (at === dirname(at)) return undefined
  }
}
