// Bytes that are there or not there after a power cut, and never half.
//
// Written beside the place, synced, renamed over it, and the folder synced: the order is what makes it hold.

import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { checkFolder } from './safe-path.ts'

export interface Written {
  readonly place: string
  readonly bytes: Buffer
  readonly mode: number
  /** Whose the file is, when it is to stay theirs. */
  readonly owner?: { readonly uid: number; readonly gid: number }
}

/** The name of a file that is still being written; ours to remove if we died over it. */
export function stagedName(place: string, id: string): string {
  return join(dirname(place), `.${basename(place)}.assent-${id}.tmp`)
}

/** Writes the bytes beside the place. Nothing has changed for anybody yet. */
export async function stage(
  { place, bytes, mode, owner }: Written,
  id: string,
  reached: (point: string) => void,
): Promise<string> {
  const staged = stagedName(place, id)
  await rm(staged, { force: true })
  // Made only where nothing is, which also follows no link.
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

/** The staged bytes take the place of what was there, in one step. */
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
