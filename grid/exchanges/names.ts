// A server's names as its client sees them: unchanged, or, behind a gateway with several servers, prefixed as described
// in docs/guides/gateway.md.

import { isPlainObject } from '@assent/core'

export interface Names {
  readonly of: (name: string) => string
  readonly uri: (uri: string) => string
  /** A result in which every URI is spelled as the client sees it. */
  readonly within: (value: unknown) => unknown
  /** The items of this server in a list of all servers. */
  readonly own: (items: readonly Item[]) => readonly Item[]
}

export interface Item {
  readonly name?: string
  readonly uri?: string
  readonly uriTemplate?: string
}

export const ownNames: Names = {
  of: (name) => name,
  uri: (uri) => uri,
  within: (value) => value,
  own: (items) => items,
}

export function prefixedNames(server: string): Names {
  const uri = (own: string) => `${server}+${own}`
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within)
    if (!isPlainObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        isAddress(name) && typeof member === 'string' ? uri(member) : within(member),
      ]),
    )
  }
  return {
    of: (name) => `${server}__${name}`,
    uri,
    within,
    own: (items) =>
      items.filter(({ name, uri: address, uriTemplate }) =>
        (address ?? uriTemplate ?? name)?.startsWith((address ?? uriTemplate) ? `${server}+` : `${server}__`),
      ),
  }
}

function isAddress(name: string): boolean {
  return name === 'uri' || name === 'uriTemplate'
}
