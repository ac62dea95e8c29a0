// The servers behind the gateways, one of each generation. `run` asks a person and has its effect once they approve; the
// effect is recorded at once. These servers are never killed: the gateways are under test.

import type { ServerResponse } from 'node:http'
import { readJson, sendJson } from '../../test-kit/json-http.ts'
import { type Listening, listen } from '../../test-kit/listen.ts'
import type { Evidence } from './evidence.ts'

export function messageOf(ticket: string): string {
  return `Run ${ticket}?`
}

export const ranText = (ticket: string): string => `ran ${ticket}`
const schema = {
  type: 'object',
  properties: { decision: { type: 'string', enum: ['go', 'stop'] } },
  required: ['decision'],
}

interface PersonAnswer {
  readonly id?: string | number
  readonly method?: string
  readonly result?: Answer
  readonly params?: {
    readonly arguments?: { readonly ticket?: string }
    readonly requestState?: string
    readonly inputResponses?: { readonly q?: Answer }
  }
}

interface Answer {
  readonly action?: string
  readonly content?: { readonly decision?: string }
}

export class EffectServers {
  readonly #evidence: Evidence
  readonly #open: Listening[] = []
  readonly #waiting = new Map<string, (answer: Answer | undefined) => void>()
  /** The 2026 server's result for each state, so that a repeated state has no second effect. */
  readonly #done = new Map<string, string>()
  #lastId = 0

  constructor(evidence: Evidence) {
    this.#evidence = evidence
  }

  async start(): Promise<Record<'old' | 'new', { url: string }>> {
    return { old: { url: await this.#listen(this.#older) }, new: { url: await this.#listen(this.#newest) } }
  }

  stop(): void {
    for (const server of this.#open) void server.close()
  }

  async #listen(serve: (said: PersonAnswer, response: ServerResponse) => unknown): Promise<string> {
    const server = await listen(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const said = await readJson<PersonAnswer>(request)
      if (said === undefined) response.destroy()
      else serve(said, response)
    })
    this.#open.push(server)
    return server.url
  }

  readonly #newest = ({ id, method, params }: PersonAnswer, response: ServerResponse): unknown => {
    const reply = (result: object) =>
      sendJson(response, { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
    if (method === 'server/discover') return reply({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
    if (method !== 'tools/call') return reply({ tools: [] })
    const ticket = String(params?.arguments?.ticket)
    if (params?.requestState !== ticket) {
      const q = {
        method: 'elicitation/create',
        params: { mode: 'form', message: messageOf(ticket), requestedSchema: schema },
      }
      return reply({ resultType: 'input_required', inputRequests: { q }, requestState: ticket })
    }
    const before = this.#done.get(ticket)
    if (before !== undefined) this.#evidence.repeated += 1
    const text = before ?? this.#act(ticket, params.inputResponses?.q)
    this.#done.set(ticket, text)
    return reply({ content: [{ type: 'text', text }] })
  }

  readonly #older = ({ id, method, params, result }: PersonAnswer, response: ServerResponse): unknown => {
    if (method === 'server/discover') return void response.writeHead(400).end()
    if (method === undefined) {
      this.#waiting.get(String(id))?.(result)
      return void response.writeHead(202).end()
    }
    if (id === undefined) return void response.writeHead(202).end()
    const reply = (answer: object) => sendJson(response, { jsonrpc: '2.0', id, result: answer })
    if (method === 'initialize') {
      this.#lastId += 1
      response.setHeader('mcp-session-id', `s${this.#lastId}`)
      const serverInfo = { name: 'old', version: '1' }
      return reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo })
    }
    if (method !== 'tools/call') return reply({ tools: [] })
    const ticket = String(params?.arguments?.ticket)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const say = (message: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    this.#lastId += 1
    const question = String(this.#lastId)
    this.#waiting.set(question, (answer) => {
      this.#waiting.delete(question)
      say({ id, result: { content: [{ type: 'text', text: this.#act(ticket, answer) }] } })
      response.end()
    })
    // The connection that it asked through is closed, so no answer can arrive.
    response.on('close', () => this.#waiting.delete(question))
    return say({
      id: question,
      method: 'elicitation/create',
      params: { message: messageOf(ticket), requestedSchema: schema },
    })
  }

  #act(ticket: string, answer: Answer | undefined): string {
    if (answer?.action !== 'accept' || answer.content?.decision !== 'go') return `not run ${ticket}`
    this.#evidence.effects.push({ ticket, atMs: Date.now() })
    return ranText(ticket)
  }
}
