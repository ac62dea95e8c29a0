// The parts of a request that this revision repeats in HTTP headers, so that intermediaries can read them.

import type { JsonObject } from '@assent/core'
import { repeatedName, revision } from './names-2026-07-28.ts'

export function requestHeaders(method: string, params: JsonObject): Record<string, string> {
  const name = repeatedName(method, params)
  return {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': encodeHeader(name) }),
  }
}

/** Plain if a header can carry it, otherwise in the revision's base64 encoding. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)
  return isPlain && !looksEncoded(value) ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`
}

function looksEncoded(value: string): boolean {
  return value.toLowerCase().startsWith('=?base64?') && value.endsWith('?=')
}

/** Undefined for an invalid encoding. A value without both ends of the wrapper is literal. */
export function decodeHeader(value: string): string | undefined {
  if (!looksEncoded(value)) return value
  const match = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/i.exec(value)
  if (match === null) return undefined
  const bytes = Buffer.from(match[1] ?? '', 'base64')
  return bytes.toString('base64') === match[1] ? bytes.toString('utf8') : undefined
}
