// JSON-RPC messages, and the error codes that the gateway uses.
//
// Other parties' messages are passed on unchanged: these types contain only the members that the relay reads.

import { isPlainObject, type JsonObject, type JsonValue, readJson } from '@assent/core'
import { protocolLimits } from '../limits.ts'
import { namesIn, outlineOf } from './outline.ts'
import { decidingNames } from './spelling-2026-07-28.ts'

export type RequestId = string | number

export interface Request {
  readonly jsonrpc: '2.0'
  readonly id: RequestId
  readonly method: string
  readonly params?: JsonObject
}

export type Notification = {
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

/** A server announces that its tools changed. */
export const toolsChanged = 'notifications/tools/list_changed'

export const errorCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** Our code for "no person can be asked" and "the server is unavailable". */
  refused: -32_000,
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
  urlNeeded: -32_042,
} as const

/**
 * Undefined for text that is not a JSON-RPC message: also for text that is too deep or has too many parts, and for text
 * that another parser could read as a different message, because of a duplicate or look-alike member name.
 */
export function readMessage(text: string): Message | undefined {
  try {
    const value = parse(text)
    return isMessage(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The messages of a batch. Undefined for text that is not a batch, or contains anything but messages. */
export function readBatch(text: string): readonly Message[] | undefined {
  try {
    const value = parse(text)
    return Array.isArray(value) && value.every(isMessage) ? value : undefined
  } catch {
    return undefined
  }
}

// JSON.parse can be made to misread escaped member names (see core's digest/parse.ts), so such text goes to our own
// parser, which rejects duplicates itself. For other text the names are counted, which is cheaper.
function parse(text: string): unknown {
  const outline = outlineOf(text)
  if (outline === undefined) return undefined
  if (outline.hasEscapedNames && text.length > protocolLimits.messageSpelledChars) return undefined
  if (outline.hasEscapedNames)
    return readJson(text, { depth: protocolLimits.messageDepth, halfPairs: 'keep', numbers: 'nearest' })
  const value: unknown = JSON.parse(text)
  return namesIn(value) === outline.names ? value : undefined
}

function isMessage(value: unknown): value is Message {
  if (!isPlainObject(value) || value.jsonrpc !== '2.0') return false
  if (value.params !== undefined && !isPlainObject(value.params)) return false
  if (decidingNames.message.hasLookAlike(value) || decidingNames.result.hasLookAlike(value.result)) return false
  if (value.id !== undefined && isRequestWithLookAlike(value.params)) return false
  // A rounded number would be returned as a different id.
  const hasId = typeof value.id === 'string' || Number.isSafeInteger(value.id)
  if (value.method !== undefined) {
    if (typeof value.method !== 'string') return false
    // Without an id only a notification is valid: a request whose id is missing must not run without a reply.
    return value.id === undefined ? value.method.startsWith('notifications/') : hasId
  }
  if (isPlainObject(value.result)) return hasId && value.error === undefined
  const { error } = value
  return isPlainObject(error) && typeof error.code === 'number' && typeof error.message === 'string'
}

function isRequestWithLookAlike(params: unknown): boolean {
  if (!isPlainObject(params)) return false
  const { request, reference, subscriptions } = decidingNames
  return (
    request.hasLookAlike(params) ||
    reference.hasLookAlike(params.ref) ||
    subscriptions.hasLookAlike(params.notifications)
  )
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

/** Whether the text is not JSON. A long text is not parsed to find out. */
export function isNotJson(text: string): boolean {
  if (text.length > protocolLimits.messageLooseChars) return false
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}
