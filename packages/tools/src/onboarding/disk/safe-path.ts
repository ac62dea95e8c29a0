// From a path in a plan to a place on disk, and never to one outside the repository.
//
// A plan is read back from a file that anybody could have changed, so every path is judged again where it is used. A
// folder that has become a symbolic link since is refused: what lies behind it is not what was approved.

import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { Stop } from '../stop.ts'

export function checkPath(path: string): string {
  const parts = path.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (isPlain && !path.includes('\0') && !path.includes('\\') && !/^[a-z]:/i.test(path)) return path
  throw new Stop(
    'UNSAFE_PATH',
    `${JSON.stringify(path)} is no path inside the repository. Nothing was changed.`,
    'Propose again.',
  )
}

/** The place, after every folder on the way was seen to be one. */
export async function placeIn(root: string, path: string): Promise<string> {
  const folders = checkPath(path).split('/').slice(0, -1)
  let place = root
  for (const folder of folders) {
    place = join(place, folder)
    const found = await statOf(place)
    if (found === undefined) continue
    if (!found.isDirectory()) {
      throw new Stop(
        'UNSAFE_PATH',
        `${path} cannot be reached: ${folder} is a link or a file, not a folder. Nothing was changed there.`,
        'Put the folder back as it was, or propose again.',
      )
    }
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
