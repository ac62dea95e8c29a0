// JSON-RPC messages as they cross the wire, and the errors we make ourselves.
//
// Messages of others are passed on as they came: these types name only what the relay looks at.

import { isPlainObject, type JsonObject, type JsonValue, readJson } from '@assent/core'
import { wireLimits } from '../limits.ts'
import { namesIn, outlineOf } from './outline.ts'
import { decidingNames } from './spelling-2026-07-28.ts'

export type RequestId = string | number

export interface Request {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: JsonObject
}

export interface Notification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: JsonObject
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: JsonValue
}

export type Reply =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: JsonObject }
  | { readonly jsonrpc: '2.0'; readonly id: RequestId | null; readonly error: RpcError }

export type Message = Request | Notification | Reply

export const errorCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** Ours, for "nobody can be asked" and "the server is away": D4. */
  refused: -32_000,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
  urlNeeded: -32_042,
} as const

/**
 * Undefined for what is no JSON-RPC message at all: also for text that is too deep or has too many parts, and for text
 * that another reader could take for another message, because a name comes twice or only looks like the right one.
 */
export function readMessage(text: string): Message | undefined {
  try {
    const value = parse(text)
    return isMessage(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The messages of a batch. Undefined for what is no batch, or holds anything that is no message. */
export function readBatch(text: string): readonly Message[] | undefined {
  try {
    const value = parse(text)
    return Array.isArray(value) && value.every(isMessage) ? value : undefined
  } catch {
    return undefined
  }
}

// JSON.parse can be made to misread names that are spelled with escapes (see core's digest/parse.ts); those are read by
// the reader that cannot. It refuses a name twice by itself; elsewhere names are counted, which costs less.
function parse(text: string): unknown {
  const outline = outlineOf(text)
  if (outline === undefined) return undefined
  if (outline.hasEscapedNames && text.length > wireLimits.messageSpelledChars) return undefined
  if (outline.hasEscapedNames)
    return readJson(text, { depth: wireLimits.messageDepth, halfPairs: 'keep', numbers: 'nearest' })
  const value: unknown = JSON.parse(text)
  return namesIn(value) === outline.names ? value : undefined
}

function isMessage(value: unknown): value is Message {
  if (!isPlainObject(value) || value.jsonrpc !== '2.0') return false
  if (value.params !== undefined && !isPlainObject(value.params)) return false
  if (decidingNames.message.hasLookAlike(value) || decidingNames.result.hasLookAlike(value.result)) return false
  if (value.id !== undefined && decidingNames.request.hasLookAlike(value.params)) return false
  // A number that was rounded would come back as another id than was sent.
  const hasId = typeof value.id === 'string' || Number.isSafeInteger(value.id)
  if (value.method !== undefined) {
    if (typeof value.method !== 'string') return false
    // Without an id it is a notification, and those have names of their own: a question that lost its id is none.
    return value.id === undefined ? value.method.startsWith('notifications/') : hasId
  }
  if (isPlainObject(value.result)) return hasId && value.error === undefined
  const { error } = value
  return isPlainObject(error) && typeof error.code === 'number' && typeof error.message === 'string'
}

export function isRequest(message: Message): message is Request {
  return 'method' in message && 'id' in message
}

export function isNotification(message: Message): message is Notification {
  return 'method' in message && !('id' in message)
}

export function isReply(message: Message): message is Reply {
  return !('method' in message)
}

export function resultReply(id: RequestId, result: JsonObject): Reply {
  return { jsonrpc: '2.0', id, result }
}

export function errorReply(id: RequestId | null, code: number, message: string, data?: JsonValue): Reply {
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } }
}

/** A member of an object that may be missing, as an object. */
export function objectAt(parent: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = parent !== undefined && Object.hasOwn(parent, name) ? parent[name] : undefined
  return isPlainObject(value) ? (value as JsonObject) : undefined
}

export function stringAt(parent: JsonObject | undefined, name: string): string | undefined {
  const value = parent !== undefined && Object.hasOwn(parent, name) ? parent[name] : undefined
  return typeof value === 'string' ? value : undefined
}
