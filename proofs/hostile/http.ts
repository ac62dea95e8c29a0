// Hostile callers over real HTTP: each attempt has a ticket, and the tool reports the ticket when it runs.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import type { SeededRandom } from '../../test-kit/random.ts'
import { isSoundMessage, plainly } from './oracle.ts'
import type { Servers } from './servers.ts'
import { envelope, spoiled, spoiledBytes } from './texts.ts'
import { type Score, within } from './watch.ts'

export interface Attempt {
  readonly headers: Record<string, string>
  readonly body: Buffer | string
  readonly method?: string
  readonly path?: string
}
export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Record<string, unknown>
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const deadlineMs = 60_000
/** A connection that was idle for this long may have been closed by the server: the machine paused. */
const staleAfterMs = 3_000
const lastUsedAt = new WeakMap<object, number>()

/** Status 0 if the connection was closed, which is a refusal too; undefined if there was no reply. */
export async function send(url: string, attempt: Attempt): Promise<Answer | undefined> {
  const answer = await sendOver(agent, url, attempt)
  return answer === 'stale' ? ((await sendOver(false, url, attempt)) as Answer | undefined) : answer
}

/** `stale` if the connection broke that it was sent on, and had been idle for long. */
async function sendOver(
  via: Agent | false,
  url: string,
  { headers, body, method = 'POST', path }: Attempt,
): Promise<Answer | 'stale' | undefined> {
  const { promise, resolve } = Promise.withResolvers<Answer | 'stale'>()
  const target = new URL(url)
  const broken = { status: 0, text: '', headers: {} }
  const sending = httpRequest(
    { host: target.hostname, port: target.port, path: path ?? target.pathname, method, headers, agent: via },
    (response) => {
      // Read now: Node detaches it at the end.
      const { socket } = response
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => resolve(broken))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        lastUsedAt.set(socket, performance.now())
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers })
      })
    },
  )
  sending.on('error', () => {
    const usedAt = sending.socket === null ? undefined : lastUsedAt.get(sending.socket)
    resolve(usedAt !== undefined && performance.now() - usedAt > staleAfterMs ? 'stale' : broken)
  })
  sending.end(body)
  const answer = await within(deadlineMs, promise)
  if (answer === undefined) sending.destroy()
  return answer?.value
}

let tickets = 0
/** With a digest, so that noise in one call cannot turn its ticket into that of another call. */
export function nextTicket(): string {
  tickets += 1
  return `t${tickets}-${createHash('sha256').update(String(tickets)).digest('hex').slice(0, 12)}`
}

export function callOf(name: string, ticket: string, more: object = {}): Attempt {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { ticket }, ...more, _meta: envelope },
  }
  return {
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      'x-person': 'ann',
      authorization: 'Bearer the-callers-own',
    },
    body: JSON.stringify(body),
  }
}

type Spoiler = (attempt: Attempt & { body: string }, random: SeededRandom) => Attempt
const header =
  (name: string, value: string): Spoiler =>
  (attempt) => ({ ...attempt, headers: { ...attempt.headers, [name]: value } })
const text =
  (from: string | RegExp, to: string): Spoiler =>
  (attempt) => ({ ...attempt, body: attempt.body.replace(from, to) })

/** Changes after which a call must not run, each named after its threat. */
export const spoilers: Readonly<Record<string, Spoiler>> = {
  'an empty identity': header('x-person', ''),
  'a stranger': header('x-person', 'mallory'),
  'an identity that cannot be checked (LiteLLM CVE-2026-12773)': header('x-person', 'boom'),
  'two identities': header('x-person', 'ann, bob'),
  'identity by a header of a proxy (Kuadrant GHSA-g53w-w6mj-hrpp)': (attempt) => ({
    ...attempt,
    headers: {
      ...attempt.headers,
      'x-person': '',
      'x-forwarded-user': 'ann',
      'x-mcp-principal': 'ann',
      'router-key': 'secret',
    },
  }),
  'another host (CVE-2025-66414, CVE-2026-35568)': header('host', 'evil.example'),
  'a host that looks like ours': header('host', 'localhost.evil.example'),
  'a host by another name of the address': header('host', '127.0.0.1.nip.io'),
  'an invalid host (Starlette CVE-2026-48710)': header('host', 'local host'),
  'a page of another site': header('origin', 'https://evil.example'),
  'a page without an origin': header('origin', 'null'),
  'a page on a port of a look-alike': header('origin', 'http://localhost.evil.example:80'),
  'another media type': header('content-type', 'text/plain'),
  'an HTML form (CSRF)': header('content-type', 'application/x-www-form-urlencoded'),
  'another tool in the header': header('mcp-name', 'new__list'),
  'another method in the header': header('mcp-method', 'tools/list'),
  'another revision in the header': header('mcp-protocol-version', '2025-11-25'),
  'a badly encoded name': header('mcp-name', '=?base64?%%%?='),
  'another path': (attempt) => ({ ...attempt, path: '/mcp/../admin' }),
  'another verb': (attempt) => ({ ...attempt, method: 'PUT' }),
  'an unknown revision': (attempt) => ({
    headers: { ...attempt.headers, 'mcp-protocol-version': '2099-01-01' },
    body: attempt.body.replace('2026-07-28', '2099-01-01'),
  }),
  'no capabilities': text('clientCapabilities', 'clientcapabilities'),
  'a name twice': text('"params":{', '"params":{"name":"new__list",'),
  'a method twice': text('"id":1', '"id":1,"method":"tools/list"'),
  'a name in another case (Go SDK CVE-2026-27896)': text('"arguments"', '"Name":"new__drop","arguments"'),
  'a member name with a long s (ſ)': text('"arguments"', '"argument\u017f":{},"arguments"'),
  'arguments twice, once with an escaped name': text('"arguments"', '"\\u0061rguments":{},"arguments"'),
  'an id that is rounded': text('"id":1', '"id":9007199254740993'),
  'a batch': (attempt) => ({ ...attempt, body: `[${attempt.body}]` }),
  'two messages': (attempt) => ({ ...attempt, body: attempt.body + attempt.body }),
  'JSON with comments': text('"id"', '/* */"id"'),
  'invalid UTF-8 (python-sdk #2328)': (attempt) => ({
    ...attempt,
    body: Buffer.concat([
      Buffer.from(attempt.body.slice(0, -1)),
      Buffer.from(',"x":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]),
  }),
  'too deep': text('"_meta":{', `"_meta":{"deep":${'['.repeat(300)}${']'.repeat(300)},`),
  'too large': text('"_meta":{', `"_meta":{"large":"${'x'.repeat(4_200_000)}",`),
  'too many parts': text('"_meta":{', `"_meta":{"many":[${'0,'.repeat(50_000)}0],`),
  'a state that is not ours': text(
    '"arguments"',
    '"requestState":"assent1.hostile.AAAA","inputResponses":{"question":{"action":"accept"}},"arguments"',
  ),
  'a state that is not a string': text('"arguments"', '"requestState":{"asked":true},"arguments"'),
  'an unknown session (CVE-2025-6515)': (attempt) => ({
    headers: {
      'content-type': 'application/json',
      'x-person': 'ann',
      'mcp-session-id': '00000000-0000-4000-8000-000000000000',
    },
    body: attempt.body.replace(/,"_meta":\{.*\}\}\}$/, '}}'),
  }),
}

export async function soundCall(score: Score, servers: Servers, url: string, name: string): Promise<void> {
  const ticket = nextTicket()
  score.count('sound call over HTTP')
  const answer = await send(url, callOf(name, ticket))
  if (answer === undefined) return score.hang('a sound call', ticket)
  if (answer.status !== 200 || servers.ran.get(ticket) !== 1) score.mistake('a sound call did not run once', answer)
}

export async function spoiledCall(
  random: SeededRandom,
  score: Score,
  servers: Servers,
  url: string,
  which?: string,
): Promise<void> {
  const kind = which ?? random.pick(Object.keys(spoilers))
  const ticket = nextTicket()
  const sound = callOf(random.pick(['new__run', 'old__run']), ticket) as Attempt & { body: string }
  score.count('spoiled call over HTTP')
  const answer = await send(url, spoilers[kind]?.(sound, random) ?? sound)
  if (answer === undefined) return score.hang(kind, ticket)
  if (servers.ran.has(ticket)) score.mistake(`a tool ran for: ${kind}`, answer)
  const isRefused =
    answer.status === 0 || (answer.status >= 400 && (answer.status < 500 || kind.includes('cannot be checked')))
  if (!isRefused) score.mistake(`not refused: ${kind}`, answer)
}

/** Noise: a call with random defects. It may run only if every parser reads it as the same call. */
export async function noisyCall(
  random: SeededRandom,
  score: Score,
  servers: Servers,
  url: string,
  pool: readonly string[],
): Promise<void> {
  const ticket = nextTicket()
  const sound = callOf('new__run', ticket) as Attempt & { body: string }
  const body = random.int(2) === 0 ? spoiledBytes(random, Buffer.from(sound.body)) : spoiled(random, sound.body, pool)
  score.count('noise over HTTP')
  const answer = await send(url, { ...sound, body })
  if (answer === undefined) return score.hang('noise', String(body))
  if (answer.status >= 500 && answer.status !== 503) score.mistake('noise broke a request', String(body), answer)
  const meant = Buffer.isBuffer(body) && !isUtf8(body) ? undefined : plainly(String(body))
  if (servers.ran.has(ticket) && !isSoundMessage(meant)) score.mistake('noise ran a tool', String(body), answer)
}

const beginnings = [
  'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-person: ann\r\n',
  'GET // HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'POST http:// HTTP/1.1\r\nhost: localhost\r\nx-person: ann\r\n\r\n',
  'CONNECT /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET /mcp HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\nx-person: ann\r\n\r\n',
]
const endings = [
  'content-length: 10\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nPOST /mcp HTTP/1.1\r\n',
  'transfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nx',
  'transfer-encoding: chunked\r\n\r\n5\r\n{"jso\r\n',
  'content-length: 100\r\n\r\n{"jsonrpc":',
  'content-length: -1\r\n\r\n{}',
  `x: ${'y'.repeat(20_000)}\r\n\r\n`,
  `${'a: b\r\n'.repeat(3_000)}\r\n`,
  'expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}',
  '\r\n\r\n\r\n',
]

/** Malformed HTTP on a raw socket (CVE-2025-53365, CVE-2025-53366: one bad request ends a server). */
export async function rawCall(random: SeededRandom, score: Score, url: string): Promise<void> {
  const bytes = spoiledBytes(random, Buffer.from(random.pick(beginnings) + random.pick(endings)))
  const { hostname, port } = new URL(url)
  score.count('raw bytes to the port')
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(random.int(3) === 0 ? bytes : bytes.subarray(0, random.int(bytes.length))),
    )
    socket.on('error', () => undefined).on('close', () => resolve())
    socket.on('data', (answer) => {
      if (/^HTTP\/1\.1 500/.test(answer.toString('latin1')))
        score.mistake('raw bytes broke a request', bytes.toString('latin1'))
      socket.destroy()
    })
    // Half of them disconnect in the middle; the others wait a short time for an answer.
    setTimeout(() => socket.destroy(), random.int(30))
  })
}
