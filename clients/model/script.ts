// What the fake models share: a fixed list of tool calls, made one after the other, and the results that came back.
//
// The state is in the conversation that the client sends with each request: as many results as it contains, so many
// calls are done. A client that retries a request therefore gets the same call again.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Listening, listen } from '../../test-kit/listen.ts'

export interface ScriptedCall {
  /** Without the prefix that the client adds. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface ModelResult {
  /** The result as the client passed it to the model, as JSON. */
  readonly text: string
  /** When the model got it. */
  readonly at: number
}

/** One request to the model, reduced to what matters here. */
export interface ModelTurn {
  /** The names of the tools that the client offers. */
  readonly offered: readonly string[]
  /** The results of the scripted calls so far, oldest first. */
  readonly results: readonly string[]
  /** How often the model has worked on something else. */
  readonly worked: number
}

export type ModelReply =
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly args: ScriptedCall['args'] }
  | { readonly kind: 'text'; readonly text: string }

/** The format of one vendor's API. */
export interface ModelApi {
  /** Undefined if the request is not for a reply of the model. */
  readTurn(request: IncomingMessage, body: Readonly<Record<string, unknown>>): ModelTurn | undefined
  writeReply(reply: ModelReply, body: Readonly<Record<string, unknown>>, response: ServerResponse, url: string): void
  /** The response to every other request, as JSON. */
  readonly otherwise: object
}

/** The ids of scripted calls begin with this, so that their results can be told from others. */
export const scripted = 'ask_'
/** How often the model works on something else while a tool is missing. */
const workMost = 20

export class FakeModel {
  readonly #script: readonly ScriptedCall[]
  readonly #work: ScriptedCall
  readonly results: ModelResult[] = []
  /** The offered tools of the last turn that had any. */
  offered: readonly string[] = []
  /** How often the client did not offer the next tool of the script. */
  missing = 0
  /** How often the client asked the model for a reply and offered tools. */
  turns = 0

  constructor(script: readonly ScriptedCall[], work: ScriptedCall) {
    this.#script = script
    this.#work = work
  }

  async serve(api: ModelApi): Promise<Listening> {
    return listen((request, response) => {
      void this.#respond(api, request, response)
    })
  }

  async #respond(api: ModelApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parsed(await textOf(request))
    const turn = api.readTurn(request, body)
    if (turn === undefined) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(api.otherwise))
      return
    }
    api.writeReply(this.#replyTo(turn), body, response, request.url ?? '/')
  }

  #replyTo({ offered, results, worked }: ModelTurn): ModelReply {
    // Clients also ask for titles and summaries, without tools.
    if (offered.length === 0) return { kind: 'text', text: 'ok' }
    this.offered = offered
    this.turns += 1
    for (const text of results.slice(this.results.length)) this.results.push({ text, at: Date.now() })
    const next = this.#script[results.length]
    if (next === undefined) return { kind: 'text', text: 'done' }
    const named = (tool: string) => offered.find((one) => one.endsWith(tool))
    const name = named(next.tool)
    if (name !== undefined) return { kind: 'call', id: `${scripted}${results.length + 1}`, name, args: next.args }
    this.missing += 1
    const work = named(this.#work.tool)
    // An agent works on something else before it asks; a client may offer the tools of a slow server only then.
    if (work === undefined || worked >= workMost) return { kind: 'text', text: `The tool ${next.tool} is missing.` }
    return { kind: 'call', id: `work_${worked + 1}`, name: work, args: this.#work.args }
  }
}

export function sendEvents(response: ServerResponse, events: readonly (readonly [name: string, data: object])[]): void {
  response.setHeader('content-type', 'text/event-stream')
  for (const [name, data] of events) {
    response.write(`${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
  }
  response.end()
}

export function listAt(body: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>>[] {
  const list = body[name]
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

function parsed(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? { ...body } : {}
  } catch {
    // Some requests have no JSON body; none of them is for a reply of the model.
    return {}
  }
}
