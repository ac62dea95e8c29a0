// The names of several servers' things in one gateway, and the way back.
//
// With one server nothing is renamed. With several, a tool or prompt is `server__name` and a resource `server+uri`, which
// is a valid URI again. The server part has no underscore pair and no plus, so the way back is never a guess.

import { AssentError, isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import { objectAt, stringAt } from '../wire/messages.ts'

const serverName = /^[a-z][a-z0-9-]{0,31}$/

export function checkServerNames(names: readonly string[]): void {
  for (const name of names) {
    if (name === 'assent')
      throw new AssentError('misconfigured', 'No server may be called "assent": that name is ours.')
    if (serverName.test(name)) continue
    throw new AssentError('misconfigured', `"${name}" cannot name a server: use lower-case letters, digits and "-".`)
  }
}

interface Spelling {
  readonly field: string
  readonly join: string
}

// Maps, because a method may be called "constructor".
const spellings: ReadonlyMap<string, Spelling> = new Map(
  Object.entries({
    'tools/call': { field: 'name', join: '__' },
    'prompts/get': { field: 'name', join: '__' },
    'resources/read': { field: 'uri', join: '+' },
    'resources/subscribe': { field: 'uri', join: '+' },
    'resources/unsubscribe': { field: 'uri', join: '+' },
  }),
)

/** Which list holds what, and which of its members are names. */
const lists: ReadonlyMap<string, Spelling & { readonly list: string }> = new Map(
  Object.entries({
    'tools/list': { list: 'tools', field: 'name', join: '__' },
    'prompts/list': { list: 'prompts', field: 'name', join: '__' },
    'resources/list': { list: 'resources', field: 'uri', join: '+' },
    'resources/templates/list': { list: 'resourceTemplates', field: 'uriTemplate', join: '+' },
  }),
)

export function listOf(method: string): string | undefined {
  return lists.get(method)?.list
}

/** The server that a request is for, and its parameters in that server's own names; undefined when it names none. */
export function addressee(method: string, params: JsonObject): { server: string; params: JsonObject } | undefined {
  if (method === 'completion/complete') return completionAddressee(params)
  const spelling = spellings.get(method)
  return spelling === undefined ? undefined : unprefixed(params, spelling)
}

export function prefixed(server: string, method: string, items: readonly JsonValue[]): JsonValue[] {
  const spelling = lists.get(method)
  if (spelling === undefined) return [...items]
  return items.map((item) => {
    const name = isPlainObject(item) ? stringAt(item as JsonObject, spelling.field) : undefined
    return name === undefined ? item : { ...(item as JsonObject), [spelling.field]: `${server}${spelling.join}${name}` }
  })
}

export function prefixedUri(server: string, uri: string): string {
  return `${server}+${uri}`
}

/** Of the resources that a stream is to watch, those of this server, in its own names. */
export function watchedAt(server: string, params: JsonObject): JsonObject {
  const filter = objectAt(params, 'notifications')
  const uris = filter?.resourceSubscriptions
  if (filter === undefined || !Array.isArray(uris)) return params
  const prefix = prefixedUri(server, '')
  const own = uris.flatMap((uri) => (typeof uri === 'string' && uri.startsWith(prefix) ? uri.slice(prefix.length) : []))
  const { resourceSubscriptions: _all, ...rest } = filter
  return { ...params, notifications: own.length === 0 ? rest : { ...rest, resourceSubscriptions: own } }
}

function completionAddressee(params: JsonObject): { server: string; params: JsonObject } | undefined {
  const reference = params.ref
  if (!isPlainObject(reference)) return undefined
  const spelling = Object.hasOwn(reference, 'uri') ? { field: 'uri', join: '+' } : { field: 'name', join: '__' }
  const found = unprefixed(reference as JsonObject, spelling)
  return found === undefined ? undefined : { server: found.server, params: { ...params, ref: found.params } }
}

function unprefixed(params: JsonObject, { field, join }: Spelling): { server: string; params: JsonObject } | undefined {
  const name = stringAt(params, field)
  const at = name?.indexOf(join) ?? -1
  if (name === undefined || at <= 0) return undefined
  return { server: name.slice(0, at), params: { ...params, [field]: name.slice(at + join.length) } }
}
