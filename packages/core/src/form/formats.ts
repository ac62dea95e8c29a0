// The four text formats of a form. Each is checked in a single pass over the characters: no regular expression that
// could backtrack, and no platform parser, because those differ in what they accept.

import type { TextFormat } from './form.ts'

export function hasFormat(text: string, format: TextFormat): boolean {
  switch (format) {
    case 'email':
      return isEmail(text)
    case 'uri':
      return isUri(text)
    case 'date':
      return isDate(text)
    case 'date-time':
      return isDateTime(text)
  }
}

const digits = '0123456789'
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const emailChars = charSet(`${letters}${digits}.!#$%&'*+/=?^_\`{|}~-`)
const labelChars = charSet(`${letters}${digits}-`)
const schemeChars = charSet(`${letters}${digits}+-.`)
const uriChars = charSet(`${letters}${digits}-._~:/?@!$&'()*+,;=%`)
const hexChars = charSet(`${digits}abcdefABCDEF`)
const ipv6Chars = charSet(`${digits}abcdefABCDEF:.`)
const letterChars = charSet(letters)
const digitChars = charSet(digits)

const emailMaxChars = 254
const localMaxChars = 64
const labelMaxChars = 63

/** Addresses people have: name@example.com. No quoted names, no comments, no addresses without a dot in the domain. */
function isEmail(text: string): boolean {
  if (text.length > emailMaxChars) return false
  const at = text.indexOf('@')
  if (at < 1 || at > localMaxChars) return false
  const local = text.slice(0, at)
  if (!consistsOf(local, emailChars) || local.split('.').includes('')) return false
  const labels = text.slice(at + 1).split('.')
  return labels.length > 1 && labels.every(isLabel)
}

function isLabel(label: string): boolean {
  if (label.length < 1 || label.length > labelMaxChars) return false
  return consistsOf(label, labelChars) && !label.startsWith('-') && !label.endsWith('-')
}

/** An absolute URI (RFC 3986): a scheme, then something. Web addresses need a host too. */
function isUri(text: string): boolean {
  const colon = text.indexOf(':')
  const scheme = text.slice(0, Math.max(colon, 0))
  if (!letterChars.has(scheme.charAt(0)) || !consistsOf(scheme, schemeChars)) return false
  const [beforeHash = '', fragment = '', ...more] = text.slice(colon + 1).split('#')
  if (beforeHash === '' || more.length > 0 || !isUriText(fragment)) return false
  if (!beforeHash.startsWith('//')) return !isWeb(scheme) && isUriText(beforeHash)
  const end = authorityEnd(beforeHash)
  const authority = beforeHash.slice(2, end)
  if (authority === '' && isWeb(scheme)) return false
  return isAuthority(authority) && isUriText(beforeHash.slice(end))
}

function isWeb(scheme: string): boolean {
  return scheme.length <= 5 && ['http', 'https'].includes(scheme.toLowerCase())
}

function authorityEnd(text: string): number {
  for (let index = 2; index < text.length; index++) {
    if (text[index] === '/' || text[index] === '?') return index
  }
  return text.length
}

function isAuthority(authority: string): boolean {
  const at = authority.indexOf('@')
  const hostAndPort = authority.slice(at + 1)
  if (!isUriText(authority.slice(0, Math.max(at, 0))) || hostAndPort.includes('@')) return false
  const bracketed = hostAndPort.startsWith('[')
  const hostEnd = bracketed ? hostAndPort.indexOf(']') + 1 : endOfHost(hostAndPort)
  const host = hostAndPort.slice(0, hostEnd)
  const port = hostAndPort.slice(hostEnd)
  if (port !== '' && !(port.startsWith(':') && consistsOf(port.slice(1), digitChars))) return false
  if (bracketed) return host.length > 2 && consistsOf(host.slice(1, -1), ipv6Chars)
  return isUriText(host) && !(host === '' && (at >= 0 || port !== ''))
}

function endOfHost(hostAndPort: string): number {
  const colon = hostAndPort.indexOf(':')
  return colon < 0 ? hostAndPort.length : colon
}

function isUriText(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (!uriChars.has(text.charAt(index))) return false
    if (text[index] !== '%') continue
    if (!hexChars.has(text.charAt(index + 1)) || !hexChars.has(text.charAt(index + 2))) return false
  }
  return true
}

/** YYYY-MM-DD, and a day that exists. */
function isDate(text: string): boolean {
  if (text.length !== 10 || text[4] !== '-' || text[7] !== '-') return false
  const year = wholeNumber(text.slice(0, 4))
  const month = wholeNumber(text.slice(5, 7))
  const day = wholeNumber(text.slice(8, 10))
  return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return leap ? 29 : 28
}

/** RFC 3339: date, `T`, time, perhaps a fraction, then `Z` or an offset. */
function isDateTime(text: string): boolean {
  if (!isDate(text.slice(0, 10)) || (text[10] !== 'T' && text[10] !== 't')) return false
  if (text[13] !== ':' || text[16] !== ':') return false
  const hour = wholeNumber(text.slice(11, 13))
  const minute = wholeNumber(text.slice(14, 16))
  const second = wholeNumber(text.slice(17, 19))
  if (!(hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 60)) return false
  const offsetAt = fractionEnd(text, 19)
  const offset = offsetMinutes(text.slice(offsetAt))
  if (Number.isNaN(offset)) return false
  // A leap second is the last of a day in UTC, whatever the local clock shows.
  return second < 60 || (hour * 60 + minute - offset + 2 * 1440) % 1440 === 1439
}

/** Where the offset begins. If a dot has no digits after it: the end of the text, so that the offset is missing. */
function fractionEnd(text: string, start: number): number {
  if (text[start] !== '.') return start
  let end = start + 1
  while (digitChars.has(text.charAt(end))) end++
  return end === start + 1 ? text.length : end
}

function offsetMinutes(text: string): number {
  if (text === 'Z' || text === 'z') return 0
  const sign = text[0] === '+' ? 1 : text[0] === '-' ? -1 : Number.NaN
  if (text.length !== 6 || text[3] !== ':') return Number.NaN
  const hours = wholeNumber(text.slice(1, 3))
  const minutes = wholeNumber(text.slice(4, 6))
  return hours <= 23 && minutes <= 59 ? sign * (hours * 60 + minutes) : Number.NaN
}

/** NaN unless every character is a digit; comparisons with NaN are false, so the guards above refuse it. */
function wholeNumber(text: string): number {
  return text !== '' && consistsOf(text, digitChars) ? Number(text) : Number.NaN
}

function consistsOf(text: string, allowed: ReadonlySet<string>): boolean {
  for (let index = 0; index < text.length; index++) {
    if (!allowed.has(text.charAt(index))) return false
  }
  return true
}

function charSet(chars: string): ReadonlySet<string> {
  return new Set(chars)
}
