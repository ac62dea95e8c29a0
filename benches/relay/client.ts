// The HTTP clients of the relay bench: plain `node:http`, so that the relay is measured and not an SDK.
//
// A line is one client's connection, in one revision. A trip is one call that asks one question and is accepted, timed
// until its result.

import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import {
  accepted,
  callOf,
  checkReleased,
  type Generation,
  initialize,
  initialized,
  type Json,
  type Message,
  personHeader,
  rpc,
  stamped,
  stampedHeaders,
} from './words.ts'

export interface Line {
  /** How long it took. */
  trip(): Promise<number>
  close(): void
}

export interface Where {
  readonly url: URL
  readonly agent: Agent
  readonly headers: Readonly<Record<string, string>>
}

let builds = 0

/** Unique per call. */
export function nextBuild(): string {
  builds += 1
  return `b${builds}`
}

export function whereTo(url: string, agent: Agent, person: string): Where {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    [personHeader]: person,
  }
  return { url: new URL(url), agent, headers }
}

export function openLine(generation: Generation, url: string, agent: Agent, person: string): Promise<Line> {
  const where = whereTo(url, agent, person)
  return generation === '2025-11-25' ? open20251125(where) : Promise.resolve(open20260728(where))
}

async function open20251125(where: Where): Promise<Line> {
  const ignore = () => undefined
  const opening = await post(where, initialize, ignore)
  const session = String(opening.headers['mcp-session-id'])
  const inside = {
    ...where,
    headers: { ...where.headers, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
  }
  await post(inside, initialized, ignore)
  let id = 0
  return {
    trip: async () => {
      id += 1
      const build = nextBuild()
      const startedAt = performance.now()
      let tookMs: number | undefined
      let answering: Promise<unknown> | undefined
      await post(inside, callOf(id, build), (message) => {
        if (message.method === 'elicitation/create') {
          answering = post(inside, rpc({ id: message.id ?? '', result: accepted }), ignore)
          // If the call fails too, its error is thrown, and this one is not awaited.
          answering.catch(ignore)
        } else if (message.method === undefined) {
          tookMs = performance.now() - startedAt
          checkReleased(message, build)
        }
      })
      if (answering === undefined || tookMs === undefined) throw new Error('The call ended without question or result.')
      await answering
      return tookMs
    },
    close: ignore,
  }
}

function open20260728(where: Where): Line {
  return {
    trip: async () => {
      const startedAt = performance.now()
      await settleQuestion(where, await openQuestion(where))
      return performance.now() - startedAt
    },
    close: () => undefined,
  }
}

export interface OpenQuestion {
  readonly build: string
  readonly key: string
  readonly state: string
}

/** A call that returned `input_required`, with the state to continue it. */
export async function openQuestion(where: Where): Promise<OpenQuestion> {
  const build = nextBuild()
  const reply = await replyTo(where, callOf(1, build))
  const { result } = reply
  const [key] = Object.keys((result?.inputRequests ?? {}) as object)
  if (key === undefined || typeof result?.requestState !== 'string')
    throw new Error(`Nothing was asked: ${JSON.stringify(reply)}`)
  return { build, key, state: result.requestState }
}

export async function settleQuestion(where: Where, { build, key, state }: OpenQuestion): Promise<void> {
  const call = callOf(2, build)
  const rounds = { inputResponses: { [key]: accepted }, requestState: state }
  checkReleased(await replyTo(where, { ...call, params: { ...call.params, ...rounds } }), build)
}

/** @param capabilities the declared capabilities; by default forms */
export async function replyTo(where: Where, call: Message, capabilities?: Json): Promise<Message> {
  let reply: Message | undefined
  const headers = { ...where.headers, ...stampedHeaders }
  await post({ ...where, headers }, stamped(call, capabilities), (message) => {
    if (message.method === undefined) reply = message
  })
  if (reply === undefined) throw new Error('The call got no reply.')
  return reply
}

/** Resolves when the response has been read completely, so that its connection can be reused. */
export function post(
  { url, agent, headers }: Where,
  message: Message,
  receive: (message: Message) => void,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const body = JSON.stringify(message)
  const options = { agent, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } }
  const request = httpRequest(url, options, (response) => {
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (isStream) text = readEvents(text, receive)
    })
    response.on('error', reject).on('end', () => {
      try {
        if ((response.statusCode ?? 500) >= 300) throw new Error(`HTTP status ${response.statusCode}: ${text}`)
        if (!isStream && text !== '') receive(JSON.parse(text) as Message)
        resolve(response)
      } catch (error) {
        reject(error)
      }
    })
  })
  request.on('error', reject).end(body)
  return promise
}

/** Returns the incomplete rest. */
function readEvents(text: string, receive: (message: Message) => void): string {
  const events = text.split('\n\n')
  const rest = events.pop() ?? ''
  for (const event of events) {
    const data = event.split('\n').find((line) => line.startsWith('data:'))
    if (data !== undefined && data.length > 'data:'.length + 1)
      receive(JSON.parse(data.slice('data:'.length)) as Message)
  }
  return rest
}
