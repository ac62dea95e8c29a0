// Restores files, byte for byte, from a backup that was verified first.
//
// It can be interrupted at any point and run again: a restored file is not touched again. Changes made after the
// migration are copied into the backup before they are replaced, so nothing is lost.

import { rm } from 'node:fs/promises'
import { removeDurably, stagedName, writeDurably } from '../disk/durable.ts'
import { isAs, look, type Seen } from '../disk/look.ts'
import { placeIn } from '../disk/safe-path.ts'
import { type OnboardingError, refusal } from '../onboarding-error.ts'
import { checkAllWritable } from '../plan/writable.ts'
import type { Site } from '../site.ts'
import { backupFolder, folderFor, writeOurs } from '../state/folder.ts'
import { refusals } from '../text/refusals.ts'
import { type Backup, copiedBytes } from './backup.ts'

/** Which files of a tree have the old version, the new one, or another. */
export interface Standing {
  readonly old: readonly string[]
  readonly new: readonly string[]
  /** Neither: changed by others since. */
  readonly other: readonly string[]
}

export async function standingOf(site: Site, { manifest }: Backup): Promise<Standing> {
  const standing = { old: [] as string[], new: [] as string[], other: [] as string[] }
  for (const { path, before, after } of manifest.files) {
    const seen = await look(site.root, path)
    standing[isAs(seen, before) ? 'old' : isAs(seen, after) ? 'new' : 'other'].push(path)
  }
  return standing
}

export interface Restored {
  readonly restored: readonly string[]
  /** By path: the copy of the content that was replaced. */
  readonly displaced: Readonly<Record<string, string>>
}

/** `which` decides about files that are neither as before nor as the migration left them. */
export async function restore(site: Site, { manifest }: Backup, which: 'all' | 'ours'): Promise<Restored> {
  const { id, files } = manifest
  checkAllWritable(files)
  const restored: string[] = []
  const displaced: Record<string, string> = {}
  for (const [index, { path, before, after }] of files.entries()) {
    await rm(stagedName(await placeIn(site.root, path), id), { force: true })
    const seen = await look(site.root, path)
    if (isAs(seen, before)) continue
    if (!isAs(seen, after)) {
      if (which === 'ours') continue
      if (seen.is === 'other') throw inTheWay(path)
      if (seen.is === 'file') displaced[path] = await keep(site, id, index, seen)
    }
    await putBack(site, id, index, path, before)
    restored.push(path)
    site.reached(`file ${index + 1} put back`)
  }
  if (which === 'all') {
    for (const { path, before } of files) if (!isAs(await look(site.root, path), before)) throw inTheWay(path)
  }
  return { restored, displaced }
}

async function putBack(
  site: Site,
  id: string,
  index: number,
  path: string,
  before: { readonly digest: string; readonly mode: number } | null,
): Promise<void> {
  if (before === null) {
    await removeDurably(await placeIn(site.root, path))
    return
  }
  const bytes = await copiedBytes(site, id, index, before.digest)
  const place = await folderFor(site, path)
  const seen = await look(site.root, path)
  const owner = seen.is === 'file' ? { owner: { uid: seen.uid, gid: seen.gid } } : {}
  await writeDurably({ place, bytes, mode: before.mode, ...owner }, id)
}

async function keep(site: Site, id: string, index: number, seen: Extract<Seen, { is: 'file' }>): Promise<string> {
  const path = `${backupFolder(site, id)}/${index}.displaced-${site.newId()}`
  await writeOurs(site, path, seen.bytes)
  site.reached(`file ${index + 1} set aside`)
  return path
}

function inTheWay(path: string): OnboardingError {
  return refusal('UNSAFE_PATH', refusals.inTheWay(path))
}
