// An ordinary stateless server of revision 2026-07-28: each retry with an accepted answer runs its tool, and it counts.

import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../../test-kit/listen.ts'

export interface CountingServer {
  readonly url: string
  /** How often the tool ran, by ticket. */
  readonly runs: ReadonlyMap<string, number>
  close(): void
}

export interface CountingServerOptions {
  /** How long the tool takes, before and after it counts. */
  readonly tookMs?: () => number
  readonly schema?: object
  /** What it asks for a ticket; by default a form with the schema. */
  readonly ask?: (ticket: string) => object
  /** Whether this content of an accept is a yes. */
  readonly isYes?: (content: Readonly<Record<string, unknown>>) => boolean
}

const booleanForm = { type: 'object', properties: { ok: { type: 'boolean', title: 'Pay?' } }, required: ['ok'] }

export async function aCountingServer({
  tookMs = () => 0,
  schema = booleanForm,
  ask = (ticket) => ({ mode: 'form', message: `Pay ${ticket}?`, requestedSchema: schema }),
  isYes = ({ ok }) => ok === true,
}: CountingServerOptions = {}): Promise<CountingServer> {
  const runs = new Map<string, number>()
  const server = await listen(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { id, method, params = {} } = JSON.parse(body || '{}')
    const reply = (result: object) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    if (method === 'server/discover') {
      return reply({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
    }
    const ticket = String(params.arguments?.ticket)
    if (params.inputResponses === undefined) return reply(question(ticket, ask(ticket)))
    const { action, content = {} } = params.inputResponses.ok ?? {}
    if (action !== 'accept' || !isYes(content)) return reply(said(`refused ${ticket}`))
    await sleep(tookMs())
    runs.set(ticket, (runs.get(ticket) ?? 0) + 1)
    const run = runs.get(ticket)
    await sleep(tookMs())
    reply(said(`paid ${ticket} (run ${run})`))
  })
  return { url: server.url, runs, close: () => void server.close() }
}

function question(ticket: string, params: object): object {
  const ok = { method: 'elicitation/create', params }
  return { resultType: 'input_required', requestState: `state of ${ticket}`, inputRequests: { ok } }
}

function said(text: string): object {
  return { resultType: 'complete', content: [{ type: 'text', text }] }
}
