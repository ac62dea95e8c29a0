// Seals the state of a call, for the caller or for the store.

import { isAssentError, type JsonValue, type KeyRing, seal } from '@assent/core'
import type { Store } from '@assent/store'
import { errorCodes } from '../protocol/messages.ts'
import { randomBytes } from '../protocol/random.ts'
import { failed } from './model.ts'
import { outcomeText } from './text/outcomes.ts'

/** The outcome when the caller would have to carry more than a sealed state can hold. */
export const tooMuchState = failed(errorCodes.refused, outcomeText.tooMuchState)

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
