// Finds the git program in PATH, but never one inside the project: npx adds folders of the project to PATH, and a
// project can contain any program.

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
    // Most folders in PATH do not contain git.
    return false
  }
}

/** Compares real paths, so that a link into the folder counts as inside. */
export function isInside(path: string, folder: string): boolean {
  const [inner, outer] = [realpathSync(path), realpathSync(folder)]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)
}
