// What is at a path now, to compare it with a plan.

import { onboardingLimits } from '../limits.ts'
import { refusal } from '../onboarding-error.ts'
import { refusals } from '../text/refusals.ts'
import { bytesDigest } from './bytes-digest.ts'
import { readRegular } from './read-regular.ts'
import { placeIn } from './safe-path.ts'

export type Seen =
  | { readonly is: 'absent' }
  | {
      readonly is: 'file'
      readonly digest: string
      readonly mode: number
      readonly uid: number
      readonly gid: number
      readonly bytes: Buffer
    }
  /** A link, a folder, a device, or a file that is too long. */
  | { readonly is: 'other' }

export async function look(root: string, path: string): Promise<Seen> {
  const read = await readRegular(await placeIn(root, path), onboardingLimits.stateBytes)
  if (read === undefined) return { is: 'absent' }
  if (read === 'other') return { is: 'other' }
  const { bytes, stat } = read
  return { is: 'file', digest: bytesDigest(bytes), mode: stat.mode & 0o7777, uid: stat.uid, gid: stat.gid, bytes }
}

type Side = { readonly digest: string; readonly mode: number } | null

export function isAs(seen: Seen, side: Side): boolean {
  if (side === null) return seen.is === 'absent'
  return seen.is === 'file' && seen.digest === side.digest && seen.mode === side.mode
}

/** Throws unless the path is as the plan found it. */
export function mustBe(seen: Seen, side: Side, path: string): void {
  if (isAs(seen, side)) return
  throw refusal('CHANGED_SINCE_APPROVAL', refusals.otherFile(path))
}
