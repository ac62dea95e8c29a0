// The migration itself: all new files are written beside the old ones, then each takes its place in one step.
//
// Until the first rename nothing has changed for anybody. Between the first and the last the tree is part old, part new:
// the journal says so, and the backup can put it back.

import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Edit } from '../plan/plan.ts'
import { checkAllWritable } from '../plan/writable.ts'
import type { Site } from '../site.ts'
import { Stop, wordsOf } from '../stop.ts'
import { removeDurably, settle, stage } from './durable.ts'
import { look, mustBe } from './look.ts'
import { placeIn } from './safe-path.ts'

/** Before anything is written: every file is as it was approved, and every folder can be written to. */
export async function checkBeforehand({ root }: Site, edits: readonly Edit[]): Promise<void> {
  checkAllWritable(edits)
  for (const { path, before } of edits) {
    mustBe(await look(root, path), before, path)
    const folder = dirname(await placeIn(root, path))
    try {
      await access(folder, constants.W_OK | constants.X_OK)
    } catch (error) {
      throw new Stop(
        'NOT_WRITABLE',
        `The folder of ${path} cannot be written to (${wordsOf(error)}). Nothing was changed.`,
        'Make it writable, then call migrate again.',
      )
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
    // Looked at once more, as late as can be: what somebody saved a moment ago is not overwritten.
    mustBe(await look(root, path), before, path)
    const ready = staged.get(path)
    if (ready === undefined) await removeDurably(place)
    else await settle(ready, place)
    reached(`file ${index + 1} changed`)
  }
  for (const { path, after } of edits) mustBe(await look(root, path), after, path)
  reached('all files changed')
}
