// A migration or a rollback that was interrupted: every other action is refused until rollback has repaired it.

import { refusal } from '../onboarding-error.ts'
import type { State } from '../state/state.ts'
import { refusals } from '../text/refusals.ts'

export function isInterrupted({ migration }: State): boolean {
  return migration?.phase === 'applying' || migration?.phase === 'rolling-back'
}

export function refuseInterrupted(state: State): void {
  if (!isInterrupted(state)) return
  const what = state.migration?.phase === 'applying' ? 'migration' : 'rollback'
  throw refusal('INTERRUPTED', refusals.interrupted(what))
}
