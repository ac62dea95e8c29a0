// Validates what a request of this revision must contain, in the body and repeated in its headers.

import type { IncomingMessage } from 'node:http'
import type { JsonObject, JsonValue } from '@assent/core'
import { decodeHeader } from '../../protocol/headers-2026-07-28.ts'
import { header } from '../../protocol/http.ts'
import { errorCodes, objectAt, type Request, type RpcError, stringAt } from '../../protocol/messages.ts'
import { metaKeys, repeatedName, revision } from '../../protocol/names-2026-07-28.ts'

export const supportedVersions: readonly string[] = [revision]

const { version: versionKey, capabilities: capabilitiesKey, info: infoKey } = metaKeys

export type Envelope =
  /** The client's info and capabilities, valid for this request only. */
  | { readonly ok: true; readonly info: JsonObject; readonly declared: JsonObject }
  | { readonly ok: false; readonly error: RpcError }

/** Whether this request names this revision (or a later one, in the header), in its body or its header. */
export function claimsRevision(request: Request | undefined, versionHeader: string | undefined): boolean {
  const meta = objectAt(request?.params, '_meta')
  if (meta !== undefined && Object.hasOwn(meta, versionKey)) return true
  return versionHeader !== undefined && versionHeader >= revision && request?.method !== 'initialize'
}

/** Whether this request continues an earlier call. */
export function continuesRound({ params }: Request): boolean {
  return params?.requestState !== undefined
}

export function readEnvelope(message: Request): Envelope {
  const meta = objectAt(message.params, '_meta')
  const version = stringAt(meta, versionKey)
  const capabilities = objectAt(meta, capabilitiesKey)
  if (version === undefined) return refuse(errorCodes.invalidParams, `Every request needs ${versionKey} in _meta.`)
  if (capabilities === undefined)
    return refuse(errorCodes.invalidParams, `Every request needs ${capabilitiesKey} in _meta.`)
  if (!supportedVersions.includes(version)) {
    return refuse(errorCodes.unsupportedVersion, 'Unsupported protocol version', {
      supported: [...supportedVersions],
      requested: version,
    })
  }
  return { ok: true, declared: capabilities, info: objectAt(meta, infoKey) ?? {} }
}

/** Proxies route by the headers. If they could differ from the body, one call would be routed and another one run. */
export function headerProblem(request: IncomingMessage, message: Request): RpcError | undefined {
  const version = stringAt(objectAt(message.params, '_meta'), versionKey)
  const versionHeader = header(request, 'mcp-protocol-version')?.trim()
  if (version !== undefined && versionHeader !== version) return mismatch('MCP-Protocol-Version', versionHeader)
  const methodHeader = header(request, 'mcp-method')?.trim()
  if (methodHeader !== message.method) return mismatch('Mcp-Method', methodHeader)
  const name = repeatedName(message.method, message.params)
  const nameHeader = header(request, 'mcp-name')?.trim()
  if (name !== undefined && (nameHeader === undefined || decodeHeader(nameHeader) !== name))
    return mismatch('Mcp-Name', nameHeader)
  return undefined
}

/**
 * The headers in which the caller repeats tool arguments, forwarded unchanged: `parameterProblem` has compared them.
 * Only a tool call has arguments to repeat.
 */
export function parameterHeaders(request: IncomingMessage, { method }: Request): Record<string, string> {
  if (method !== 'tools/call') return {}
  const found = Object.entries(request.headers).filter(([name]) => name.startsWith(parameterPrefix))
  return Object.fromEntries(found.map(([name, value]) => [name, String(value)]))
}

/**
 * An error when a header repeats no argument of this call. Only the tool's schema defines which argument a header
 * repeats, so the header is compared with the argument of the same name; without one, its value must occur among the
 * arguments.
 */
export function parameterProblem(request: IncomingMessage, message: Request): RpcError | undefined {
  const args = objectAt(message.params, 'arguments') ?? {}
  for (const [name, value] of Object.entries(parameterHeaders(request, message))) {
    const decoded = decodeHeader(value)
    const suffix = folded(name.slice(parameterPrefix.length))
    const sameName = Object.entries(args).filter(([argument, one]) => folded(argument) === suffix && isPrimitive(one))
    const among = sameName.length > 0 ? sameName.map(([, one]) => one) : primitivesIn(args)
    if (decoded === undefined || !among.some((one) => repeats(decoded, one))) return mismatch(name, value)
  }
  return undefined
}

const parameterPrefix = 'mcp-param-'

/** Header names ignore case; an underscore is not allowed in many proxies and is often written as a hyphen. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

function isPrimitive(value: JsonValue | undefined): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function primitivesIn(value: JsonValue | undefined): JsonValue[] {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return [value]
  return Object.values(value).flatMap((inner) => primitivesIn(inner as JsonValue))
}

function repeats(header: string, value: JsonValue | undefined): boolean {
  if (typeof value === 'number') return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(header) && Number(header) === value
  return header === String(value)
}

function mismatch(name: string, value: string | undefined): RpcError {
  const found = value === undefined ? 'is missing' : 'does not match the request'
  return { code: errorCodes.headerMismatch, message: `The header ${name} ${found}.` }
}

function refuse(code: number, message: string, data?: JsonObject): Envelope {
  return { ok: false, error: data === undefined ? { code, message } : { code, message, data } }
}
