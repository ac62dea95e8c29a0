// Forwards a client's request to the replica that owns its session, its call or its server process.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { callerFacts, type Identity } from '../call/local-person.ts'
import type { Call } from '../call/model.ts'
import { outcomeText } from '../call/text/outcomes.ts'
import type { Forwarded, ForwardedFor } from '../cluster/forwarder.ts'
import { compoundKey } from '../protocol/compound-key.ts'
import { header } from '../protocol/http.ts'
import { errorCodes, errorReply, type Request } from '../protocol/messages.ts'
import { isNeverForwarded } from '../protocol/never-forwarded.ts'
import { AnswerStream } from './answer-stream.ts'
import type { Serving } from './context.ts'

/** A request as it arrived, from a client or from another replica. */
export interface Arrived {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly person: Identity
  /** Empty for a request without a body. */
  readonly body: string
  /** Whether another replica forwarded it. Then it is served here or refused, and never forwarded again. */
  readonly isForwarded: boolean
}

export type Served = Exclude<Forwarded, 'unknown'>

/** The headers that the endpoint itself reads, besides those that begin with `mcp-`. */
const ownHeaders = ['accept', 'content-type', 'last-event-id']

export class ToOtherReplicas {
  readonly #serving: Serving
  readonly #path: string
  readonly #onError: (error: unknown) => void

  constructor(serving: Serving, path: string, onError: (error: unknown) => void) {
    this.#serving = serving
    this.#path = path
    this.#onError = onError
  }

  /**
   * Has another replica serve the request. `refused` when it is dead or does not serve the request, which may then be
   * served here; `unreached` when it may be alive and the request should be sent again.
   * @param asked the message, if it is a request that must not run twice
   */
  async serve(replica: string | undefined, arrived: Arrived, asked?: Request): Promise<Served> {
    const { others, tenant, shutdown } = this.#serving
    const to = replica === undefined ? undefined : await others?.peers.find(replica)
    if (to === undefined || others === undefined) return 'refused'
    const { person, response } = arrived
    const by = forwardedFor(tenant, person)
    const leaving = new AbortController()
    // A notification stream ends when this replica starts to drain; a call has until its end.
    const isStream = arrived.request.method === 'GET' || asked?.method === 'subscriptions/listen'
    const unsubscribe = shutdown.onPhase(isStream ? 'draining' : 'closed', () => leaving.abort())
    const until = { signal: leaving.signal, isStream }
    const pass = () => others.forwarder.pass(to, by, this.#forwarded(arrived), response, until)
    try {
      const forwarded = await pass()
      if (forwarded === 'served' || forwarded === 'refused') return forwarded
      // An answer, a notification or a stream may be sent twice, and most clients do not repeat an answer themselves.
      const again = asked === undefined ? await pass() : forwarded
      if (again !== 'unknown') return again
    } finally {
      unsubscribe()
    }
    if (asked === undefined) return 'unreached'
    new AnswerStream(response).end(errorReply(asked.id, errorCodes.refused, outcomeText.lost))
    return 'served'
  }

  /** Forwards a call of a program to the replica that has its process or session at the server. */
  async serveWhereStateIs(call: Call, arrived: Arrived, message: Request): Promise<boolean> {
    const { others, keepsState, tenant } = this.#serving
    if (others === undefined) return false
    try {
      const before = await others.peers.before(compoundKey(tenant, call.principal, call.agent ?? ''))
      if (before.length === 0 || !(await keepsState(call))) return false
      // The next one if the first is shutting down, so that the calls of a program stay together.
      for (const { id } of before) if ((await this.serve(id, arrived, message)) === 'served') return true
      return false
    } catch (error) {
      // Without the list of replicas the call is served here.
      this.#onError(error)
      return false
    }
  }

  /** Sends a copy of a notification, or of the end of a session, to a replica where calls of the session may run. */
  async copyTo(replica: string | undefined, arrived: Arrived): Promise<void> {
    const { others, tenant } = this.#serving
    const to = replica === undefined ? undefined : await others?.peers.find(replica)
    if (to === undefined || others === undefined) return
    const by = forwardedFor(tenant, arrived.person)
    const signal = AbortSignal.timeout(5_000)
    const response = await others.forwarder.send(to, by, this.#forwarded(arrived), signal)
    if (typeof response !== 'string') response.on('error', () => undefined).resume()
  }

  #forwarded({ request, body }: Arrived) {
    const names = new Set([
      ...ownHeaders,
      ...this.#serving.forwardedHeaders().filter((name) => !isNeverForwarded(name)),
    ])
    const headers = Object.keys(request.headers).flatMap((name) => {
      const value = names.has(name) || name.startsWith('mcp-') ? header(request, name) : undefined
      return value === undefined ? [] : [[name, value] as const]
    })
    return { method: request.method ?? '', path: this.#path, headers: Object.fromEntries(headers), body }
  }
}

function forwardedFor(tenant: string, { principal, ...facts }: Identity): ForwardedFor {
  return { tenant, principal, ...callerFacts(facts) }
}
