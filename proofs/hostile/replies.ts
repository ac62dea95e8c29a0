// Hostile servers and hostile answers over real HTTP: what a server sends instead of a reply, and what a client sends
// instead of a person's answer.
//
// A question with the marker must never reach a client, and an invalid answer must never reach a server as a yes.

import type { SeededRandom } from '../../test-kit/random.ts'
import { type Answer, callOf, nextTicket, send } from './http.ts'
import type { Rage, Servers } from './servers.ts'
import { envelope, spoiled, spoiledBytes } from './texts.ts'
import type { Score } from './watch.ts'

const marker = 'SPOILED-QUESTION'
const badParams: readonly object[] = [
  {
    message: `${marker} Enter your password`,
    requestedSchema: { type: 'object', properties: { password: { type: 'string' } } },
  },
  { message: marker, requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } },
  {
    message: marker,
    requestedSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(?=(a+)+$)' } } },
  },
  { message: marker, requestedSchema: { $ref: 'http://127.0.0.1:1/x' } },
  { message: marker, mode: 'url', url: 'javascript:alert(1)//' },
  { message: marker, mode: 'url', url: 'https://user:pw@host.example/' },
  { message: 'fine', Message: marker, requestedSchema: { type: 'object', properties: { a: { type: 'boolean' } } } },
  {
    message: `${marker}${'x'.repeat(9_000)}`,
    requestedSchema: { type: 'object', properties: { a: { type: 'boolean' } } },
  },
]

function hostileText(random: SeededRandom, pool: readonly string[]): string {
  const params = random.pick(badParams)
  const question = { method: 'elicitation/create', params }
  const ask = (key: string) => ({ resultType: 'input_required', inputRequests: { [key]: question }, requestState: 's' })
  return random.pick([
    () => JSON.stringify({ jsonrpc: '2.0', id: 1, result: ask('q') }),
    () => JSON.stringify({ jsonrpc: '2.0', id: 1, result: ask('constructor') }),
    () => JSON.stringify({ jsonrpc: '2.0', id: 77, ...question }),
    () =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        result: { resultType: 'complete', ResultType: 'input_required', note: marker },
      }),
    () =>
      `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","note":"${marker}","resultType":"input_required"}}`,
    () => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { resultType: 'input_required', inputRequests: marker } }),
    () =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32_042, message: 'x', data: { elicitations: [{ ...params, mode: 'url' }] } },
      }),
    () => spoiled(random, random.pick(pool), pool),
    () => '['.repeat(100_000),
    () => '',
  ])()
}

function hostileResponse(random: SeededRandom, pool: readonly string[]): Rage {
  const status = random.pick([200, 200, 200, 200, 202, 204, 301, 400, 401, 403, 404, 500, 503])
  const saying = hostileText(random, pool)
  const isStream = random.int(2) === 0
  const events = `retry: 1\nid: ${random.int(9)}\ndata: ${saying}\n\n`
  const text = isStream ? events : saying
  const bytes = random.int(4) === 0 ? spoiledBytes(random, Buffer.from(text)) : Buffer.from(text)
  const type = isStream ? 'text/event-stream' : random.pick(['application/json', 'application/json', 'text/html', ''])
  return { status, type, bytes, isCut: random.int(4) === 0 }
}

/** Whatever a server sends, its caller gets a reply, and no forbidden question. */
export async function rage(
  random: SeededRandom,
  score: Score,
  servers: Servers,
  url: string,
  pool: readonly string[],
): Promise<void> {
  const ticket = nextTicket()
  servers.rages.set(ticket, hostileResponse(random, pool))
  score.count('reply of a hostile server')
  const answer = await send(url, callOf(random.pick(['new__rage', 'old__rage']), ticket))
  const raged = servers.rages.get(ticket)
  const said = raged?.bytes.toString('latin1') ?? ''
  servers.rages.delete(ticket)
  if (answer === undefined) return score.hang('a hostile server', said)
  // A 5xx status may be forwarded with the server's own error; any other is a fault of the gateway.
  const isBroken = answer.status === 0 || (answer.status >= 500 && answer.status !== raged?.status)
  if (isBroken) score.mistake('a hostile server broke a request', said, answer)
  if (asked(answer).includes(marker)) score.mistake('a forbidden question was shown', said, answer)
}

/** What a client would show: all questions in the reply. */
function asked({ text }: Answer): string {
  return [...text.matchAll(/\{[^\n]*\}/g)]
    .map(([json]) => {
      try {
        const { result, method, params } = JSON.parse(json)
        return JSON.stringify([
          result?.resultType === 'input_required' ? result : '',
          method === undefined ? '' : params,
        ])
      } catch {
        return json
      }
    })
    .join('\n')
}

const badContents: readonly unknown[] = [
  {},
  null,
  [],
  'eu',
  { region: 'asia' },
  { region: ['eu'] },
  { region: 'eu', more: true },
  { region: 'EU' },
  { region: 'eu ' },
  { region: null },
  { Region: 'eu' },
  { region: { toString: 'eu' } },
  { region: 0 },
]
const badActions: readonly unknown[] = [
  'ACCEPT',
  'accepted',
  'approve',
  '',
  null,
  true,
  1,
  ['accept'],
  { accept: true },
]

/** An answer to a question of either server; only a valid one is a yes, and it arrives unchanged. */
export async function answer(random: SeededRandom, score: Score, servers: Servers, url: string): Promise<void> {
  const ticket = nextTicket()
  const name = random.pick(['new__ask', 'old__ask'])
  const first = await send(url, callOf(name, ticket))
  const { requestState, inputRequests } = resultOf(first)
  const [key = 'question'] = Object.keys(inputRequests ?? {})
  score.count('answer over HTTP')
  if (first === undefined) return score.hang('a question', ticket)
  if (typeof requestState !== 'string') return score.mistake('a sound question was not shown', first)
  const isGood = random.int(3) === 0
  const isAction = random.int(3) > 0
  const response = isGood
    ? { action: 'accept', content: { region: random.pick(['eu', 'us']) } }
    : isAction
      ? { action: 'accept', content: random.pick(badContents) }
      : { action: random.pick(badActions), content: { region: 'eu' } }
  const meta = { ...envelope, 'io.modelcontextprotocol/clientInfo': { name: 'claude-code', version: '9.9.9' } }
  const retry = callOf(name, ticket, { requestState, inputResponses: { [key]: response }, _meta: meta })
  const second = await send(url, retry)
  if (second === undefined) return score.hang('an answer', JSON.stringify(response))
  if (second.status >= 500) score.mistake('an answer broke a request', JSON.stringify(response), second)
  const received = servers.yes.get(ticket)
  servers.yes.delete(ticket)
  const isRight = isGood ? JSON.stringify(received) === JSON.stringify(response.content) : received === undefined
  if (!isRight)
    score.mistake(
      'a server received another answer than the person gave',
      JSON.stringify({ name, response, received }),
      second,
    )
}

function resultOf(answered: Answer | undefined): { requestState?: unknown; inputRequests?: object } {
  try {
    return JSON.parse(/\{.*\}/s.exec(answered?.text ?? '')?.[0] ?? '').result ?? {}
  } catch {
    return {}
  }
}
