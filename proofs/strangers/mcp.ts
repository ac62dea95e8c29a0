// Attempts on other people's asks through MCP, with valid bearer tokens of other people: fetching results of Ann's calls,
// answering for her, sending her state, using her session. Each attempt is also made on a resource that does not exist.
import { randomBytes, randomUUID } from 'node:crypto'
import { newId } from '@assent/core'
import type { SeededRandom } from '../../test-kit/random.ts'
import { type Answer, callOf, send } from '../hostile/http.ts'
import type { Tally } from './tally.ts'
import { asAgent, type Tenant, type TestEnv } from './test-env.ts'

interface Prey {
  readonly id: string
  readonly state: string
  readonly session: string
}

interface Caller {
  readonly what: string
  readonly token: string
  readonly tenant: Tenant
}

type Way = (caller: Caller, prey: Prey) => Promise<Answer | undefined>

const yes = { action: 'accept', content: { region: 'eu' } }

const ways: Readonly<Record<string, Way>> = {
  'her handle': ({ tenant, token }, { id }) =>
    asAgent(tenant.gateway.url, token, callOf('assent__await_answer', '', { arguments: { ask_id: id } })),
  'her handle, with answers': ({ tenant, token }, { id }) => {
    const more = { arguments: { ask_id: id }, inputResponses: { question: yes, [id]: yes } }
    return asAgent(tenant.gateway.url, token, callOf('assent__await_answer', '', more))
  },
  'her state': ({ tenant, token }, { state }) => {
    const more = { requestState: state, inputResponses: { question: yes, ask_1: yes } }
    return asAgent(tenant.gateway.url, token, callOf('new__ask', 'prey', more))
  },
  'an answer in her session': ({ tenant, token }, { session }) =>
    inSession(tenant, token, session, { jsonrpc: '2.0', id: 1, result: yes }),
  'her handle in her session': ({ tenant, token }, { session, id }) =>
    inSession(tenant, token, session, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'assent__await_answer', arguments: { ask_id: id } },
    }),
}

export async function tryMcp(testEnv: TestEnv, random: SeededRandom, attempts: number, tally: Tally): Promise<void> {
  const [acme, globex] = testEnv.tenants
  const prey = await preyOf(acme)
  const callers: readonly Caller[] = [
    { what: 'another person', token: acme.tokens.ben ?? '', tenant: acme },
    { what: 'another person of the same name', token: acme.tokens.mallory ?? '', tenant: acme },
    { what: 'the same name at another tenant’s gateway', token: globex.tokens.ann ?? '', tenant: globex },
    { what: 'a token of another tenant’s issuer', token: globex.tokens.ann ?? '', tenant: acme },
  ]
  const names = Object.keys(ways)
  for (let i = 0; i < attempts; i++) {
    const caller = callers[i % callers.length] as Caller
    const name = names[Math.floor(i / callers.length) % names.length] ?? ''
    const mine = { ...prey, id: random.pick([...acme.handles.keys()]) }
    const absent = {
      id: newId('ask', Date.now() - random.int(86_400_000), randomBytes),
      state: `assent1.shared.${randomBytes(200).toString('base64url')}`,
      session: randomUUID(),
    }
    const [real, missing] = [await ways[name]?.(caller, mine), await ways[name]?.(caller, absent)]
    tally.judge(`mcp: ${name}, by ${caller.what}`, {
      succeeded: real === undefined || isLetIn(real),
      reveals: real?.status !== missing?.status || real?.text !== missing?.text,
    })
  }
}

/** The reply must contain nothing of Ann's: neither the result of her call nor that it is waiting. */
function isLetIn({ status, text }: Answer): boolean {
  return status < 400 && /done|pending|region|"resultType":"input_required"/i.test(text)
}

async function preyOf(tenant: Tenant): Promise<Prey> {
  const { gateway, tokens, handles } = tenant
  const asked = await asAgent(gateway.url, tokens.ann ?? '', callOf('new__ask', 'prey'))
  const { result } = JSON.parse(asked?.text ?? '{}') as { result?: { requestState?: string } }
  const opened = await inSession(tenant, tokens.ann ?? '', undefined, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'prey', version: '1' } },
  })
  const session = String(opened?.headers['mcp-session-id'])
  if (result?.requestState === undefined || session === 'undefined')
    throw new Error('The setup failed: Ann has no state or no session.')
  return { id: [...handles.keys()][0] ?? '', state: result.requestState, session }
}

function inSession({ gateway }: Tenant, token: string, session: string | undefined, message: object) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const within = session === undefined ? {} : { 'mcp-session-id': session }
  return send(gateway.url, { headers: { ...headers, ...within }, body: JSON.stringify(message) })
}
