// Messages from servers, whose results keep every digit that was sent.
//
// A number with more digits than a double has would reach the client as another one. What a server says in a result is
// its business and the client's, so such a number is carried as it was written. It is only ever passed on: what the relay
// itself looks at, such as questions, is read as plain numbers.

import { isReply, type Message, readBatch, readMessage } from './messages.ts'
import { outlineOf } from './outline.ts'
import { isUnfinished } from './words-2026-07-28.ts'

/** All messages of a text: one, or a batch, as servers of 2025-03-26 and before may send. None for what is no message. */
export function readServerMessages(given: string): readonly Message[] {
  const text = withoutMark(given)
  if (text.trimStart().startsWith('[')) return readBatch(text)?.map(withOwnId) ?? []
  const message = readServerMessage(text)
  return message === undefined ? [] : [message]
}

/** As `readMessage`. */
export function readServerMessage(given: string): Message | undefined {
  const text = withoutMark(given)
  const message = readOne(text)
  return message === undefined ? undefined : withOwnId(message)
}

/** Without the byte order mark that some servers write before their first character. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** A reply that repeats our id as text is the reply to it: our ids are numbers, and official clients accept it too. */
function withOwnId(message: Message): Message {
  return isReply(message) && typeof message.id === 'string' && digits.test(message.id)
    ? { ...message, id: Number(message.id) }
    : message
}

const digits = /^\d{1,15}$/

function readOne(text: string): Message | undefined {
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
