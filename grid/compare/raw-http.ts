// A hand-written HTTP client, for requests that no SDK allows.

import type { Address } from '../../test-kit/mcp/address.ts'
import type { Seen } from './caller.ts'
import { normalSeen } from './normal.ts'

type Wire = Record<string, unknown>

export interface Received {
  readonly status: number
  readonly messages: readonly Wire[]
  readonly session?: string
}

export interface StreamEvent {
  readonly id?: string
  readonly message?: Wire
}

const patienceMs = 60_000
const accepts = { accept: 'application/json, text/event-stream' }
const sends = { 'content-type': 'application/json' }

export function send(
  to: Address,
  method: string,
  headers: Record<string, string>,
  body?: unknown,
  signal: AbortSignal = AbortSignal.timeout(patienceMs),
): Promise<Response> {
  if (!('url' in to)) throw new Error('This client needs an address.')
  return fetch(to.url, {
    method,
    headers: { ...accepts, ...(body === undefined ? {} : sends), ...to.headers, ...headers },
    signal,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

export async function post(to: Address, body: unknown, headers: Record<string, string> = {}): Promise<Received> {
  return received(await send(to, 'POST', headers, body))
}

export async function received(response: Response): Promise<Received> {
  const { status } = response
  const session = response.headers.get('mcp-session-id')
  const messages: Wire[] = []
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
    for await (const { message } of eventsOf(response)) if (message !== undefined) messages.push(message)
  } else {
    const text = await response.text()
    const read = parsed(text)
    messages.push(...(Array.isArray(read) ? read : read === undefined ? [] : [read]))
  }
  return { status, messages, ...(session === null ? {} : { session }) }
}

function parsed(text: string): Wire | Wire[] | undefined {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    rest += chunk
    const events = rest.split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) yield readEvent(event)
  }
}

function readEvent(text: string): StreamEvent {
  const lines = text.split(/\r?\n/)
  const linesOf = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1).trimStart()] : []))
  const [id] = linesOf('id')
  const message = parsed(linesOf('data').join('\n'))
  return {
    ...(id === undefined ? {} : { id }),
    ...(message === undefined || Array.isArray(message) ? {} : { message }),
  }
}

/** The status, and the replies in the order of their ids; of a refusal its code, because the words are the server's own. */
export function normalReceived({ status, messages }: Received): unknown {
  const replies = messages.filter((message) => message.method === undefined)
  if (status >= 400) return { status, code: (replies[0]?.error as { code?: number } | undefined)?.code }
  const sorted = [...replies].sort((a, b) => String(a.id).localeCompare(String(b.id)))
  return {
    status,
    replies: sorted.map((reply) => [reply.id, normalSeen(reply as Seen, { isMixed: false })]),
  }
}

export interface RawSession {
  readonly id: string
  readonly headers: Record<string, string>
  post(body: unknown, headers?: Record<string, string>): Promise<Received>
}

export interface RawSessionOptions {
  readonly revision?: string
  readonly capabilities?: object
  /** Does not send `notifications/initialized`. */
  readonly isSilent?: true
}

/** A session of the older revisions. */
export async function openSession(to: Address, options: RawSessionOptions = {}): Promise<RawSession> {
  const { revision = '2025-11-25', capabilities = {} } = options
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'grid-raw', version: '1' } }
  const { session = '' } = await post(to, { jsonrpc: '2.0', id: 'open', method: 'initialize', params })
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': revision }
  const opened: RawSession = {
    id: session,
    headers,
    post: (body, more = {}) => post(to, body, { ...headers, ...more }),
  }
  if (options.isSilent !== true) await opened.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return opened
}

/** A request of revision 2026-07-28, with everything that belongs to it. */
export function newestRequest(method: string, params: Wire = {}, id: string | number = 1): Wire {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'grid-raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(params._meta as Wire | undefined),
  }
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } }
}

export function newestHeaders(method: string, name?: string): Record<string, string> {
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  }
}
