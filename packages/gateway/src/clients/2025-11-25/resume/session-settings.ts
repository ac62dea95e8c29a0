// Settings that a client sends once for its whole session: a log level, and resource subscriptions.
//
// A server applies them to one connection, and a replica that takes the session over opens new ones. So they are stored
// with the session, and that replica sends them again.

import { isPlainObject, type JsonObject } from '@assent/core'
import { type Request, stringAt } from '../../../protocol/messages.ts'
import { readOwnJson } from '../../../protocol/own-json.ts'

export interface SessionSetting {
  /** Of two settings with the same name, the later one applies. */
  readonly name: string
  readonly isTakenBack: boolean
}

/** The request that applies the setting at a server. */
export type SettingRequest = Pick<Request, 'method' | 'params'>

/** The setting in a request; undefined for any other request. */
export function settingIn({ method, params = {} }: SettingRequest): SessionSetting | undefined {
  if (method === 'logging/setLevel') return { name: 'level', isTakenBack: false }
  const isTakenBack = method === 'resources/unsubscribe'
  if (!isTakenBack && method !== 'resources/subscribe') return undefined
  return { name: `watch ${stringAt(params, 'uri') ?? ''}`, isTakenBack }
}

export function writeSetting({ method, params = {} }: SettingRequest): string {
  return JSON.stringify({ method, params })
}

/** Undefined for any other request: nothing else is ever sent on a client's behalf. */
export function readSetting(text: string): SettingRequest | undefined {
  const request = readOwnJson(text)
  if (!isPlainObject(request) || typeof request.method !== 'string' || !isPlainObject(request.params)) return undefined
  const setting = { method: request.method, params: request.params as JsonObject }
  return settingIn(setting) === undefined ? undefined : setting
}
