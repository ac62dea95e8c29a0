// A copy of every file that will change, read back and compared before the first file changes. The manifest is
// authenticated, so that a forged one in a cloned repository restores nothing.

import { digestOf } from '@assent/core'
import { z } from 'zod'
import { bytesDigest } from '../disk/bytes-digest.ts'
import { look, mustBe } from '../disk/look.ts'
import { errorMessage, type OnboardingError, refusal } from '../onboarding-error.ts'
import type { Edit } from '../plan/plan.ts'
import { checkAllWritable } from '../plan/writable.ts'
import type { Site } from '../site.ts'
import { backupFolder, readOurs, writeOurs, writeOursAsJson } from '../state/folder.ts'
import { isMacOf, macOf } from '../state/mac.ts'
import { reasons, refusals } from '../text/refusals.ts'

const sideSchema = z.strictObject({ digest: z.string(), mode: z.int().min(0).max(0o7777) }).nullable()
const manifestSchema = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  files: z.array(z.strictObject({ path: z.string(), before: sideSchema, after: sideSchema })),
})
const savedSchema = manifestSchema.extend({ mac: z.string() })
export type Manifest = z.output<typeof manifestSchema>
export type BackedUp = Manifest['files'][number]

export interface Backup {
  readonly manifest: Manifest
  readonly digest: string
}

export async function makeBackup(site: Site, id: string, edits: readonly Edit[]): Promise<Backup> {
  const files: BackedUp[] = []
  for (const [index, { path, before, after }] of edits.entries()) {
    const seen = await look(site.root, path)
    mustBe(seen, before, path)
    if (seen.is === 'file') await writeOurs(site, copyOf(site, id, index), seen.bytes)
    files.push({ path, before: sideOf(before), after: sideOf(after) })
    site.reached(`backup of file ${index + 1}`)
  }
  const manifest: Manifest = { version: 1, id, files }
  const digest = manifestDigest(manifest)
  await writeOursAsJson(site, manifestOf(site, id), { ...manifest, mac: macOf(site, 'backup', digest) })
  site.reached('backup listed')
  const backup = await readBackup(site, id, digest)
  site.reached('backup verified')
  return backup
}

/** Reads the backup, after authenticating its manifest and comparing every copy with its digest. */
export async function readBackup(site: Site, id: string, digest: string): Promise<Backup> {
  const manifest = await readManifest(site, id)
  if (manifest.id !== id || manifestDigest(manifest) !== digest) throw damaged(reasons.backup.otherManifest)
  checkAllWritable(manifest.files)
  for (const [index, { path, before }] of manifest.files.entries()) {
    if (before === null) continue
    const copy = await readOurs(site, copyOf(site, id, index))
    if (copy === undefined || bytesDigest(copy) !== before.digest) throw damaged(reasons.backup.damagedCopy(path))
  }
  return { manifest, digest }
}

export async function copiedBytes(site: Site, id: string, index: number, expected: string): Promise<Buffer> {
  const copy = await readOurs(site, copyOf(site, id, index))
  if (copy === undefined || bytesDigest(copy) !== expected) throw damaged(reasons.backup.changedCopy)
  return copy
}

async function readManifest(site: Site, id: string): Promise<Manifest> {
  const bytes = await readOurs(site, manifestOf(site, id))
  if (bytes === undefined) throw damaged(reasons.backup.noManifest)
  try {
    const { mac, ...manifest } = savedSchema.parse(JSON.parse(bytes.toString('utf8')))
    if (isMacOf(site, 'backup', manifestDigest(manifest), mac)) return manifest
  } catch (error) {
    throw damaged(errorMessage(error))
  }
  throw damaged(reasons.backup.foreign)
}

function manifestDigest(manifest: Manifest): string {
  return digestOf('onboarding backup v1', manifest)
}

function sideOf(side: { readonly digest: string; readonly mode: number } | null): BackedUp['before'] {
  return side === null ? null : { digest: side.digest, mode: side.mode }
}

function copyOf(site: Site, id: string, index: number): string {
  return `${backupFolder(site, id)}/${index}.before`
}

function manifestOf(site: Site, id: string): string {
  return `${backupFolder(site, id)}/manifest.json`
}

function damaged(why: string): OnboardingError {
  return refusal('BACKUP_DAMAGED', refusals.badBackup(why))
}
