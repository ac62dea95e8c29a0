// A copy of everything that will change, read back and compared before the first byte of it does. Its list is authenticated:
// a list that came with the repository restores nothing.

import { digestOf } from '@assent/core'
import { z } from 'zod'
import { bytesDigest } from '../files/bytes-digest.ts'
import type { Edit } from '../plan/plan.ts'
import { checkAllWritable } from '../plan/writable.ts'
import type { Site } from '../site.ts'
import { backupFolder, readOurs, writeOurs, writeOursAsJson } from '../state/folder.ts'
import { isMacOf, macOf } from '../state/mac.ts'
import { Stop, wordsOf } from '../stop.ts'
import { look, mustBe } from './look.ts'

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

/** The backup, after its list was authenticated and every copy was compared with what it should be. */
export async function readBackup(site: Site, id: string, digest: string): Promise<Backup> {
  const manifest = await readManifest(site, id)
  if (manifest.id !== id || manifestDigest(manifest) !== digest) throw damaged('its list is not the one that was made')
  checkAllWritable(manifest.files)
  for (const [index, { path, before }] of manifest.files.entries()) {
    if (before === null) continue
    const copy = await readOurs(site, copyOf(site, id, index))
    if (copy === undefined || bytesDigest(copy) !== before.digest) throw damaged(`the copy of ${path} is not whole`)
  }
  return { manifest, digest }
}

export async function copiedBytes(site: Site, id: string, index: number, expected: string): Promise<Buffer> {
  const copy = await readOurs(site, copyOf(site, id, index))
  if (copy === undefined || bytesDigest(copy) !== expected) throw damaged('a copy changed while it was read')
  return copy
}

async function readManifest(site: Site, id: string): Promise<Manifest> {
  const bytes = await readOurs(site, manifestOf(site, id))
  if (bytes === undefined) throw damaged('its list is gone')
  try {
    const { mac, ...manifest } = savedSchema.parse(JSON.parse(bytes.toString('utf8')))
    if (isMacOf(site, 'backup', manifestDigest(manifest), mac)) return manifest
  } catch (error) {
    throw damaged(wordsOf(error))
  }
  throw damaged('its list was not written by this Assent installation')
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

function damaged(why: string): Stop {
  return new Stop(
    'BACKUP_DAMAGED',
    `The backup cannot be used: ${why}. No file was changed.`,
    'Restore the state folder from version control or from another backup, then call again.',
  )
}
