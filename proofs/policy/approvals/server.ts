// A server of revision 2026-07-28 that keeps the arguments of every call that it runs. Some of its tools ask the client first.

import { createServer, type IncomingMessage } from 'node:http'
import type { JsonObject, JsonValue } from '@assent/core'
import { listen } from '../../../test-kit/listen.ts'

export interface CountingServer {
  readonly url: string
  /** The arguments of the calls that ran, as JSON text, by the name of the tool. */
  readonly runs: ReadonlyMap<string, readonly string[]>
  /** The tools that it lists, and what each asks the client in every call. */
  define(definition: JsonObject & { readonly name: string }, question?: Question): void
  forget(tool: string): void
  close(): Promise<void>
}

export type Question = 'form' | 'roots'

/** The key of the question. */
export const questionKey = 'where'
const questions: Readonly<Record<Question, JsonObject>> = {
  form: {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Which region?',
      requestedSchema: { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] },
    },
  },
  roots: { method: 'roots/list' },
}

interface Received {
  readonly id?: number
  readonly method: string
  readonly params: { readonly name?: string; readonly arguments?: JsonValue; readonly inputResponses?: JsonValue }
}

/** @param alter changes what it runs with, to check that the proof finds it */
export async function startServer(alter: (given: JsonValue) => JsonValue = (given) => given): Promise<CountingServer> {
  const runs = new Map<string, string[]>()
  const tools = new Map<string, JsonObject>()
  const asks = new Map<string, Question>()
  const resultOf = ({ method, params: { name = '', arguments: given = {}, inputResponses } }: Received): JsonObject => {
    if (method === 'server/discover') return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
    if (method === 'tools/list') return { tools: [...tools.values()], ttlMs: 0, cacheScope: 'public' }
    if (method !== 'tools/call') return {}
    const asked = asks.get(name)
    if (asked !== undefined && inputResponses === undefined)
      return {
        resultType: 'input_required',
        inputRequests: { [questionKey]: questions[asked] },
        requestState: 'asked',
      }
    const before = runs.get(name) ?? []
    runs.set(name, [...before, JSON.stringify(alter(given))])
    return { content: [{ type: 'text', text: 'done' }] }
  }
  const server = createServer({ keepAliveTimeout: 65_000 }, async (message, response) => {
    const received = JSON.parse(await bodyOf(message)) as Received
    const result = { resultType: 'complete', ...resultOf(received) }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: received.id, result }))
  })
  const { url, close } = await listen(server)
  return {
    url,
    runs,
    define: (definition, question) => {
      tools.set(definition.name, definition)
      if (question !== undefined) asks.set(definition.name, question)
    },
    forget: (tool) => {
      tools.delete(tool)
      asks.delete(tool)
    },
    close,
  }
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of message.setEncoding('utf8')) body += chunk
  return body
}
