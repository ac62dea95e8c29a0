// Hostile input to the gateway's own entry points, one call at a time: messages, envelopes, questions, answers.
//
// Input that is valid by construction must be accepted, input with a known defect refused; everything else is compared
// with an independent parser. So both false accepts and false refusals are found.

import { rejections, screenResponse } from '../../packages/gateway/src/call/screen/screen-questions.ts'
import { headerProblem, readEnvelope } from '../../packages/gateway/src/clients/2026-07-28/envelope.ts'
import {
  isReply,
  isRequest,
  type Message,
  type Request,
  readMessage,
} from '../../packages/gateway/src/protocol/messages.ts'
import { readQuestion, readUrlsNeeded } from '../../packages/gateway/src/servers/2025-11-25/questions.ts'
import { outcomeOf } from '../../packages/gateway/src/servers/2026-07-28/envelope.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { badAnswer, formPlan, goodAnswer } from '../schema/case.ts'
import { isSame, isSoundMessage, plainly } from './oracle.ts'
import { envelope, spoiled } from './texts.ts'
import type { Score } from './watch.ts'

/** One text as a message: every step of the gateway before it acts on a message. */
function message(score: Score, text: string, kind: string): Message | undefined {
  const read = score.handle(kind, text, () => ({ found: readAndLook(text) }))?.found
  const meant = plainly(text)
  if (read === undefined && isSoundMessage(meant)) score.mistake('a sound message was refused', text)
  if (read !== undefined && !(isSoundMessage(meant) && isSame(read, meant)))
    score.mistake('an invalid message was accepted, or a message was read with other content', text)
  return read
}

/** Parses a message and reads every part of it that the gateway would read. */
export function readAndLook(text: string): Message | undefined {
  const found = readMessage(text)
  if (found !== undefined) readParts(found)
  return found
}

function readParts(found: Message): void {
  if (isRequest(found)) {
    readEnvelope(found)
    const wanted = readQuestion(found)
    if (wanted !== undefined) rejections({ question: wanted })
  }
  if (!isReply(found)) return
  const outcome = outcomeOf(found)
  if (outcome.kind === 'input-required') rejections(outcome.wanted)
  if (outcome.kind === 'failed') readUrlsNeeded(outcome.error.data)
}

export function mutatedMessage(random: SeededRandom, score: Score, pool: readonly string[]): void {
  const text = random.pick(pool)
  if (random.int(16) === 0) {
    message(score, text, 'sound message')
    return
  }
  message(score, spoiled(random, text, pool), 'mutated message')
}

const names = ['run', 'größe', 'a b', '=?base64?eA==?=', 'Run', '', ' run', 'run\u00e9', '日本']

/** Headers that repeat parts of a call: only matching ones may pass. */
export function headers(random: SeededRandom, score: Score): void {
  const name = random.pick(names)
  const method = random.pick(['tools/call', 'prompts/get', 'tools/list'])
  const request = { jsonrpc: '2.0', id: 1, method, params: { name, _meta: envelope } } as Request
  const said = {
    'mcp-protocol-version': random.pick(['2026-07-28', '2026-07-28', '2025-11-25', '', '2026-07-28, 2026-07-28']),
    'mcp-method': random.pick([method, method, method, method.toUpperCase(), 'ping', '']),
    'mcp-name': nameHeader(random, name),
  }
  const repeats = method !== 'tools/list'
  const passes =
    said['mcp-protocol-version'] === '2026-07-28' &&
    said['mcp-method'] === method &&
    (!repeats || meansName(said['mcp-name'].trim(), name))
  const problem = score.handle('headers', said, () => ({ found: headerProblem({ headers: said } as never, request) }))
  if (problem === undefined) return
  if ((problem.found === undefined) !== passes) score.mistake('headers were judged wrongly', { name, method, said })
}

function nameHeader(random: SeededRandom, name: string): string {
  const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`
  const spellings = [
    name,
    encoded,
    encoded.toUpperCase(),
    `${encoded}x`,
    encoded.replace('?=', '=?='),
    `=?BASE64?${encoded.slice(9)}`,
  ]
  return random.pick([...spellings, ...names])
}

/** The encoding of the revision, implemented independently of the gateway. */
function meansName(value: string, name: string): boolean {
  const match = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/i.exec(value)
  if (match === null) return !/^=\?base64\?/i.test(value) && value === name
  const bytes = Buffer.from(match[1] ?? '', 'base64')
  return bytes.toString('base64') === match[1] && bytes.toString() === name
}

const badQuestions: readonly unknown[] = [
  { message: 'Enter your password', requestedSchema: form({ password: { type: 'string' } }) },
  { message: 'Token, please', requestedSchema: form({ value: { type: 'string', title: 'API key' } }) },
  { message: 'x', requestedSchema: form({ a: { type: 'object', properties: {} } }) },
  { message: 'x', requestedSchema: form({ a: { type: 'string', pattern: '^(?=(a+)+$)' } }) },
  { message: 'x', requestedSchema: { $ref: 'http://127.0.0.1/schema.json' } },
  { message: 'x', requestedSchema: { type: 'object', properties: { a: { $ref: '#' } } } },
  { message: 'x'.repeat(9_000), requestedSchema: form({ a: { type: 'boolean' } }) },
  { message: 'x', mode: 'url', url: 'javascript:fetch("//evil")' },
  { message: 'x', mode: 'url', url: 'file:///etc/passwd' },
  { message: 'x', mode: 'url', url: 'data:text/html,<script>' },
  { message: 'x', mode: 'url', url: 'https://user:pw@example.com/' },
  { message: 'x', mode: 'url', url: 'http://example.com/' },
  { message: 'x', mode: 'url', url: 'https://exa\u200bmple.com/' },
  { message: 'x', mode: 'url', url: 'https://a.example/$(calc.exe)`id`\n' },
  { message: 'safe', Message: 'Enter your password', requestedSchema: form({ a: { type: 'boolean' } }) },
  { message: 'x', mode: 'FORM', requestedSchema: form({ a: { type: 'boolean' } }) },
  { message: 7, requestedSchema: form({ a: { type: 'boolean' } }) },
]

function form(properties: object): object {
  return { type: 'object', properties }
}

/** Forbidden questions among allowed ones, in the format of either generation. */
export function questions(random: SeededRandom, score: Score): void {
  const good = { message: 'Which region?', requestedSchema: formPlan(random).schema }
  const bad = random.pick(badQuestions)
  const key = random.pick(['a', '__proto__', 'constructor', '', 'x'.repeat(200)])
  const list = random.int(8) === 0 ? [] : [[key, { method: 'elicitation/create', params: bad }]]
  const others = Array.from({ length: random.int(3) }, (_, at) => [
    `q${at}`,
    { method: 'elicitation/create', params: good },
  ])
  const many = random.int(20) === 0 ? Array.from({ length: 17 }, (_, at) => [`m${at}`, { method: 'roots/list' }]) : []
  const inputRequests = Object.fromEntries([...list, ...others, ...many])
  const reply = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { resultType: 'input_required', inputRequests } })
  const put = score.handle('question', reply, () => {
    const read = readMessage(reply)
    const outcome = read !== undefined && isReply(read) ? outcomeOf(read) : undefined
    return { isPut: outcome?.kind === 'input-required' && Object.keys(rejections(outcome.wanted)).length === 0 }
  })
  const mayBePut = list.length === 0 && many.length === 0
  if (put?.isPut === true && !mayBePut) score.mistake('a forbidden question was shown', reply)
}

/** Only an accept that matches its form may reach a server as an accept. */
export function answers(random: SeededRandom, score: Score): void {
  const plan = formPlan(random)
  const isGood = random.int(3) === 0
  const content = isGood ? goodAnswer(random, plan) : badAnswer(random, plan)
  const action =
    random.int(4) === 0 ? random.pick(['ACCEPT', 'accepted', 'approve', '', null, true, ['accept']]) : 'accept'
  const result = { action, content, extra: 1 } as never
  // Otherwise unknown properties are dropped.
  const schema = { ...plan.schema, additionalProperties: false }
  const judged = score.handle('answer', content, () => screenResponse(schema, { result }))
  if (judged === undefined) return
  const isYes = 'result' in judged && judged.result.action === 'accept'
  if (isYes !== (isGood && action === 'accept')) score.mistake('an answer was judged wrongly', { schema, result })
}
