// Messages from servers, whose results keep every digit that was sent.
//
// A number with more digits than a double has would reach the client as another one. What a server says in a result is
// its business and the client's, so such a number is carried as it was written. It is only ever passed on: what the relay
// itself looks at, such as questions, is read as plain numbers.

import { type Message, readBatch, readMessage } from './messages.ts'
import { outlineOf } from './outline.ts'
import { isUnfinished } from './words-2026-07-28.ts'

/** All messages of a text: one, or a batch, as servers of 2025-03-26 and before may send. None for what is no message. */
export function readServerMessages(text: string): readonly Message[] {
  if (text.trimStart().startsWith('[')) return readBatch(text) ?? []
  const message = readServerMessage(text)
  return message === undefined ? [] : [message]
}

/** As `readMessage`. */
export function readServerMessage(text: string): Message | undefined {
  const message = readMessage(text)
  if (message === undefined || !('result' in message) || !mayLoseDigits.test(text)) return message
  // Names with escapes are not safe with JSON.parse; such a result has its numbers rounded.
  if (isUnfinished(message.result) || outlineOf(text)?.hasEscapedNames !== false) return message
  return parseExactly(text) as Message
}

/** Sixteen digits in a row, or an exponent of three: everything else survives a double. */
const mayLoseDigits = /\d{16}|\d\.\d{15}|[eE][+-]?\d{3}/

// Typed here, because the library's own declarations do not have them yet.
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, revive: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): object
}

/** A number that would come out in another spelling stays as it was written, for `JSON.stringify` alone to read. */
export function parseExactly(text: string): unknown {
  return parse(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  )
}
