// Hostile servers of the session-based revisions, with an in-memory transport: they send anything at any moment.
//
// In every case the call ends, and the server receives an accept only if the person gave one.
import type { Call, Outcome } from '../../packages/gateway/src/call/model.ts'
import { screenResponse } from '../../packages/gateway/src/call/screen/screen-questions.ts'
import { type Message, readMessage } from '../../packages/gateway/src/protocol/messages.ts'
import { Upstream20251125 } from '../../packages/gateway/src/servers/2025-11-25/upstream.ts'
import type { TransportEvents } from '../../packages/gateway/src/servers/transport.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { regionForm, spoiled } from './texts.ts'
import { type Score, within } from './watch.ts'

const begun = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'hostile', version: '1' } }
const bad: readonly unknown[] = [
  { region: 'asia' },
  { region: ['eu'] },
  {},
  null,
  { region: 'eu', more: 1 },
  'eu',
  undefined,
]

export async function session(random: SeededRandom, score: Score, pool: readonly string[]): Promise<void> {
  const given = random.int(3) === 0 ? { region: 'eu' } : random.pick(bad)
  const received: Message[] = []
  const server = new HostileServer(random, pool, received)
  const upstream = new Upstream20251125('hostile', (events) => server.open(events), {
    askWaitMs: 50,
    perCall: random.int(2) === 0 ? 2 : undefined,
    close: () => undefined,
  })
  score.count('hostile session')
  const cancelled = new AbortController()
  const call = callOf(cancelled.signal)
  try {
    const ended = await within(60_000, play(upstream, call, given))
    if (ended === undefined) score.hang('hostile session', server.said.join('\n'))
  } catch (error) {
    score.crash('hostile session', server.said.join('\n'), error)
  }
  cancelled.abort()
  await upstream.close()
  const isGood = JSON.stringify(given) === '{"region":"eu"}'
  if (received.some((one) => isYes(one)) && !isGood)
    score.mistake('a server received a yes that no person gave', received, given)
}

/** Answers what is asked, a few times, as the relay would. */
async function play(upstream: Upstream20251125, call: Call, content: unknown): Promise<Outcome> {
  let outcome = await upstream.start(call)
  for (let round = 0; round < 3 && outcome.kind === 'input-required'; round++) {
    const answers = Object.entries(outcome.wanted).map(([key, wanted]) => {
      const schema = wanted.kind === 'form' ? wanted.schema : undefined
      // All forms of this server except the one below are noise and stay unanswered.
      const isKnown = JSON.stringify(schema) === JSON.stringify(regionForm)
      const answer = isKnown ? { action: 'accept', content } : { action: 'decline' }
      return [key, screenResponse(schema, { result: answer as never })] as const
    })
    outcome = await upstream.continue(call, outcome.state, Object.fromEntries(answers))
  }
  return outcome
}

class HostileServer {
  readonly said: string[] = []
  readonly #random: SeededRandom
  readonly #pool: readonly string[]
  readonly #received: Message[]

  constructor(random: SeededRandom, pool: readonly string[], received: Message[]) {
    this.#random = random
    this.#pool = pool
    this.#received = received
  }

  open(events: TransportEvents) {
    return {
      send: async (message: Message) => {
        this.#received.push(message)
        if (!('method' in message)) return
        if ('id' in message && message.method === 'initialize') {
          const reply = { jsonrpc: '2.0', id: message.id, result: begun } as Message
          if (this.#random.int(20) !== 0) setImmediate(() => events.onMessage(reply))
          else setImmediate(() => events.onClosed('The server disconnected at once.'))
          return
        }
        if ('id' in message) setImmediate(() => this.#sendHostile(events, message.id))
      },
      close: () => undefined,
    }
  }

  /** Sends a few messages, some of them plausible, and disconnects. */
  #sendHostile(events: TransportEvents, id: string | number): void {
    const question = { method: 'elicitation/create', params: { message: 'Which?', requestedSchema: regionForm } }
    const plausible = [
      JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }),
      JSON.stringify({ jsonrpc: '2.0', id: 900, ...question }),
      JSON.stringify({ jsonrpc: '2.0', id, ...question }),
      JSON.stringify({ jsonrpc: '2.0', id: `${id}`, result: {} }),
      JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } }),
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_042, message: 'x', data: { elicitations: [{}] } } }),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 900 } }),
    ]
    for (let left = this.#random.int(6); left >= 0; left--) {
      const text = this.#random.pick(plausible)
      const said = this.#random.int(2) === 0 ? spoiled(this.#random, text, this.#pool) : text
      this.said.push(said)
      const message = readMessage(said)
      if (message !== undefined) events.onMessage(message)
    }
    setTimeout(() => events.onClosed('The server disconnected.'), this.#random.int(4))
  }
}

function isYes(message: Message): boolean {
  return 'result' in message && (message.result as { action?: unknown }).action === 'accept'
}

function callOf(signal: AbortSignal): Call {
  const capabilities = { elicitation: { form: {}, url: {} } }
  return {
    tenant: 'default',
    principal: 'ann',
    scope: '',
    method: 'tools/call',
    params: { name: 'run', arguments: {} },
    client: { info: {}, declared: capabilities, capabilities },
    notify: () => undefined,
    signal,
  }
}
