// A migration or a rollback that did not come to its end: nothing else is done before it is mended.

import type { State } from '../state/state.ts'
import { Stop } from '../stop.ts'

export function isInterrupted({ migration }: State): boolean {
  return migration?.phase === 'applying' || migration?.phase === 'rolling-back'
}

export function refuseInterrupted(state: State): void {
  if (!isInterrupted(state)) return
  const what = state.migration?.phase === 'applying' ? 'A migration' : 'A rollback'
  throw new Stop(
    'INTERRUPTED',
    `${what} was interrupted, and the files may be part old, part new. Nothing was done now.`,
    'Call status to see how the files stand, then rollback to put everything back.',
  )
}
