// Where the client of this process works: the project's folder and the branch that is checked out there.
//
// Read from git's files, without running git, because it is read for every question.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { AskCaller } from '@assent/core'
import { workTreeOf } from '@assent/tools/work-tree'

const readBytes = 1_024

export function workplaceOf(folder: string): Pick<AskCaller, 'folder' | 'branch'> {
  try {
    const root = workTreeOf(folder)
    const branch = root === undefined ? undefined : branchIn(root)
    return { folder: basename(root ?? folder), ...(branch === undefined ? {} : { branch }) }
  } catch {
    // The folder may have been deleted or be unreadable. It is only shown.
    return { folder: basename(folder) }
  }
}

/** Undefined while no branch is checked out. */
function branchIn(root: string): string | undefined {
  const git = join(root, '.git')
  // In a linked work tree, `.git` is a file with the path of its folder.
  const place = statSync(git).isDirectory() ? git : /^gitdir: (.+)$/m.exec(beginningOf(git))?.[1]
  if (place === undefined) return undefined
  return /^ref: refs\/heads\/(.+)$/m.exec(beginningOf(join(resolve(root, place), 'HEAD')))?.[1]
}

function beginningOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(readBytes)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, readBytes, 0))
  } finally {
    closeSync(file)
  }
}
