// Where `assent init` may write, checked by real path.
//
// A repository can contain symbolic links to any file of the user. In project scope the target must be inside the
// repository and outside `.git`; in user scope it must be inside the home folder or a folder that the user configured
// for the client.

import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { appFolder, type Machine, xdgConfig } from './machine.ts'
import { targetText } from './text/files.ts'

export type ConfigTarget =
  /** `path`: the real path of the file, or where it would be created. */
  | { readonly ok: true; readonly path: string; readonly isLink: boolean }
  | { readonly ok: false; readonly because: string }

/** @param root the repository; null or undefined for the user's configuration */
export function targetOf(file: string, root: string | null | undefined, machine: Machine): ConfigTarget {
  const path = realPathOf(file)
  if (path === undefined) return { ok: false, because: targetText.brokenLink }
  const isOfProject = root !== null && root !== undefined && isInside(file, root)
  const bases = (isOfProject ? [root] : userFolders(machine)).flatMap((base) => realPathOf(base) ?? [])
  const isAllowed = bases.some((base) => isInside(path, base))
  if (!isAllowed) {
    const allowedFolder = isOfProject ? targetText.repository(root) : targetText.home
    return { ok: false, because: targetText.outside(path, allowedFolder) }
  }
  if (isOfProject && bases.some((base) => isInGit(relative(base, path)))) {
    return { ok: false, because: targetText.inGit(path) }
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

/** The real path of the file, or of where it would be created; undefined for a broken link. */
function realPathOf(file: string): string | undefined {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    try {
      return realpathSync(file)
    } catch {
      // A broken link, or a loop of links.
      return undefined
    }
  }
  if (file === dirname(file)) return file
  const folder = realPathOf(dirname(file))
  return folder === undefined ? undefined : join(folder, basename(file))
}

/** Whether only the base folder is behind a link, such as a home on another disk: that is not reported. */
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
