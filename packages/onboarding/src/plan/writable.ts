// Which files onboarding may write: instruction files, at the paths where agents look for them, with the mode they had.
//
// Checked where a plan or a backup is read and again where a file is written, whatever else was checked before.

import { checkPath } from '../disk/safe-path.ts'
import { recognise } from '../files/kinds.ts'
import { type OnboardingError, refusal } from '../onboarding-error.ts'
import { reasons, refusals } from '../text/refusals.ts'

/** The mode of a file that onboarding creates. */
export const newFileMode = 0o644

type Mode = { readonly mode: number } | null

function checkWritable(path: string, before: Mode, after: Mode): void {
  if (recognise(checkPath(path)) === undefined) throw refused(path, reasons.path.notInstructions)
  if (after !== null && after.mode !== (before?.mode ?? newFileMode)) throw refused(path, reasons.path.otherMode)
}

/** Checks every file, and that no path occurs twice: on some disks two spellings are one file. */
export function checkAllWritable(files: readonly { path: string; before: Mode; after: Mode }[]): void {
  const seen = new Set<string>()
  for (const { path, before, after } of files) {
    checkWritable(path, before, after)
    const folded = path.normalize('NFKC').toLowerCase()
    if (seen.has(folded)) throw refused(path, reasons.path.twice)
    seen.add(folded)
  }
}

function refused(path: string, why: string): OnboardingError {
  return refusal('UNSAFE_PATH', refusals.mayNotWrite(path, why))
}
