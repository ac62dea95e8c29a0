// Messages from servers. Numbers in results keep every digit that was sent.
//
// A number with more digits than a double has would reach the client as a different one. The content of a result
// concerns only the server and the client, so such a number is passed on as it was written. In content that the relay
// reads itself, such as questions, numbers are plain doubles.

import { isReply, type Message, readBatch, readMessage } from './messages.ts'
import { needsInput } from './names-2026-07-28.ts'
import { outlineOf } from './outline.ts'

/** All messages in a text: one, or a batch, as servers of 2025-03-26 and before may send. Empty for invalid text. */
export function readServerMessages(given: string): readonly Message[] {
  const text = withoutMark(given)
  if (text.trimStart().startsWith('[')) return readBatch(text)?.map(withOwnId) ?? []
  const message = readServerMessage(text)
  return message === undefined ? [] : [message]
}

/** Like `readMessage`. */
export function readServerMessage(given: string): Message | undefined {
  const text = withoutMark(given)
  const message = readOne(text)
  return message === undefined ? undefined : withOwnId(message)
}

/** Removes the byte order mark that some servers write first. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** Our ids are numbers. A reply that repeats one as a string is matched too, as official clients do. */
function withOwnId(message: Message): Message {
  return isReply(message) && typeof message.id === 'string' && digits.test(message.id)
    ? { ...message, id: Number(message.id) }
    : message
}

const digits = /^\d{1,15}$/

function readOne(text: string): Message | undefined {
  const message = readMessage(text)
  if (message === undefined || !('result' in message) || !mayLoseDigits.test(text)) return message
  // Escaped member names are not safe with JSON.parse; in such a result numbers are rounded.
  if (needsInput(message.result) || outlineOf(text)?.hasEscapedNames !== false) return message
  return parseExactly(text) as Message
}

/** Sixteen digits in a row, or an exponent of three digits: every other number survives as a double. */
const mayLoseDigits = /\d{16}|\d\.\d{15}|[eE][+-]?\d{3}/

// Typed here, because the library's own declarations do not have them yet.
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, revive: (name: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): object
}

/** A number that a double would change is kept as written, for `JSON.stringify` only. */
export function parseExactly(text: string): unknown {
  return parse(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value,
  )
}
