// Strict decoding: base64 and UTF-8 with one spelling per value. Another spelling of signed data is refused.

import { Buffer } from 'node:buffer'

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** Standard base64 with padding (RFC 4648, section 4); undefined for any other spelling. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Lower-case hexadecimal; undefined for any other spelling. */
export function fromHex(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'hex')
  return bytes.toString('hex') === text ? bytes : undefined
}

export function toUtf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

/** Undefined for bytes that are not UTF-8, and for text with half of a surrogate pair. */
export function strictText(value: string | Uint8Array): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined
  const text = Buffer.from(value).toString('utf8')
  const again = Buffer.from(text, 'utf8')
  return again.length === value.length && again.every((byte, at) => byte === value[at]) ? text : undefined
}

/** A decimal without sign and leading zeros, up to 2^53 - 1. */
export function parseDecimal(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
