// The migration itself: all new files are written next to the old ones, then each replaces the old one in one step.
//
// Until the first rename nothing visible has changed. Between the first and the last rename the tree is a mix of old
// and new files: the state records that, and the backup can restore it.

import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { removeDurably, settle, stage } from '../disk/durable.ts'
import { look, mustBe } from '../disk/look.ts'
import { placeIn } from '../disk/safe-path.ts'
import { errorMessage, refusal } from '../onboarding-error.ts'
import type { Edit } from '../plan/plan.ts'
import { checkAllWritable } from '../plan/writable.ts'
import type { Site } from '../site.ts'
import { refusals } from '../text/refusals.ts'

/** Before anything is written: every file is as it was approved, and every folder can be written to. */
export async function checkBeforehand({ root }: Site, edits: readonly Edit[]): Promise<void> {
  checkAllWritable(edits)
  for (const { path, before } of edits) {
    mustBe(await look(root, path), before, path)
    const folder = dirname(await placeIn(root, path))
    try {
      await access(folder, constants.W_OK | constants.X_OK)
    } catch (error) {
      throw refusal('NOT_WRITABLE', refusals.notWritable(path, errorMessage(error)))
    }
  }
}

export async function applyEdits(site: Site, id: string, edits: readonly Edit[]): Promise<void> {
  const { root, reached } = site
  checkAllWritable(edits)
  const staged = new Map<string, string>()
  for (const [index, { path, after }] of edits.entries()) {
    if (after === null) continue
    const place = await placeIn(root, path)
    const seen = await look(root, path)
    const owner = seen.is === 'file' ? { owner: { uid: seen.uid, gid: seen.gid } } : {}
    const bytes = Buffer.from(after.text, 'utf8')
    const written = { place, bytes, mode: after.mode, ...owner }
    staged.set(path, await stage(written, id, (point) => reached(`file ${index + 1} ${point}`)))
    reached(`file ${index + 1} staged`)
  }
  for (const [index, { path, before }] of edits.entries()) {
    const place = await placeIn(root, path)
    // Checked again as late as possible, so that a change saved a moment ago is not overwritten.
    mustBe(await look(root, path), before, path)
    const ready = staged.get(path)
    if (ready === undefined) await removeDurably(place)
    else await settle(ready, place)
    reached(`file ${index + 1} changed`)
  }
  for (const { path, after } of edits) mustBe(await look(root, path), after, path)
  reached('all files changed')
}
