// The largest possible messages, designed to cost as much as possible.
//
// Each is parsed, checked and written again, as the gateway does when it forwards a message, and none may block the event
// loop for a noticeable time.
import { protocolLimits } from '../../packages/gateway/src/limits.ts'
import { collectGarbage } from '../schema/watch.ts'
import { readAndLook } from './functions.ts'
import { send } from './http.ts'
import type { Servers } from './servers.ts'
import type { Score } from './watch.ts'

const { messageBytes, messageDepth, messageParts, messageSpelledChars } = protocolLimits
const head = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
const room = messageBytes - head.length - 1

function filled(unit: string, times = Math.floor(room / unit.length)): string {
  return unit.repeat(Math.max(0, times))
}

function members(count: number, name: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => `"${name(at)}":0`).join(',')
}

/** By name; the ones marked with ! must be refused. */
export function giants(): ReadonlyMap<string, () => string> {
  const most = messageParts - 40
  const params: readonly (readonly [string, () => string])[] = [
    ['! brackets', () => filled('[')],
    ['! closed brackets', () => filled('[', room / 2) + filled(']', room / 2)],
    ['! objects', () => `{"a":[${filled('{},', room / 3 - 8)}{}]}`],
    ['! objects in objects', () => filled('{"a":') + filled('}')],
    ['! one level too deep', () => levels(messageDepth)],
    ['! fifteen thousand levels', () => levels(15_000)],
    ['! items', () => `{"a":[${filled('0,', room / 2 - 8)}0]}`],
    ['! names', () => `{${members(room / 16, (at) => `n${at}`)}}`],
    ['! one name again and again', () => `{${filled('"a":0,', room / 6 - 2)}"a":0}`],
    ['! quotes', () => filled('"')],
    ['! backslashes', () => `"${filled('\\')}`],
    ['! a text without an end', () => `"${filled('a')}`],
    ['! colons', () => filled(':')],
    ['! spaces', () => filled(' ')],
    ['one text', () => `{"a":"${filled('a', room - 10)}"}`],
    ['one text of escapes', () => `{"a":"${filled('\\n', room / 2 - 8)}"}`],
    ['one text of quotes', () => `{"a":"${filled('\\"', room / 2 - 8)}"}`],
    ['one text of escaped characters', () => `{"a":"${filled('\\u00e9', room / 6 - 4)}"}`],
    ['! escaped names and escapes', () => `{"\\u0061":"${filled('\\"', room / 2 - 16)}"}`],
    [
      'escaped names and as many escapes as allowed',
      () => `{"\\u0061":"${filled('\\"', messageSpelledChars / 2 - 64)}"}`,
    ],
    ['wide characters', () => `{"a":"${filled('→', room / 4)}"}`],
    ['as many names as allowed', () => `{${members(most / 2 - 2, (at) => `n${at}`)}}`],
    ['as many escaped names as allowed', () => `{${members(most / 2 - 2, (at) => `\\u006e${at}`)}}`],
    ['long names', () => `{${members(most / 2 - 2, (at) => `${at}${'x'.repeat(120)}`)}}`],
    ['names that are numbers', () => `{${members(most / 2 - 2, (at) => String(at * 7919))}}`],
    ['objects of all shapes', () => `{"a":[${shapes(most)}]}`],
    ['as many objects as allowed', () => `{"a":[${filled('{},', most / 2)}{}]}`],
    ['as many items as allowed', () => `{"a":[${filled('1e5,', most)}0]}`],
    ['as many texts as allowed', () => `{"a":[${filled(`"${'x'.repeat(60)}",`, most)}0]}`],
    ['as deep as allowed', () => `{"a":${filled('[', messageDepth - 2)}${filled(']', messageDepth - 2)}}`],
    ['an endless tool name', () => `{"name":"${filled('a', room - 40)}","_meta":{}}`],
    ['! one number', () => `{"a":${filled('9', room - 10)}}`],
  ]
  return new Map(params.map(([name, text]) => [name, () => `${head}${text()}}`]))
}

function levels(many: number): string {
  return filled('{"a":', many) + 0 + filled('}', many)
}

function shapes(most: number): string {
  return Array.from({ length: Math.floor(most / 18) }, (_, at) => `{${members(8, (name) => `k${at}_${name}`)}}`).join(
    ',',
  )
}

export function giant(score: Score, name: string, make: () => string): void {
  const flat = Buffer.from(make()).toString()
  // Collect the garbage of the proof first, so that it does not count for the message.
  collectGarbage()
  const kind = `giant: ${name}`
  const read = score.handle(kind, name, () => messageAndBack(flat))
  if (read === undefined) return
  if ((read.again === undefined) !== name.startsWith('!')) score.mistake('a giant was judged wrongly', name)
}

function messageAndBack(text: string): { again: string | undefined } {
  const read = readAndLook(text)
  return { again: read === undefined ? undefined : JSON.stringify(read) }
}

/** The same over HTTP: an invalid message is refused; a valid one gets a reply. */
export async function giantCall(
  score: Score,
  servers: Servers,
  url: string,
  name: string,
  text: string,
): Promise<void> {
  const before = servers.ran.size
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'x-person': 'ann' }
  score.count('giant over HTTP')
  const answer = await send(url, { headers, body: text })
  if (answer === undefined) return score.hang(`giant: ${name}`, name)
  if (answer.status < 400 || (answer.status >= 500 && answer.status !== 503))
    score.mistake('a giant was not refused', name, answer)
  if (servers.ran.size !== before) score.mistake('a giant ran a tool', name)
}
