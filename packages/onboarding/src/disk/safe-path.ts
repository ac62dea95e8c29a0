// Converts a path of a plan to a place on disk, never outside the repository or inside git's own folder.
//
// Every path is checked again where it is used. A folder that has become a symbolic link since is refused: what lies
// behind it is not what was approved.

import { lstat, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { refusal } from '../onboarding-error.ts'
import { refusals } from '../text/refusals.ts'

export function checkPath(path: string): string {
  const parts = path.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !isGitFolder(part))
  if (isPlain && !hasHiddenCharacter(path) && !path.includes('\\') && !/^[a-z]:/i.test(path)) return path
  throw refusal('UNSAFE_PATH', refusals.outside(path))
}

/** Control characters, joiners and the like: a path with them is not the path that a person sees. */
export function hasHiddenCharacter(path: string): boolean {
  return /[\p{C}\u2028\u2029]/u.test(path)
}

/** `.git` in every spelling that a file system may resolve to it: other case, trailing dots, streams, short names. */
export function isGitFolder(name: string): boolean {
  const folded = name
    .normalize('NFKC')
    .replaceAll(/[\p{C}]/gu, '')
    .toLowerCase()
  const [stem = ''] = folded.split(':')
  return /^(?:\.git|git~\d+)$/.test(stem.replace(/[. ]+$/, ''))
}

/** After a file was opened for writing and before it takes its place: no folder on the way has become a link. */
export async function checkFolder(place: string): Promise<void> {
  const folder = dirname(place)
  if ((await realpath(folder)) === folder) return
  throw refusal('UNSAFE_PATH', refusals.behindLink(folder))
}

/** The place on disk. Throws if a part of the way to it is not a folder. */
export async function placeIn(root: string, path: string): Promise<string> {
  const folders = checkPath(path).split('/').slice(0, -1)
  let place = root
  for (const folder of folders) {
    place = join(place, folder)
    const found = await statOf(place)
    if (found === undefined) continue
    if (!found.isDirectory()) throw refusal('UNSAFE_PATH', refusals.notAFolder(path, folder))
  }
  return join(root, path)
}

export async function statOf(place: string) {
  try {
    return await lstat(place)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOENT' || code === 'ENOTDIR'
}
