// The kinds of value a setting can have: how each is parsed, described to editors, and explained when it is invalid.
//
// An error of a kind never contains the given text, which may be a secret. The caller decides whether to show it.

import { isIP } from 'node:net'
import type { JsonObject } from '@assent/core'
import { isLoopback } from '../protocol/loopback.ts'
import { nearest } from './nearest.ts'
import {
  durationPattern,
  guessDuration,
  guessSize,
  readDuration,
  readSize,
  showDuration,
  showSize,
  sizePattern,
} from './units.ts'

export type Scalar = string | number | boolean
export type ValueRead<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string; readonly suggestion?: string }

export interface ValueKind<T> {
  /** What to write, for docs/reference/settings.md. */
  readonly words: string
  readonly schema: JsonObject
  read(raw: Scalar): ValueRead<T>
  show(value: T): string
}

export interface Address {
  readonly host: string
  readonly port: number
}

export function text(words: string, pattern?: RegExp): ValueKind<string> {
  const problem = `must be ${words.replaceAll('`', '')}`
  return {
    words,
    schema: { type: 'string', minLength: 1, ...(pattern === undefined ? {} : { pattern: pattern.source }) },
    read: (raw) => {
      if (typeof raw !== 'string') return wrong(problem, `Put it in quotes: "${raw}".`)
      return raw !== '' && (pattern === undefined || pattern.test(raw)) ? right(raw) : wrong(problem)
    },
    show: (value) => value,
  }
}

export const flag: ValueKind<boolean> = {
  words: '`true` or `false`',
  schema: { type: 'boolean' },
  read: (raw) => {
    const word = String(raw).toLowerCase()
    if (word === 'true' || word === 'false') return right(word === 'true')
    if (['yes', 'on', '1', 'no', 'off', '0'].includes(word)) {
      return wrong('must be true or false', `Write ${['yes', 'on', '1'].includes(word)}.`)
    }
    return wrong('must be true or false')
  },
  show: String,
}

export function count(least: number, most: number): ValueKind<number> {
  const words = `a whole number from ${least} to ${most}`
  return {
    words,
    schema: { type: 'integer', minimum: least, maximum: most },
    read: (raw) => {
      const value = typeof raw === 'string' && /^[0-9]{1,15}$/.test(raw) ? Number(raw) : raw
      const isRight = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      return isRight ? right(value) : wrong(`must be ${words}`)
    },
    show: String,
  }
}

export function duration(leastMs: number, mostMs: number): ValueKind<number> {
  const range = `from ${showDuration(leastMs)} to ${showDuration(mostMs)}`
  const words = `a duration ${range}, such as \`10m\` or \`300ms\``
  return withUnits(words, range, durationPattern, [leastMs, mostMs], readDuration, showDuration, guessDuration)
}

export function size(leastBytes: number, mostBytes: number): ValueKind<number> {
  const range = `from ${showSize(leastBytes)} to ${showSize(mostBytes)}`
  const words = `a size ${range}, such as \`8KiB\``
  return withUnits(words, range, sizePattern, [leastBytes, mostBytes], readSize, showSize, guessSize)
}

function withUnits(
  words: string,
  range: string,
  pattern: string,
  [least, most]: readonly [number, number],
  readText: (raw: string) => number | undefined,
  show: (value: number) => string,
  guess: (raw: string) => string | undefined,
): ValueKind<number> {
  const plainWords = words.replaceAll('`', '')
  return {
    words,
    schema: { type: 'string', pattern },
    read: (raw) => {
      if (typeof raw === 'number') return wrong(`has no unit: it must be ${plainWords}`)
      const value = readText(String(raw))
      if (value === undefined) {
        const guessed = guess(String(raw))
        return wrong(`must be ${plainWords}`, guessed === undefined ? undefined : `Did you mean ${guessed}?`)
      }
      return value >= least && value <= most ? right(value) : wrong(`is out of range: it must be ${range}`)
    },
    show,
  }
}

export const address: ValueKind<Address> = {
  words: 'a host and a port, such as `127.0.0.1:7420` or `[::1]:7420`',
  schema: { type: 'string', pattern: ':[0-9]{1,5}$' },
  read: (raw) => {
    const suggestion = 'Write it like 127.0.0.1:7420.'
    const [, host, portText] = /^(\[[0-9a-fA-F:.]+\]|[^\s:/[\]]+):([0-9]{1,5})$/.exec(String(raw)) ?? []
    const port = Number(portText)
    if (host === undefined || port > 65_535) return wrong('must be a host and a port', suggestion)
    const bare = host.replace(/^\[|\]$/g, '')
    const isHost = host.startsWith('[') ? isIP(bare) === 6 : isIP(bare) === 4 || /^[a-zA-Z][a-zA-Z0-9.-]*$/.test(bare)
    return isHost ? right({ host: bare, port }) : wrong('has no host', suggestion)
  },
  show: addressText,
}

export function addressText({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** A web address. Plain http only with `mayBePlain`, or to this machine. */
export function url({ mayBePlain = false }: { readonly mayBePlain?: boolean } = {}): ValueKind<URL> {
  const words = mayBePlain ? 'an http or https address' : 'an https address (http only to this machine)'
  return {
    words,
    schema: { type: 'string', pattern: '^(https?://|\\$\\{)' },
    read: (raw) => {
      const parsed = URL.canParse(String(raw)) ? new URL(String(raw)) : undefined
      if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
        const isBare = /^[a-z0-9.-]+(:[0-9]+)?(\/|$)/i.test(String(raw))
        return wrong(`must be ${words}`, isBare ? 'Start it with https:// (or http://).' : undefined)
      }
      if (parsed.username !== '' || parsed.password !== '') return wrong('must not contain a user name or password')
      if (parsed.protocol === 'http:' && !mayBePlain && !isLoopback(parsed.hostname)) {
        return wrong('must be an https address: http would send secrets in the clear')
      }
      return right(parsed)
    },
    show: String,
  }
}

export function choice<const T extends string>(...options: readonly T[]): ValueKind<T> {
  const [only, ...others] = options.map((option) => `\`${option}\``)
  const words = others.length === 0 ? `${only}` : `one of ${[only, ...others].join(', ')}`
  return {
    words,
    schema: { enum: [...options] },
    read: (raw) => {
      const found = options.find((option) => option === raw)
      if (found !== undefined) return right(found)
      const meant = nearest(String(raw), options)
      const otherwise = options.length === 1 ? 'Write that, or remove it.' : undefined
      return wrong(`must be ${words.replaceAll('`', '')}`, meant === undefined ? otherwise : `Did you mean ${meant}?`)
    },
    show: (value) => value,
  }
}

function right<T>(value: T): ValueRead<T> {
  return { ok: true, value }
}

function wrong(problem: string, suggestion?: string): ValueRead<never> {
  return suggestion === undefined ? { ok: false, problem } : { ok: false, problem, suggestion }
}
