// A folder with an exported log (c2sp.org/tlog-tiles). Files are read with a limit, and written whole or not at all.
//
// The files contain ids, kinds, times and digests, no questions and no answers. They are meant to be copied or served, so other
// accounts may read them, unless the umask or the mode of the folder prevents it.

import { randomBytes } from 'node:crypto'
import { constants, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** More than the largest valid file: a longer one is refused, and not read to its end. */
const readBytes = 262_144
const fileMode = 0o644
const folderMode = 0o755

export const checkpointFile = 'checkpoint'

/** The beginning of a file below the folder; undefined if there is none. Anything else than a regular file is none. */
export async function readLogFile(folder: string, path: string): Promise<Uint8Array | undefined> {
  const handle = await opened(join(folder, path))
  if (handle === undefined) return undefined
  try {
    if (!(await handle.stat()).isFile()) return undefined
    const bytes = Buffer.alloc(readBytes)
    let length = 0
    while (length < readBytes) {
      const { bytesRead } = await handle.read(bytes, length, readBytes - length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    await handle.close()
  }
}

/** Replaces a file in one step, after its content is on the disk. */
export async function writeLogFile(folder: string, path: string, content: string | Uint8Array): Promise<void> {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true, mode: folderMode })
  const draft = join(folder, `.${randomBytes(6).toString('hex')}.new`)
  try {
    const handle = await open(draft, 'wx', fileMode)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Whether an export may begin here: nothing is there, or an export that was interrupted before its first checkpoint. */
export async function isFreeForLog(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: folderMode })
  const names = await readdir(folder)
  return names.every((name) => name === 'tile' || /^\.[0-9a-f]{12}\.new$/.test(name))
}

async function opened(file: string) {
  try {
    // Without O_NONBLOCK, a named pipe in the folder would be waited for. Windows has neither.
    return await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // ENXIO: a socket.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENXIO') return undefined
    throw error
  }
}
