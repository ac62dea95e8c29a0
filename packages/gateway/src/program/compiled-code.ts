// Keeps the compiled code of this program between starts: the client that starts it waits for the first response.
//
// In our own folder, which only this user can write: Node's default is the system's folder for temporary files, where another
// user could prepare code for us.

import { mkdirSync, statSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { homeFolder } from '@assent/tools/home'

/** Late, so that it delays no response; a client may kill this process instead of ending it. */
const writeAfterMs = 10_000

/**
 * Nothing is kept before the first start, when the folder does not exist, or if another user can write in it.
 * `NODE_DISABLE_COMPILE_CACHE=1` switches it off.
 */
export function keepCompiledCode(variables: NodeJS.ProcessEnv): void {
  const home = homeFolder(variables)
  if (!isOwn(home)) return
  const folder = join(home, 'compiled')
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true })
  } catch {
    // Read-only, or a file has this name: the program starts without it.
    return
  }
  if (!isOwn(folder)) return
  const { directory } = enableCompileCache(folder)
  if (directory !== undefined) setTimeout(flushCompileCache, writeAfterMs).unref()
}

/** A folder that belongs to this user and that no other user can write. Windows protects a profile by itself. */
function isOwn(folder: string): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat?.isDirectory() !== true) return false
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0)
}
