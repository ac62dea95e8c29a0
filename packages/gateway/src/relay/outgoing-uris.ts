// Resource URIs in what a server says, with the server's prefix, so that the client can use them as they are.
//
// The counterpart of `names.ts` for everything that is not a list: contents, links and embedded resources in results,
// messages of prompts, and update notifications.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import type { Notification } from '../wire/messages.ts'
import { objectAt, stringAt } from '../wire/messages.ts'
import { prefixedUri } from './names.ts'

export function resultTo(server: string, method: string, result: JsonObject): JsonObject {
  switch (method) {
    case 'resources/read':
      return each(result, 'contents', (item) => withUri(server, item))
    case 'tools/call':
      return each(result, 'content', (item) => blockTo(server, item))
    case 'prompts/get':
      return each(result, 'messages', (message) => messageTo(server, message))
    default:
      return result
  }
}

export function notificationTo(server: string, notification: Notification): Notification {
  if (notification.method !== 'notifications/resources/updated' || notification.params === undefined)
    return notification
  return { ...notification, params: withUri(server, notification.params) }
}

function messageTo(server: string, message: JsonObject): JsonObject {
  const content = objectAt(message, 'content')
  return content === undefined
    ? each(message, 'content', (block) => blockTo(server, block))
    : { ...message, content: blockTo(server, content) }
}

/** A link, or a resource that stands in the content itself. */
function blockTo(server: string, block: JsonObject): JsonObject {
  if (block.type === 'resource_link') return withUri(server, block)
  const resource = block.type === 'resource' ? objectAt(block, 'resource') : undefined
  return resource === undefined ? block : { ...block, resource: withUri(server, resource) }
}

function withUri(server: string, holder: JsonObject): JsonObject {
  const uri = stringAt(holder, 'uri')
  return uri === undefined ? holder : { ...holder, uri: prefixedUri(server, uri) }
}

function each(holder: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const items = Object.hasOwn(holder, name) ? holder[name] : undefined
  if (!Array.isArray(items)) return holder
  const changed = items.map((item: JsonValue) => (isPlainObject(item) ? change(item as JsonObject) : item))
  return { ...holder, [name]: changed }
}
