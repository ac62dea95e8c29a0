// What a client asks for once and means for its whole session: a log level, resources to watch.
//
// Servers grant it to one connection, and every process that serves the session has connections of its own. So it is kept
// with the session, and said again wherever the session is served.

import { isPlainObject, type JsonObject } from '@assent/core'
import { type Request, stringAt } from '../../wire/messages.ts'
import { readOwnJson } from '../../wire/own-json.ts'

export interface Wish {
  /** Of two by one name the later counts. */
  readonly name: string
  readonly isTakenBack: boolean
}

/** What is said to a server to have a wish granted. */
export type WishRequest = Pick<Request, 'method' | 'params'>

/** The wish in a request, if there is one. */
export function wishIn({ method, params = {} }: WishRequest): Wish | undefined {
  if (method === 'logging/setLevel') return { name: 'level', isTakenBack: false }
  const isTakenBack = method === 'resources/unsubscribe'
  if (!isTakenBack && method !== 'resources/subscribe') return undefined
  return { name: `watch ${stringAt(params, 'uri') ?? ''}`, isTakenBack }
}

export function writeWish({ method, params = {} }: WishRequest): string {
  return JSON.stringify({ method, params })
}

/** Undefined for what is none: nothing else is ever said on a client's behalf. */
export function readWish(text: string): WishRequest | undefined {
  const said = readOwnJson(text)
  if (!isPlainObject(said) || typeof said.method !== 'string' || !isPlainObject(said.params)) return undefined
  const request = { method: said.method, params: said.params as JsonObject }
  return wishIn(request) === undefined ? undefined : request
}
