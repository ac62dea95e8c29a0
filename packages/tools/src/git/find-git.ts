// Which program is git. Not one that the project brings along: npx puts folders of the project into PATH, and a project
// can hold anything.

import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'

export function findGit(folder: string, variables: NodeJS.ProcessEnv = process.env): string | undefined {
  const name = process.platform === 'win32' ? 'git.exe' : 'git'
  for (const place of (variables.PATH ?? variables.Path ?? '').split(delimiter)) {
    if (!isAbsolute(place) || place.includes(`${sep}node_modules${sep}`)) continue
    const file = join(place, name)
    if (mayRun(file) && !isInside(file, folder)) return file
  }
  return undefined
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    // Not there, which is the usual case for all folders but one.
    return false
  }
}

/** By their real places, so that a link into the project is inside it. */
export function isInside(path: string, folder: string): boolean {
  const [inner, outer] = [realpathSync(path), realpathSync(folder)]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)
}
