// Ids: a time, so that a database keeps them in order, then 128 random bits.
//
// An id is not a secret and proves nothing: a request that names one is still checked against the principal that it
// belongs to. Time and randomness come from the caller.

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeChars = 10
const randomBytes = 16

export type IdKind = 'ask' | 'call' | 'grant' | 'decision' | 'state' | 'secret' | 'passkey' | 'record' | 'definition'

/** Returns this many random bytes from a cryptographic source. */
export type RandomBytes = (count: number) => Uint8Array

/** For example `ask_01k9x2m5r8` followed by 26 random letters and digits. */
export function newId(kind: IdKind, nowMs: number, random: RandomBytes): string {
  const bytes = random(randomBytes)
  if (bytes.length !== randomBytes) throw new RangeError('The random source returned the wrong number of bytes.')
  return `${kind}_${encodeTime(nowMs)}${encodeBytes(bytes)}`
}

const idPattern = /^[a-z]+_[0-9a-hjkmnp-tv-z]{36}$/

export function isId(value: string, kind: IdKind): boolean {
  return value.startsWith(`${kind}_`) && idPattern.test(value)
}

const nameCharsMost = 256
// Control characters could break a log line, a terminal or a header; an unpaired surrogate is not a character.
const forbiddenInNames = /\p{Cc}|\p{Cs}|\u2028|\u2029/u

/** A name given by configuration or identity: a server, a person, a tenant. */
export function isName(value: string): boolean {
  return value.length > 0 && value.length <= nameCharsMost && !forbiddenInNames.test(value)
}

/** When an id was made. Only for authenticated ids, for example from sealed state: anyone can write another time. */
export function timeOfId(id: string): number {
  const time = id.slice(id.indexOf('_') + 1).slice(0, timeChars)
  return Array.from(time).reduce((ms, letter) => ms * 32 + alphabet.indexOf(letter), 0)
}

function encodeTime(nowMs: number): string {
  if (!Number.isSafeInteger(nowMs) || nowMs < 0) throw new RangeError('An id needs a time in whole milliseconds.')
  let rest = nowMs
  let text = ''
  for (let i = 0; i < timeChars; i++) {
    text = alphabet[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

function encodeBytes(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >>> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  if (bits > 0) text += alphabet[(held << (5 - bits)) & 31]
  return text
}
