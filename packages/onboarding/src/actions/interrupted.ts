// A migration or a rollback that was interrupted: every other action is refused until rollback has repaired it.

import { OnboardingError } from '../onboarding-error.ts'
import type { State } from '../state/state.ts'

export function isInterrupted({ migration }: State): boolean {
  return migration?.phase === 'applying' || migration?.phase === 'rolling-back'
}

export function refuseInterrupted(state: State): void {
  if (!isInterrupted(state)) return
  const what = state.migration?.phase === 'applying' ? 'A migration' : 'A rollback'
  throw new OnboardingError(
    'INTERRUPTED',
    `${what} was interrupted, and the files may be a mix of old and new versions. Nothing was done now.`,
    'Call status to see the state of the files, then rollback to put everything back.',
  )
}
