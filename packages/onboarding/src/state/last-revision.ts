// The newest revision of the state that this installation wrote for a repository, kept in the Assent home.
//
// A state with a valid MAC can still be an old one that was copied back, with an approval that was used or withdrawn
// since. It is written after the state: a process that dies in between leaves a state that is newer than this, which counts.

import { hash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { writeDurably } from '../disk/durable.ts'
import { readRegular } from '../disk/read-regular.ts'
import { onboardingLimits } from '../limits.ts'
import { errorMessage, refusal } from '../onboarding-error.ts'
import type { Site } from '../site.ts'
import { refusals } from '../text/refusals.ts'

const recordSchema = z.object({ root: z.string(), revision: z.int().min(1) })

/** Zero when this installation never wrote one here. */
export async function lastRevision(site: Site): Promise<number> {
  const place = placeOf(site)
  const read = await readRegular(place, onboardingLimits.stateBytes)
  if (read === undefined) return 0
  try {
    if (read === 'other') throw new Error('it is not a file')
    const { root, revision } = recordSchema.parse(JSON.parse(read.bytes.toString('utf8')))
    if (root === site.root) return revision
    throw new Error(`it is for ${root}`)
  } catch (error) {
    throw refusal('STATE_DAMAGED', refusals.damagedRevision(place, errorMessage(error)), { cause: error })
  }
}

export async function saveLastRevision(site: Site, revision: number): Promise<void> {
  const place = placeOf(site)
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  const bytes = Buffer.from(`${JSON.stringify({ root: site.root, revision })}\n`)
  await writeDurably({ place, bytes, mode: 0o600 }, site.newId())
}

function placeOf({ home, root }: Site): string {
  return join(home, 'onboarding', `${hash('sha256', root, 'hex').slice(0, 32)}.json`)
}
