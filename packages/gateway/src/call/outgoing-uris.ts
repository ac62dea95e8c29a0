// Rewrites resource URIs in a server's messages to the form that the client can use.
//
// The counterpart of `names.ts` for everything that is not a list: contents, links and embedded resources in results,
// messages of prompts, errors about resources, and update notifications.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import type { Notification, RpcError } from '../protocol/messages.ts'
import { objectAt, stringAt } from '../protocol/messages.ts'

/** Maps a server's URI to the URI for clients. */
export type UriForClients = (uri: string) => string

export function resultTo(toClient: UriForClients, method: string, result: JsonObject): JsonObject {
  switch (method) {
    case 'resources/read':
      return each(result, 'contents', (item) => withUri(toClient, item))
    case 'tools/call':
      return each(result, 'content', (item) => blockTo(toClient, item))
    case 'prompts/get':
      return each(result, 'messages', (message) => messageTo(toClient, message))
    default:
      return result
  }
}

/** The error for a missing resource contains its URI in `data`. */
export function errorTo(toClient: UriForClients, method: string, error: RpcError): RpcError {
  if (!method.startsWith('resources/') || !isPlainObject(error.data)) return error
  return { ...error, data: withUri(toClient, error.data as JsonObject) }
}

export function notificationTo(toClient: UriForClients, notification: Notification): Notification {
  if (notification.method !== 'notifications/resources/updated' || notification.params === undefined)
    return notification
  return { ...notification, params: withUri(toClient, notification.params) }
}

function messageTo(toClient: UriForClients, message: JsonObject): JsonObject {
  const content = objectAt(message, 'content')
  return content === undefined
    ? each(message, 'content', (block) => blockTo(toClient, block))
    : { ...message, content: blockTo(toClient, content) }
}

/** A link, or an embedded resource. */
function blockTo(toClient: UriForClients, block: JsonObject): JsonObject {
  if (block.type === 'resource_link') return withUri(toClient, block)
  const resource = block.type === 'resource' ? objectAt(block, 'resource') : undefined
  return resource === undefined ? block : { ...block, resource: withUri(toClient, resource) }
}

function withUri(toClient: UriForClients, holder: JsonObject): JsonObject {
  const uri = stringAt(holder, 'uri')
  return uri === undefined ? holder : { ...holder, uri: toClient(uri) }
}

function each(holder: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const items = Object.hasOwn(holder, name) ? holder[name] : undefined
  if (!Array.isArray(items)) return holder
  const changed = items.map((item: JsonValue) => (isPlainObject(item) ? change(item as JsonObject) : item))
  return { ...holder, [name]: changed }
}
