// The clients of a fleet that is put to the proof, of both generations: each makes calls, one after the other, through the balancer.
//
// A client that holds something to come back with comes back with it until it hears an end. One whose connection breaks
// before that has heard so, and goes on with another call.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Action, CallEnd, CallRecord, Evidence } from './fleet-evidence.part.ts'
import type { SeededRandom } from './random.part.ts'

export interface CrowdOptions {
  readonly url: string
  readonly evidence: Evidence
  readonly random: SeededRandom
  readonly principals: readonly string[]
  /** Questions to be put. */
  readonly asks: number
  readonly callers: number
  /** True when no more calls are wanted, however many are left. */
  readonly isOver: () => boolean
  /** How long a call may take before its caller has heard nothing. */
  readonly patienceMs: number
  /** Waited for before each call begins. */
  readonly pace?: () => Promise<void>
  /** How long a caller keeps its sessions before it begins others. Half of the callers end them, half just go. */
  readonly sessionsKeptMs?: number
}

type Wire = Record<string, unknown> & { result?: Wire; error?: { message: string }; params?: Wire; content?: unknown }

/** Told in place of a result while a person has not answered; without an end when nobody can look. */
interface Pending {
  readonly status?: string
  readonly askId?: string
  readonly expiresAt?: string
}

const asksForms = { elicitation: { form: {} } }
const betweenTriesMs = 50
const noSession = 'no session'
/** Said of a request that nobody replied to, though its connection was whole. */
const noReply = 'no reply in time'

export async function runCrowd(options: CrowdOptions): Promise<void> {
  let left = options.asks
  const { sessionsKeptMs = Number.POSITIVE_INFINITY } = options
  const caller = async (_: unknown, number: number) => {
    let sessions = new Sessions(options.url)
    let keptSince = performance.now()
    while (left > 0 && !options.isOver()) {
      left -= 1
      await options.pace?.()
      if (performance.now() - keptSince > sessionsKeptMs) {
        if (number % 2 === 0) await sessions.endAll()
        sessions = new Sessions(options.url)
        keptSince = performance.now()
      }
      const { kind } = await callOnRecord(newCall(options, left), options, sessions)
      if (kind === 'broken') await sleep(betweenTriesMs)
    }
  }
  await Promise.all(Array.from({ length: options.callers }, caller))
}

/** One call from its beginning to its end, in the evidence. */
export async function callOnRecord(
  record: CallRecord,
  { url, evidence, random, patienceMs }: Pick<CrowdOptions, 'url' | 'evidence' | 'random' | 'patienceMs'>,
  sessions: Sessions,
): Promise<CallEnd> {
  evidence.calls.set(record.ticket, record)
  const given = { url, evidence, thinks: mind(random), patienceMs }
  const end = await makeCall(record, given, sessions)
  record.end = end
  record.endedAtMs = Date.now()
  return end
}

function newCall({ random, principals }: CrowdOptions, number: number): CallRecord {
  return {
    ticket: `t${number}-${random.int(2 ** 30).toString(36)}`,
    principal: random.pick(principals),
    client: random.pick(['2025-11-25', '2026-07-28']),
    server: random.pick(['old', 'new']),
    asked: random.pick(['client', 'inbox']),
  }
}

export interface Given {
  readonly url: string
  readonly evidence: Evidence
  /** What the person at the client says to a question, and when they have thought. */
  readonly thinks: () => Promise<Said>
  readonly patienceMs: number
  /** What a request shows beside the name of its person. */
  readonly headers?: Readonly<Record<string, string>>
  /** Told when the caller is told to come back. */
  readonly onSentAway?: () => void
  /** Whether "not now" is the end for this caller. */
  readonly givesUp?: boolean
}

/** What comes too late is sent all the same, and is no answer. */
export type Said = { readonly action: Action; readonly isLate?: boolean }

/** One call from its beginning to what its caller heard in the end. */
export function makeCall(record: CallRecord, given: Given, sessions: Sessions): Promise<CallEnd> {
  return record.client === '2026-07-28' ? newest(record, given) : older(record, given, sessions)
}

/** What a person at a client makes of a question, decided before it is asked so that a seed repeats it. */
function mind(random: SeededRandom): Given['thinks'] {
  const action: Action = random.next() < 0.7 ? 'accept' : 'decline'
  const forMs = random.int(300)
  return () => sleep(forMs, { action })
}

async function newest(record: CallRecord, given: Given): Promise<CallEnd> {
  const endsAt = performance.now() + given.patienceMs
  const call = toolCall(record)
  let rounds: Wire | undefined
  let last = 'nothing'
  while (performance.now() < endsAt) {
    const heard = await post(record, newestRequest(record, { ...call, ...rounds }), newestHeaders(call), given)
    last = lastWord(last, heard)
    if (heard === noReply) return { kind: 'silence', last }
    if (heard === undefined) {
      if (rounds === undefined) return { kind: 'broken' }
      await sleep(betweenTriesMs)
      continue
    }
    if (heard.error !== undefined) return { kind: 'told', message: heard.error.message }
    const result = heard.result ?? {}
    if (result.resultType !== 'input_required') return endOf(result)
    const asked = Object.keys((result.inputRequests ?? {}) as object)
    rounds = { requestState: result.requestState }
    if (asked.length === 0) {
      given.onSentAway?.()
      continue
    }
    const answer = await answered(record, given)
    rounds = { ...rounds, inputResponses: Object.fromEntries(asked.map((key) => [key, answer])) }
  }
  return { kind: 'silence', last }
}

async function older(record: CallRecord, given: Given, sessions: Sessions): Promise<CallEnd> {
  const over = new AbortController()
  try {
    return await olderRounds(record, given, sessions, over.signal)
  } finally {
    over.abort()
  }
}

async function olderRounds(
  record: CallRecord,
  given: Given,
  sessions: Sessions,
  isOver: AbortSignal,
): Promise<CallEnd> {
  const endsAt = performance.now() + given.patienceMs
  let params = toolCall(record)
  let isPutOff = false
  let last = 'nothing'
  while (performance.now() < endsAt) {
    const session = await sessions.of(record, given.headers)
    const none = given.givesUp === true ? sessions.refusal : 'no session began'
    const heard = session === undefined ? none : await olderCall(record, params, session, given, isOver)
    last = lastWord(last, heard)
    if (heard === noReply) return { kind: 'silence', last }
    if (heard === noSession) sessions.forget(record)
    if (typeof heard === 'string') {
      // What was put off can be fetched again; what was not has ended with its connection.
      if (!isPutOff) return { kind: 'broken' }
      await sleep(betweenTriesMs)
      continue
    }
    if (heard.error !== undefined) return { kind: 'told', message: heard.error.message }
    const pending = heard.result?.structuredContent as Pending | undefined
    if (pending?.status !== 'pending') return endOf(heard.result ?? {})
    // Nobody can say now how it stands.
    if (given.givesUp === true && pending.expiresAt === undefined) return endOf(heard.result ?? {})
    isPutOff = true
    await sleep(betweenTriesMs)
    given.onSentAway?.()
    params = { name: 'assent__await_answer', arguments: { ask_id: pending.askId } }
  }
  return { kind: 'silence', last }
}

/** The last things a caller heard and when, for whoever wonders why it heard no end. */
function lastWord(before: string, heard: unknown): string {
  const text = heard === undefined ? 'no reply' : JSON.stringify(heard)
  const time = new Date().toISOString().slice(11, 23)
  return `${before.slice(-300)} | ${time} ${text.replace(/"requestState":"[^"]*"/, '"requestState":…').slice(0, 120)}`
}

/** One request of a session, and the answers to what is asked in the middle of it. A text says why it broke. */
async function olderCall(
  record: CallRecord,
  params: Wire,
  session: string,
  given: Given,
  isOver: AbortSignal,
): Promise<Wire | string> {
  const { principal, ticket } = record
  const { url } = given
  const headers = { ...given.headers, 'mcp-session-id': session }
  const signal = AbortSignal.timeout(60_000)
  try {
    const response = await send(
      url,
      principal,
      { jsonrpc: '2.0', id: ticket, method: 'tools/call', params },
      headers,
      signal,
    )
    if (response.status === 404) return noSession
    if (!response.ok && given.givesUp === true) return refusalIn(await response.text())
    if (!response.ok) return `status ${response.status}: ${await response.text()}`
    for await (const said of messagesOf(response)) {
      if (said.id === ticket) return said
      if (said.method !== 'elicitation/create') continue
      const answer = { jsonrpc: '2.0', id: said.id, result: await answered(record, given) }
      // Beside the reading: a call whose answer nobody takes ends by itself.
      void deliver(() => status(url, principal, answer, headers), isOver)
    }
    return 'the stream ended'
  } catch (error) {
    return signal.aborted ? noReply : String((error as Error).cause ?? error)
  }
}

/** Until someone has taken it, or the call is over: it is not known whether a broken connection had. */
async function deliver(send: () => Promise<number | undefined>, isOver: AbortSignal): Promise<void> {
  while (!isOver.aborted && (await send()) === undefined) await sleep(betweenTriesMs)
}

/** What the person said, which counts from before it is sent: who hears of it later can have heard it then. */
async function answered({ ticket, server }: CallRecord, { evidence, thinks }: Given): Promise<Wire> {
  const { action, isLate = false } = await thinks()
  if (!isLate) evidence.clientAnswers.push({ ticket, action, atMs: Date.now() })
  return answerOf(action, server)
}

/** The sessions of one caller: one for each person it calls for and each way to be asked, begun when first needed. */
export class Sessions {
  readonly #url: string
  readonly #ids = new Map<string, string>()
  /** What was said the last time that none could be begun. */
  refusal: Wire | string = 'no session began'

  constructor(url: string) {
    this.#url = url
  }

  async of(record: CallRecord, headers: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
    const known = this.#ids.get(keyOf(record))
    if (known !== undefined) return known
    const capabilities = record.asked === 'client' ? asksForms : {}
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'crowd', version: '1' } }
    const message = { jsonrpc: '2.0', id: 0, method: 'initialize', params }
    try {
      const response = await send(this.#url, record.principal, message, headers)
      const text = await response.text()
      const id = response.headers.get('mcp-session-id') ?? undefined
      if (id === undefined) this.refusal = refusalIn(text)
      if (id !== undefined) this.#ids.set(keyOf(record), id)
      return id
    } catch {
      // A replica was killed while it began: nothing has begun that anyone knows of.
      return undefined
    }
  }

  forget(record: CallRecord): void {
    this.#ids.delete(keyOf(record))
  }

  /** As a client does that leaves in good order; a refusal is nobody's loss. */
  async endAll(): Promise<void> {
    for (const [key, id] of this.#ids) {
      const headers = { 'mcp-session-id': id, 'x-person': key.split(' ', 1)[0] ?? '' }
      await fetch(this.#url, { method: 'DELETE', headers }).then(
        (response) => response.text(),
        () => undefined,
      )
    }
    this.#ids.clear()
  }
}

function keyOf({ principal, asked }: CallRecord): string {
  return `${principal} ${asked}`
}

function toolCall({ server, ticket }: CallRecord): Wire {
  return { name: `${server}__run`, arguments: { ticket } }
}

function newestRequest({ ticket, asked }: CallRecord, params: Wire): Wire {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': asked === 'client' ? asksForms : {},
  }
  return { jsonrpc: '2.0', id: ticket, method: 'tools/call', params: { ...params, _meta } }
}

function newestHeaders({ name }: Wire): Record<string, string> {
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': String(name) }
}

export function answerOf(action: Action, server: CallRecord['server'] = 'new'): Wire {
  const decision = server === 'sdk' ? 'approve' : 'go'
  return action === 'accept' ? { action, content: { decision } } : { action }
}

function endOf({ content }: Wire): CallEnd {
  const [first] = (content ?? []) as readonly { text?: string }[]
  const text = first?.text ?? ''
  // What is not the server's own result is the gateway's word on what became of the call.
  return /^(ran|not run) /.test(text) ? { kind: 'result', text } : { kind: 'told', message: text }
}

function send(url: string, person: string, message: Wire, headers = {}, signal?: AbortSignal): Promise<Response> {
  const accept = 'application/json, text/event-stream'
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, 'x-person': person, ...headers },
    body: JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  })
}

/** The reply, or undefined when the connection broke before one came: whether the request arrived is not known then. */
async function post(
  { principal }: CallRecord,
  message: Wire,
  headers: Record<string, string>,
  given: Given,
): Promise<Wire | typeof noReply | undefined> {
  const signal = AbortSignal.timeout(40_000)
  try {
    const all = { ...given.headers, ...headers }
    const response = await send(given.url, principal, message, all, signal)
    // What a gateway says when it cannot reach its database: the same may be sent again.
    if (response.status >= 500 && given.givesUp !== true) return void (await response.text())
    let last: Wire | undefined
    for await (const said of messagesOf(response)) last = said
    return last?.id === undefined && last?.error === undefined ? undefined : last
  } catch {
    return signal.aborted ? noReply : undefined
  }
}

/** What a gateway said in place of a reply. */
function refusalIn(text: string): Wire | string {
  try {
    return JSON.parse(text) as Wire
  } catch {
    return `no words: ${text.slice(0, 100)}`
  }
}

async function status(
  url: string,
  person: string,
  message: Wire,
  headers: Record<string, string>,
): Promise<number | undefined> {
  try {
    const response = await send(url, person, message, headers, AbortSignal.timeout(10_000))
    await response.text()
    return response.status >= 500 ? undefined : response.status
  } catch {
    return undefined
  }
}

async function* messagesOf(response: Response): AsyncGenerator<Wire> {
  if (response.headers.get('content-type') !== 'text/event-stream') {
    const text = await response.text()
    if (text !== '') yield JSON.parse(text)
    return
  }
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + chunk).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1]
      if (data !== undefined) yield JSON.parse(data)
    }
  }
}
