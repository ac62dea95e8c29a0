// The servers behind the gateway of the hostile proof, one of each generation: `run` does something, `ask` asks first,
// `rage` replies with a given response. They record everything that reached them.
import type { ServerResponse } from 'node:http'
import { readJson, sendJson } from '../../test-kit/json-http.ts'
import { type Listening, listen } from '../../test-kit/listen.ts'
import { regionForm } from './texts.ts'

export interface Rage {
  readonly status: number
  readonly type: string
  readonly bytes: Buffer
  /** The connection is destroyed instead of ended. */
  readonly isCut?: boolean
}

export class Servers {
  readonly ran: Map<string, number> = new Map()
  /** The content of accepted answers, by ticket. */
  readonly yes: Map<string, unknown> = new Map()
  readonly leaks: string[] = []
  readonly rages: Map<string, Rage> = new Map()
  readonly #open: Listening[] = []

  async start(): Promise<Record<'new' | 'old', { url: string }>> {
    return { new: { url: await this.#listen(this.#newest) }, old: { url: await this.#listen(this.#older) } }
  }

  stop(): void {
    for (const server of this.#open) void server.close()
  }

  async #listen(serve: (said: Said, response: ServerResponse) => unknown): Promise<string> {
    const server = await listen(async (request, response) => {
      if (request.headers.authorization !== undefined || request.headers['x-person'] !== undefined)
        this.leaks.push(JSON.stringify(request.headers))
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const said = await readJson<Said>(request)
      if (said !== undefined) serve(said, response)
      else response.writeHead(400).end()
    })
    this.#open.push(server)
    return server.url
  }

  readonly #newest = (said: Said, response: ServerResponse): unknown => {
    const { id, method, params } = said
    const reply = (result: object) => sendJson(response, { jsonrpc: '2.0', id, result })
    if (method === 'server/discover')
      return reply({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
    if (method !== 'tools/call') return reply({ resultType: 'complete', tools: [] })
    if (params.name === 'rage') return this.#rage(params.arguments, response)
    if (params.name === 'ask' && params.requestState !== 'asked') {
      const question = {
        method: 'elicitation/create',
        params: { message: 'Which region?', requestedSchema: regionForm },
      }
      return reply({ resultType: 'input_required', inputRequests: { question }, requestState: 'asked' })
    }
    if (params.name === 'ask') this.#received(params.arguments, params.inputResponses?.question)
    this.#ran(params.arguments)
    return reply({ resultType: 'complete', content: [{ type: 'text', text: 'done' }] })
  }

  readonly #waiting = new Map<number, (result: unknown) => void>()
  #lastId = 0

  readonly #older = (said: Said, response: ServerResponse): unknown => {
    const { id, method, params } = said
    if (method === 'server/discover') return void response.writeHead(400).end()
    if (method === undefined) {
      this.#waiting.get(Number(id))?.(said.result)
      return void response.writeHead(202).end()
    }
    if (id === undefined) return void response.writeHead(202).end()
    const reply = (result: object) => sendJson(response, { jsonrpc: '2.0', id, result })
    if (method === 'initialize') {
      response.setHeader('mcp-session-id', 'hostile')
      return reply({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'old', version: '1' },
      })
    }
    if (method !== 'tools/call') return reply({ tools: [] })
    if (params.name === 'rage') return this.#rage(params.arguments, response)
    if (params.name !== 'ask') {
      this.#ran(params.arguments)
      return reply({ content: [{ type: 'text', text: 'done' }] })
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const say = (message: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    this.#lastId += 1
    this.#waiting.set(this.#lastId, (result) => {
      this.#received(params.arguments, result)
      this.#ran(params.arguments)
      say({ id, result: { content: [{ type: 'text', text: 'done' }] } })
      response.end()
    })
    const asked = { message: 'Which region?', requestedSchema: regionForm }
    return say({ id: this.#lastId, method: 'elicitation/create', params: asked })
  }

  #ran(args: Record<string, unknown> = {}): void {
    const ticket = String(args.ticket)
    this.ran.set(ticket, (this.ran.get(ticket) ?? 0) + 1)
  }

  #received(args: Record<string, unknown> = {}, answer: unknown): void {
    const { action, content } = (answer ?? {}) as { action?: unknown; content?: unknown }
    if (action === 'accept') this.yes.set(String(args.ticket), content)
  }

  #rage(args: Record<string, unknown> = {}, response: ServerResponse): unknown {
    const rage = this.rages.get(String(args.ticket))
    if (rage === undefined) return void response.writeHead(500).end()
    response.writeHead(rage.status, { 'content-type': rage.type })
    return rage.isCut === true ? response.write(rage.bytes, () => response.destroy()) : response.end(rage.bytes)
  }
}

interface Said {
  readonly id?: string | number
  readonly method?: string
  readonly result?: unknown
  readonly params: {
    readonly name?: string
    readonly requestState?: string
    readonly arguments?: Record<string, unknown>
    readonly inputResponses?: Record<string, unknown>
  }
}
