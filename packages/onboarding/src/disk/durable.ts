// Durable writes: after a power cut a file has either all of its new bytes or none of them.
//
// The bytes are written to a temporary file next to the target and synced; then the file is renamed over the target and
// the folder is synced. This order makes the write durable.

import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { checkFolder } from './safe-path.ts'

export interface Written {
  readonly place: string
  readonly bytes: Buffer
  readonly mode: number
  /** The owner of the file that is replaced, so that it stays the same. */
  readonly owner?: { readonly uid: number; readonly gid: number }
}

/** The name of a file that is still being written; removed later if the process died. */
export function stagedName(place: string, id: string): string {
  return join(dirname(place), `.${basename(place)}.assent-${id}.tmp`)
}

/** Writes the bytes to a temporary file next to the target. The target has not changed yet. */
export async function stage(
  { place, bytes, mode, owner }: Written,
  id: string,
  reached: (point: string) => void,
): Promise<string> {
  const staged = stagedName(place, id)
  await rm(staged, { force: true })
  // `wx` fails if anything is at the path, so a link is never followed.
  const handle = await open(staged, 'wx', 0o600)
  try {
    await checkFolder(place)
    const half = Math.floor(bytes.length / 2)
    await writeAll(handle, bytes.subarray(0, half))
    reached('half written')
    await writeAll(handle, bytes.subarray(half))
    await handle.chmod(mode)
    if (owner !== undefined) await own(handle, owner)
    await handle.sync()
  } finally {
    await handle.close()
  }
  return staged
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let from = 0
  while (from < bytes.length) from += (await handle.write(bytes, from, bytes.length - from)).bytesWritten
}

async function own(handle: FileHandle, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  const made = await handle.stat()
  if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid)
}

/** Replaces the target with the staged file in one step. */
export async function settle(staged: string, place: string): Promise<void> {
  await checkFolder(place)
  await rename(staged, place)
  await syncFolder(dirname(place))
}

export async function writeDurably(written: Written, id: string): Promise<void> {
  await settle(await stage(written, id, () => undefined), written.place)
}

export async function removeDurably(place: string): Promise<void> {
  await checkFolder(place)
  await rm(place)
  await syncFolder(dirname(place))
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder to sync it, and has no need to.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
