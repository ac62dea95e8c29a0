// Replaces callers' progress tokens in requests to a server, so that two callers with the same token can be
// distinguished.

import type { JsonObject } from '@assent/core'
import type { Call } from '../call/model.ts'
import { type Notification, objectAt, type RequestId } from '../protocol/messages.ts'

/** The params with the gateway's token, if the caller set one. */
export function withToken(params: JsonObject, token: RequestId): JsonObject {
  const meta = objectAt(params, '_meta')
  return meta?.progressToken === undefined ? params : { ...params, _meta: { ...meta, progressToken: token } }
}

/** The notification with the caller's token. */
export function withTokenOf(notification: Notification, { params }: Pick<Call, 'params'>): Notification {
  const token = objectAt(params, '_meta')?.progressToken
  if (token === undefined || notification.method !== 'notifications/progress') return notification
  return { ...notification, params: { ...notification.params, progressToken: token } }
}
