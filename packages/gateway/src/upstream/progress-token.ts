// Progress tokens of our own on the way to a server, so that two callers who chose the same one can be distinguished.

import type { JsonObject } from '@assent/core'
import type { Call } from '../relay/exchange.ts'
import { type Notification, objectAt, type RequestId } from '../wire/messages.ts'

/** The parameters with our token, where the caller set one. */
export function withToken(params: JsonObject, token: RequestId): JsonObject {
  const meta = objectAt(params, '_meta')
  return meta?.progressToken === undefined ? params : { ...params, _meta: { ...meta, progressToken: token } }
}

/** A notification with the caller's own token. */
export function withTokenOf(notification: Notification, { params }: Pick<Call, 'params'>): Notification {
  const token = objectAt(params, '_meta')?.progressToken
  if (token === undefined || notification.method !== 'notifications/progress') return notification
  return { ...notification, params: { ...notification.params, progressToken: token } }
}
