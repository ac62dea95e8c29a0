// An independent implementation of message parsing, without regard for speed.
import { isDeepStrictEqual } from 'node:util'

const depthMost = 256

/** The value, if it is JSON that every parser reads in the same way: no duplicate names, not too deep. Otherwise undefined. */
export function plainly(text: string): unknown {
  try {
    return new Reader(text).whole()
  } catch {
    return undefined
  }
}

/** Recursive descent over the grammar of RFC 8259, one character at a time. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): unknown {
    const value = this.#value(0)
    if (this.#at < this.#text.length) throw new SyntaxError('more')
    return value
  }

  #value(depth: number): unknown {
    this.#space()
    const char = this.#text[this.#at]
    const value =
      char === '{'
        ? this.#object(depth + 1)
        : char === '['
          ? this.#list(depth + 1)
          : char === '"'
            ? this.#string()
            : this.#word()
    this.#space()
    return value
  }

  #object(depth: number): unknown {
    if (depth > depthMost) throw new RangeError('deep')
    const members = new Map<string, unknown>()
    this.#at += 1
    this.#space()
    if (this.#text[this.#at] === '}') this.#at += 1
    else {
      do {
        this.#space()
        const name = this.#string()
        if (members.has(name)) throw new SyntaxError('twice')
        this.#space()
        this.#expect(':')
        members.set(name, this.#value(depth))
      } while (this.#text[this.#at++] === ',')
      if (this.#text[this.#at - 1] !== '}') throw new SyntaxError('}')
    }
    return Object.fromEntries(members)
  }

  #list(depth: number): unknown {
    if (depth > depthMost) throw new RangeError('deep')
    const items: unknown[] = []
    this.#at += 1
    this.#space()
    if (this.#text[this.#at] === ']') {
      this.#at += 1
      return items
    }
    do items.push(this.#value(depth))
    while (this.#text[this.#at++] === ',')
    if (this.#text[this.#at - 1] !== ']') throw new SyntaxError(']')
    return items
  }

  #string(): string {
    this.#expect('"')
    let read = ''
    for (;;) {
      const char = this.#text[this.#at++]
      if (char === undefined || char < ' ') throw new SyntaxError('text')
      if (char === '"') return read
      read += char === '\\' ? this.#escape() : char
    }
  }

  #escape(): string {
    const character = this.#text[this.#at++] ?? ''
    const short = '"\\/bfnrt'.indexOf(character)
    if (character !== '' && short >= 0) return '"\\/\b\f\n\r\t'.charAt(short)
    const hex = this.#text.slice(this.#at, this.#at + 4)
    if (character !== 'u' || !/^[0-9a-f]{4}$/i.test(hex)) throw new SyntaxError('escape')
    this.#at += 4
    return String.fromCharCode(Number.parseInt(hex, 16))
  }

  #word(): unknown {
    const match = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/.exec(
      this.#text.slice(this.#at, this.#at + 400),
    )
    if (match === null) throw new SyntaxError('word')
    this.#at += match[0].length
    return match[0] === 'true' ? true : match[0] === 'false' ? false : match[0] === 'null' ? null : Number(match[0])
  }

  #expect(char: string): void {
    if (this.#text[this.#at++] !== char) throw new SyntaxError(char)
  }

  #space(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1
  }
}

const words = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']
const requestWords = ['name', 'arguments', 'uri', '_meta', 'requestState', 'inputResponses']
const resultWords = ['resultType', 'inputRequests', 'requestState', '_meta']

/** Whether this value is a valid message. */
export function isSoundMessage(value: unknown): boolean {
  if (!isObject(value) || value.jsonrpc !== '2.0' || foldsInto(value, words)) return false
  if (Object.hasOwn(value, 'params') && !isObject(value.params)) return false
  const hasId = typeof value.id === 'string' || Number.isSafeInteger(value.id)
  if (value.id !== undefined && foldsInto(value.params, requestWords)) return false
  if (foldsInto(value.result, resultWords)) return false
  if (value.method !== undefined) {
    if (typeof value.method !== 'string') return false
    return value.id === undefined ? value.method.startsWith('notifications/') : hasId
  }
  if (isObject(value.result)) return hasId && value.error === undefined
  return isObject(value.error) && typeof value.error.code === 'number' && typeof value.error.message === 'string'
}

/** Whether the parsed value equals the text. Lone surrogates and −0 are compared exactly. */
export function isSame(read: unknown, meant: unknown): boolean {
  return isDeepStrictEqual(read, meant)
}

function foldsInto(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  const like = new RegExp(`^(?:${names.join('|')})$`, 'iu')
  return Object.keys(value).some((name) => !names.includes(name) && like.test(name))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
