// An ordinary small server, written by hand so that each imperfect server is defined by its difference from it.
//
// Independent of the transport: it takes messages and returns replies. One object is one session, or one process.

export type Wire = Record<string, unknown>
export type Say = (message: Wire) => void
/** What the tool `ask` asks, by name. */
export type FindForm = (name: string) => Promise<{ readonly question: Wire }>

export interface Conduct {
  /** Uses the newest revision, which has no sessions. */
  readonly isNewest?: boolean
  /** The only revision it supports, whichever the client requests. */
  readonly revision?: string
  /** Messages sent before the reply. */
  readonly before?: (request: Wire, session: OrdinarySession, say: Say) => Promise<void> | void
  /** The reply it sends instead of the ordinary one; undefined if it sends none. */
  readonly reply?: (reply: Wire, request: Wire, session: OrdinarySession) => Wire | undefined
}

const serverInfo = { name: 'imperfect', version: '1.0.0' }
const capabilities = { tools: {}, resources: {}, prompts: {}, logging: {} }
const inputSchema = { type: 'object' }
const toolNames = ['echo', 'login', 'whoami', 'wait', 'open', 'links', 'large', 'ask', 'crash', 'fail', 'later']
export const methodNotFound = -32_601
const waitsMs = 20_000

function textResult(text: string, more: Wire = {}): Wire {
  return { content: [{ type: 'text', text }], ...more }
}

export class OrdinarySession {
  readonly #conduct: Conduct
  readonly #note: (what: string) => void
  readonly #forms: FindForm
  readonly #asked = new Map<string, (reply: Wire) => void>()
  readonly #opened = new Map<string, PromiseWithResolvers<void>>()
  #user: string | undefined
  #lastId = 0
  /** How often it was opened. */
  opened = 0

  /** @param note records an event for the comparison */
  constructor(conduct: Conduct, note: (what: string) => void, forms: FindForm) {
    this.#conduct = conduct
    this.#note = note
    this.#forms = forms
  }

  /** The reply to a request; undefined for everything else. */
  async receive(message: Wire, say: Say): Promise<Wire | undefined> {
    const { id, method } = message
    if (method === undefined) {
      this.#asked.get(String(id))?.(message)
      return undefined
    }
    if (id === undefined) {
      if (method !== 'notifications/initialized') this.#note(`received ${String(method)}`)
      return undefined
    }
    const { before, reply } = this.#conduct
    await before?.(message, this, say)
    const ordinary = { jsonrpc: '2.0', id, ...(await this.#answer(message, say)) }
    return reply === undefined ? ordinary : reply(ordinary, message, this)
  }

  /** A request of the server to its client. */
  async ask(method: string, params: Wire | undefined, say: Say): Promise<Wire> {
    this.#lastId += 1
    const id = `asked-${this.#lastId}`
    const { promise, resolve } = Promise.withResolvers<Wire>()
    this.#asked.set(id, resolve)
    say({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
    return promise
  }

  async #answer({ method, params }: Wire, say: Say): Promise<Wire> {
    const { isNewest = false, revision = '2025-06-18' } = this.#conduct
    const given = (params ?? {}) as Wire
    switch (method) {
      case 'initialize':
        if (isNewest) break
        this.opened += 1
        return { result: { protocolVersion: revision, capabilities, serverInfo, instructions: 'Be kind.' } }
      case 'server/discover':
        if (!isNewest) break
        return this.#finished({
          supportedVersions: ['2026-07-28'],
          capabilities,
          instructions: 'Be kind.',
          ttlMs: 0,
          cacheScope: 'private',
          _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
        })
      case 'ping':
        if (isNewest) break
        return { result: {} }
      case 'tools/list':
        return this.#finished({ tools: toolNames.map((name) => ({ name, inputSchema })) }, true)
      case 'resources/list':
        return this.#finished({ resources: [{ uri: 'note://1', name: 'First note' }] }, true)
      case 'resources/read':
        return this.#finished(
          { contents: [{ uri: given.uri, mimeType: 'text/plain', text: `Note ${given.uri}` }] },
          true,
        )
      case 'prompts/list':
        return this.#finished({ prompts: [{ name: 'greet' }] }, true)
      case 'logging/setLevel':
        if (isNewest) break
        return { result: {} }
      case 'tools/call':
        return this.#call(String(given.name), (given.arguments ?? {}) as Wire, given, say)
    }
    return { error: { code: methodNotFound, message: `Method not found: ${method}` } }
  }

  async #call(name: string, args: Wire, params: Wire, say: Say): Promise<Wire> {
    switch (name) {
      case 'echo':
        return this.#finished(textResult(String(args.text ?? '')))
      case 'login':
        this.#user = String(args.user)
        return this.#finished(textResult('Signed in.'))
      case 'whoami':
        return this.#finished(
          this.#user === undefined ? textResult('Not signed in.', { isError: true }) : textResult(this.#user),
        )
      case 'wait':
        return this.#finished(textResult(await this.#opens(String(args.key))))
      case 'open':
        this.#gate(String(args.key)).resolve()
        return this.#finished(textResult('Opened.'))
      case 'links':
        return this.#finished({
          content: [
            { type: 'resource_link', uri: 'note://2', name: 'Second note' },
            { type: 'resource', resource: { uri: 'note://3', text: 'Third note' } },
          ],
        })
      case 'large':
        return this.#finished(textResult('x'.repeat(Number(args.bytes))))
      case 'later':
        await new Promise((resolve) => setTimeout(resolve, Number(args.ms)))
        return this.#finished(textResult('Later.'))
      case 'ask':
        return this.#asks(String(args.form), params, say)
      case 'fail':
        return { error: { code: Number(args.code), message: 'It failed.', data: { why: 'told to' } } }
      case 'crash':
        this.#note('crashed')
        process.exit(3)
    }
    return { error: { code: -32_602, message: `Unknown tool: ${name}` } }
  }

  /** Waits until another call of the same session opens the gate. */
  async #opens(key: string): Promise<string> {
    const late = new Promise<string>((resolve) =>
      setTimeout(() => resolve('The gate was not opened.'), waitsMs).unref(),
    )
    return Promise.race([this.#gate(key).promise.then(() => 'Came through.'), late])
  }

  #gate(key: string): PromiseWithResolvers<void> {
    const gate = this.#opened.get(key) ?? Promise.withResolvers<void>()
    this.#opened.set(key, gate)
    return gate
  }

  async #asks(form: string, params: Wire, say: Say): Promise<Wire> {
    const { question } = await this.#forms(form)
    if (this.#conduct.isNewest !== true) {
      const reply = await this.ask('elicitation/create', question, say)
      return this.#finished(textResult(JSON.stringify(reply.result ?? { error: reply.error })))
    }
    const { inputResponses } = params as { inputResponses?: Wire }
    if (inputResponses !== undefined) return this.#finished(textResult(JSON.stringify(inputResponses.form)))
    const inputRequests = { form: { method: 'elicitation/create', params: { mode: 'form', ...question } } }
    return { result: { resultType: 'input_required', inputRequests, requestState: 'asked' } }
  }

  #finished(result: Wire, isCached = false): Wire {
    if (this.#conduct.isNewest !== true) return { result }
    const hints = isCached ? { ttlMs: 0, cacheScope: 'private' } : {}
    return { result: { resultType: 'complete', ...hints, ...result } }
  }
}
