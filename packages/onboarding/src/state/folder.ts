// The state folder in the repository: its layout, and how its files are read and written.

import { mkdir } from 'node:fs/promises'
import { dirname, relative, sep } from 'node:path'
import { writeDurably } from '../disk/durable.ts'
import { readRegular } from '../disk/read-regular.ts'
import { checkPath, placeIn } from '../disk/safe-path.ts'
import { onboardingLimits } from '../limits.ts'
import { type OnboardingError, refusal } from '../onboarding-error.ts'
import type { Site } from '../site.ts'
import { reasons, refusals } from '../text/refusals.ts'

export const names = {
  state: 'onboarding.json',
  plan: 'proposal.json',
  diff: 'proposal.diff',
  locks: 'locks',
  backup: 'backup',
  traces: 'elicitation-traces',
} as const

/** The path of a file in the state folder, from the root. */
export function ours({ stateFolder }: Site, ...parts: readonly string[]): string {
  return [checkPath(stateFolder), ...parts].join('/')
}

/** Creates the folder for this file; refuses links on the way. */
export async function folderFor(site: Site, path: string): Promise<string> {
  return (await createFolderFor(site, path)).place
}

/** `created`: how many folders above the file did not exist. */
export async function createFolderFor(site: Site, path: string): Promise<{ place: string; created: number }> {
  const place = await placeIn(site.root, path)
  const first = await mkdir(dirname(place), { recursive: true })
  const created = first === undefined ? 0 : relative(first, place).split(sep).length
  return { place: await placeIn(site.root, path), created }
}

export async function writeOurs(site: Site, path: string, content: string | Buffer): Promise<void> {
  const place = await folderFor(site, path)
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
  await writeDurably({ place, bytes, mode: 0o644 }, site.newId())
}

export async function writeOursAsJson(site: Site, path: string, value: unknown): Promise<void> {
  await writeOurs(site, path, `${JSON.stringify(value, null, 2)}\n`)
}

/** Undefined when there is none. */
export async function readOurs(site: Site, path: string): Promise<Buffer | undefined> {
  const read = await readRegular(await placeIn(site.root, path), onboardingLimits.stateBytes)
  if (read === 'other') throw damaged(path, reasons.state.notRegular)
  return read?.bytes
}

export function damaged(path: string, why: string): OnboardingError {
  return refusal('STATE_DAMAGED', refusals.damagedState(path, why))
}

export function backupFolder(site: Site, id: string): string {
  return ours(site, names.backup, checkPath(id))
}
