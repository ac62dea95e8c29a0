// Where requests, lists and results contain the names of a server's tools, prompts and resources.

import { AssentError, isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import { stringAt } from '../protocol/messages.ts'
import type { Call } from './model.ts'

const serverName = /^[a-z][a-z0-9-]{0,31}$/

export function checkServerNames(names: readonly string[]): void {
  for (const name of names) {
    if (name === 'assent')
      throw new AssentError('misconfigured', 'A server cannot be called "assent": that name is reserved.')
    if (serverName.test(name)) continue
    throw new AssentError(
      'misconfigured',
      `"${name}" is not a valid server name: use lower-case letters, digits and "-".`,
    )
  }
}

export type NameKind = 'tool' | 'prompt' | 'resource'

/** A name in a request: its kind, and a function that replaces it. */
export interface NamedIn {
  readonly kind: NameKind
  readonly name: string
  readonly renamed: (name: string) => JsonObject
}

interface Field {
  readonly kind: NameKind
  readonly field: string
}

// Maps, because a method may be named "constructor".
const requests: ReadonlyMap<string, Field> = new Map(
  Object.entries({
    'tools/call': { kind: 'tool', field: 'name' },
    'prompts/get': { kind: 'prompt', field: 'name' },
    'resources/read': { kind: 'resource', field: 'uri' },
    'resources/subscribe': { kind: 'resource', field: 'uri' },
    'resources/unsubscribe': { kind: 'resource', field: 'uri' },
  }),
)

/** For each list method: the member with the items, and the field with their names. */
const lists: ReadonlyMap<string, Field & { readonly list: string }> = new Map(
  Object.entries({
    'tools/list': { list: 'tools', kind: 'tool', field: 'name' },
    'prompts/list': { list: 'prompts', kind: 'prompt', field: 'name' },
    'resources/list': { list: 'resources', kind: 'resource', field: 'uri' },
    'resources/templates/list': { list: 'resourceTemplates', kind: 'resource', field: 'uriTemplate' },
  }),
)

export function listOf(method: string): string | undefined {
  return lists.get(method)?.list
}

/** The name in a request; undefined when it has none. */
export function namedIn(method: string, params: JsonObject): NamedIn | undefined {
  if (method === 'completion/complete') return referredIn(params)
  const field = requests.get(method)
  return field === undefined ? undefined : fieldOf(params, field)
}

/**
 * The items of a list, renamed. Items without a name stay unchanged; an item whose new name is undefined is omitted.
 */
export function renamedIn(
  method: string,
  items: readonly JsonValue[],
  rename: (kind: NameKind, name: string) => string | undefined,
): JsonValue[] {
  const field = lists.get(method)
  if (field === undefined) return [...items]
  return items.flatMap((item): JsonValue[] => {
    const found = isPlainObject(item) ? fieldOf(item as JsonObject, field) : undefined
    if (found === undefined) return [item]
    const name = rename(found.kind, found.name)
    if (name === found.name) return [item]
    return name === undefined ? [] : [found.renamed(name)]
  })
}

/** A completion refers to a prompt by its name or to a resource by its URI. */
function referredIn(params: JsonObject): NamedIn | undefined {
  const reference = isPlainObject(params.ref) ? (params.ref as JsonObject) : {}
  const field: Field = Object.hasOwn(reference, 'uri')
    ? { kind: 'resource', field: 'uri' }
    : { kind: 'prompt', field: 'name' }
  const found = fieldOf(reference, field)
  return found === undefined ? undefined : { ...found, renamed: (name) => ({ ...params, ref: found.renamed(name) }) }
}

function fieldOf(holder: JsonObject, { kind, field }: Field): NamedIn | undefined {
  const name = stringAt(holder, field)
  return name === undefined ? undefined : { kind, name, renamed: (other) => ({ ...holder, [field]: other }) }
}

/** The call with the server's name for its target: the name that is shown to people and recorded. */
export function calledBy<Named extends Pick<Call, 'method' | 'params'>>(
  call: Named,
  target: string | undefined,
): Named {
  const named = target === undefined ? undefined : namedIn(call.method, call.params)
  return named === undefined || target === undefined ? call : { ...call, params: named.renamed(target) }
}
