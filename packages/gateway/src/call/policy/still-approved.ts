// Whether an approval that was given is enough for what the policies in force require now.
//
// I1  An approval counts for exactly its action.
// I2  What cannot be compared does not count: an approval without stored votes only if nothing has become stricter.
// I3  An approval with stored votes is compared by them alone: a call may have joined an ask that was raised under other terms.

import type { Store } from '@assent/store'
import type { Call } from '../model.ts'
import type { UsedApproval } from './approved-state.ts'
import { isCovered, votesMeet } from './required-approval.ts'

type Stored = Pick<Store, 'asks' | 'grants' | 'nowMs'>

export async function isStillApproved(
  store: Stored,
  { tenant, principal }: Pick<Call, 'tenant' | 'principal'>,
  given: UsedApproval,
  asked: Pick<UsedApproval, 'digest' | 'approval'>,
): Promise<boolean> {
  if (given.digest !== asked.digest) return false
  if (given.askId === undefined) return isCovered(asked.approval, given.approval)
  const ask = await store.asks.read(tenant, given.askId)
  if (ask?.principal !== principal || ask.question.kind !== 'approval') return false
  if (ask.question.digest !== given.digest) return false
  const grant = await store.grants.read(tenant, given.askId)
  return votesMeet(asked.approval, ask, grant?.usedAtMs ?? store.nowMs())
}
