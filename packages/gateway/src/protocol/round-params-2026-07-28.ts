// What a caller of this revision adds to a request to continue it.

import type { JsonObject } from '@assent/core'

/** The params of the request as it began. */
export function withoutRound(params: JsonObject): JsonObject {
  const { requestState: _state, inputResponses: _answers, ...begun } = params
  return begun
}
