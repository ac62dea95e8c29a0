// Where `assent init` may write: in the place that it announced, by real paths.
//
// A repository can hold links that lead anywhere, so that a file of its own by name is one of the user's in fact. In a
// repository the target must be inside the repository and not in git's own folder; for the user it must be inside their home or
// a folder that they set for the client.

import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { appFolder, type Machine, xdgConfig } from './machine.ts'

export type Target =
  /** `path`: where the file really is, or would be made. */
  | { readonly ok: true; readonly path: string; readonly isLink: boolean }
  | { readonly ok: false; readonly because: string }

/** @param root the repository that it is written for; null or undefined for the user's own configuration */
export function targetOf(file: string, root: string | null | undefined, machine: Machine): Target {
  const path = realPathOf(file)
  if (path === undefined) return { ok: false, because: 'it is, or lies behind, a link that leads nowhere' }
  const isOfProject = root !== null && root !== undefined && isInside(file, root)
  const bases = (isOfProject ? [root] : userFolders(machine)).flatMap((base) => realPathOf(base) ?? [])
  const isAllowed = bases.some((base) => isInside(path, base))
  if (!isAllowed) {
    const announced = isOfProject ? `the repository ${root}` : 'your home folder'
    return { ok: false, because: `it really is ${path}, outside ${announced}` }
  }
  if (isOfProject && bases.some((base) => isInGit(relative(base, path)))) {
    return { ok: false, because: `it really is ${path}, in git's own folder` }
  }
  return {
    ok: true,
    path,
    isLink: path !== file && !isSameBehindBases(file, path, isOfProject ? [root] : userFolders(machine)),
  }
}

function userFolders(machine: Machine): string[] {
  const { home, variables } = machine
  const named = [variables.CLAUDE_CONFIG_DIR, variables.CODEX_HOME].flatMap((folder) => folder || [])
  return [home, xdgConfig(machine), appFolder(machine), ...named]
}

/** The real path of what is there, or of what would be made there; undefined behind a link that leads nowhere. */
function realPathOf(file: string): string | undefined {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    try {
      return realpathSync(file)
    } catch {
      // A link without a target, or a loop of links.
      return undefined
    }
  }
  if (file === dirname(file)) return file
  const folder = realPathOf(dirname(file))
  return folder === undefined ? undefined : join(folder, basename(file))
}

/** Only the folder that it was announced for is behind a link, as a home on another disk is: nothing to tell. */
function isSameBehindBases(file: string, path: string, bases: readonly string[]): boolean {
  return bases.some((base) => {
    const real = realPathOf(base)
    return real !== undefined && isInside(file, base) && join(real, relative(base, file)) === path
  })
}

function isInGit(path: string): boolean {
  return path.split(sep).some((part) => part.toLowerCase() === '.git')
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
