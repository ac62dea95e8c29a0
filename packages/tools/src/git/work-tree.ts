// The working tree that a folder belongs to: the nearest folder, from there upwards, that holds `.git`.
//
// Git itself would also obey `core.worktree`, a setting that the repository brings along: files would then be written
// wherever it points.

import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Undefined when the folder is in no repository. */
export function workTreeOf(folder: string): string | undefined {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return at
    if (at === dirname(at)) return undefined
  }
}
