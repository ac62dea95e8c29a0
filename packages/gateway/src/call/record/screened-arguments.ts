// The arguments of a call as they may be recorded: without what looks like a secret, and not longer than the limit.

import { isPlainObject, type JsonObject, type JsonValue, looksLikeSecret, screenForSecrets } from '@assent/core'
import { relayLimits } from '../../limits.ts'

export interface ScreenedArguments {
  /** As JSON text; undefined if they are too long or too deep. */
  readonly text?: string
  /** JSON pointers to the parts that were left out; an empty one: all of them. */
  readonly hidden: readonly string[]
}

/** In place of a part that was left out. */
export const leftOut = '(secret, not recorded)'
const depthMost = 32

export function screenedArguments(args: JsonObject): ScreenedArguments {
  const hidden: string[] = []
  const screened = screen(args, '', 0, hidden)
  const text = screened === undefined ? undefined : JSON.stringify(screened)
  const pointerChars = hidden.reduce((sum, { length }) => sum + length, 0)
  const isTooLong = text === undefined || text.length + pointerChars > relayLimits.recordArgumentChars
  return isTooLong ? { hidden: [''] } : { text, hidden }
}

/** Undefined if it is too deep. */
function screen(value: JsonValue, pointer: string, depth: number, hidden: string[]): JsonValue | undefined {
  if (depth > depthMost) return undefined
  if (typeof value === 'string') {
    if (looksLikeSecret(value) === undefined) return value
    hidden.push(pointer)
    return leftOut
  }
  if (Array.isArray(value)) {
    const items = value.map((item, index) => screen(item, `${pointer}/${index}`, depth + 1, hidden))
    return items.includes(undefined) ? undefined : (items as JsonValue[])
  }
  if (!isPlainObject(value)) return value
  const members: [string, JsonValue][] = []
  for (const [name, member] of Object.entries(value as JsonObject)) {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (isSecretName(name) && isText(member)) {
      hidden.push(at)
      members.push([name, leftOut])
      continue
    }
    const screened = screen(member, at, depth + 1, hidden)
    if (screened === undefined) return undefined
    members.push([name, screened])
  }
  return Object.fromEntries(members)
}

/** Of a switch or a count called "password", nothing is secret; everything else under such a name is left out. */
function isText(value: JsonValue): boolean {
  return value !== null && typeof value !== 'boolean'
}

export function isSecretName(name: string): boolean {
  return screenForSecrets([{ name }]).length > 0
}
