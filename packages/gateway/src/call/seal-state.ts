// Seals the state of a call, for the caller or for the store.

import { isAssentError, type JsonValue, type KeyRing, seal } from '@assent/core'
import type { Store } from '@assent/store'
import { randomBytes } from '../protocol/random.ts'

/** Undefined when the payload exceeds the size limit of a sealed state: it contains what the server and the caller sent. */
export function sealState(
  { keys, store }: { readonly keys: KeyRing; readonly store: Pick<Store, 'nowMs'> },
  binding: Parameters<typeof seal>[1],
  payload: JsonValue,
): string | undefined {
  try {
    return seal(keys, binding, payload, { nowMs: store.nowMs(), random: randomBytes })
  } catch (error) {
    if (isAssentError(error, 'limit_exceeded')) return undefined
    throw error
  }
}
