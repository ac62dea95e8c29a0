// Turns a server of the session-based revisions into an exchange.
//
// The server is blocked inside a live call while it asks. So the call is held here until `continue` delivers the
// answers. The calls of one client session share one session with the server, as without a gateway. A client of the
// newest revision has no session, so all calls of one program of one person share one. Sessions are never shared
// between people.

import { isPlainObject, newId } from '@assent/core'
import {
  type Answers,
  type Call,
  type Description,
  failed,
  heldId,
  mayAsk,
  type Outcome,
  reasonOf,
  type ServerState,
  type Upstream,
  unsent,
} from '../../call/model.ts'
import { relayLimits, serverLimits } from '../../limits.ts'
import { errorCodes, type Notification, objectAt, stringAt, toolsChanged } from '../../protocol/messages.ts'
import { randomBytes } from '../../protocol/random.ts'
import { PerCaller } from '../per-caller.ts'
import type { Timeouts } from '../timeouts.ts'
import type { LiveCall } from './live-call.ts'
import { readUrlsNeeded } from './questions.ts'
import type { OpenTransport, Session } from './session.ts'
import { SessionPool } from './session-pool.ts'

/** Not marked as unsent: `start` must not repeat the call. */
const callerLeft = failed(errorCodes.refused, 'The caller disconnected.')

export type StrayCaller = Pick<Call, 'tenant' | 'principal'>

export interface SessionfulOptions {
  readonly askWaitMs: number
  /** Most concurrent connections of one caller, when each call has its own; undefined when its calls share one. */
  readonly perCall: number | undefined
  /** Called when the server asks this caller a question while none of the caller's calls is in progress. */
  readonly onStray?: ((caller: StrayCaller) => void) | undefined
  /** Called when the server announces that its tools changed, also if no client listens. */
  readonly onToolsChanged?: (() => void) | undefined
  readonly timeouts?: Timeouts
  /** Called when no more sessions will be opened. */
  readonly close: () => void
}

export class Upstream20251125 implements Upstream {
  readonly name: string
  readonly #open: OpenTransport
  readonly #options: SessionfulOptions
  readonly #pools = new PerCaller<SessionPool>()
  readonly #held = new Map<string, { readonly live: LiveCall; readonly session: Session; readonly pool: SessionPool }>()

  constructor(name: string, open: OpenTransport, options: SessionfulOptions) {
    this.name = name
    this.#open = open
    this.#options = options
  }

  async start(call: Call): Promise<Outcome> {
    const outcome = await this.#attempt(call)
    // The session or the server was gone, so the server did not start the call: it is safe to start it again, once.
    return isSessionGone(outcome) ? withoutStatus(await this.#attempt(call)) : withoutStatus(outcome)
  }

  async #attempt(call: Call): Promise<Outcome> {
    // Checked first: nothing closes a session that is opened for a client session that has ended.
    if (call.signal.aborted) return callerLeft
    try {
      const pool = this.#pool(call)
      if (!mayAsk(call.method)) return await request(pool, call)
      if (this.#held.size >= relayLimits.heldCalls)
        return failed(errorCodes.refused, 'Too many calls are waiting for people.')
      const session = await pool.take(call)
      if (session === undefined) return callerLeft
      const live = session.begin({
        id: newId('call', Date.now(), randomBytes),
        server: this.name,
        call: withoutRounds(call),
        waitMs: this.#options.askWaitMs,
      })
      this.#held.set(live.id, { live, session, pool })
      return await this.#settle(live, session, call)
    } catch (error) {
      if (call.signal.aborted) return callerLeft
      return unavailable(`The server ${this.name} cannot be used now. ${reasonOf(error)}`)
    }
  }

  async continue(call: Call, state: ServerState, given: Answers): Promise<Outcome> {
    if (isPlainObject(state) && state.again === true) {
      const answers = Object.values(given)
      const isAccepted = answers.length > 0 && answers.every((one) => 'result' in one && one.result.action === 'accept')
      if (isAccepted) return this.start(call)
      return failed(errorCodes.refused, 'The page that this call needs was not opened, so the call was not repeated.')
    }
    const id = heldId(state)
    const held = id === undefined ? undefined : this.#held.get(id)
    if (held === undefined || held.live.principal !== call.principal) {
      const words = 'The call that waited for this answer has ended. Whether it did anything is not known.'
      // A state without a held call comes from a server of another revision that this one replaced.
      const gone = (id === undefined ? unsent : failed)(errorCodes.refused, words)
      return id === undefined ? gone : { ...gone, undelivered: Object.keys(given) }
    }
    held.live.attach(call)
    held.live.answer(given)
    return this.#settle(held.live, held.session, call)
  }

  async describe(call: Call): Promise<Description> {
    if (call.signal.aborted) throw new Error(callerLeft.error.message)
    return (await this.#pool(call).first(call.client)).description
  }

  async listen(call: Call): Promise<void> {
    if (call.signal.aborted) return
    const pool = this.#pool(call)
    const session = await pool.first(call.client)
    const stop = pool.listen(call)
    const subscribed: string[] = []
    for (const uri of watchedIn(call)) {
      if (call.signal.aborted) break
      subscribed.push(uri)
      await session.request('resources/subscribe', { uri })
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    call.signal.addEventListener('abort', () => resolve(), { once: true })
    if (call.signal.aborted) resolve()
    await promise
    stop()
    if (session.isOpen) for (const uri of subscribed) void session.request('resources/unsubscribe', { uri })
  }

  notify(call: Call, notification: Notification): void {
    this.#pools.of(call.principal, call.scope)?.notify(notification)
  }

  leave(principal: string, scope: string): void {
    this.#pools.leave(principal, scope)
  }

  async close(): Promise<void> {
    const stopped = failed(errorCodes.refused, 'The gateway stopped before anyone answered.')
    for (const { live } of this.#held.values()) live.leave(stopped)
    this.#pools.close()
    this.#options.close()
  }

  async #settle(live: LiveCall, session: Session, call: Call): Promise<Outcome> {
    const abort = () => session.cancel(live, 'The caller disconnected.')
    call.signal.addEventListener('abort', abort, { once: true })
    if (call.signal.aborted) abort()
    const outcome = await live.next()
    call.signal.removeEventListener('abort', abort)
    const undelivered = live.takeUndelivered()
    const settled = undelivered.length === 0 ? outcome : { ...outcome, undelivered }
    if (settled.kind === 'input-required') return settled
    this.#release(live.id)
    if (settled.kind === 'failed' && settled.error.code === errorCodes.urlNeeded) return urlsNeeded(settled, call)
    return settled
  }

  #release(id: string): void {
    const held = this.#held.get(id)
    if (held === undefined) return
    this.#held.delete(id)
    held.pool.giveBack(held.session)
  }

  #pool(call: Call): SessionPool {
    const { tenant, principal, client } = call
    const { perCall, timeouts, onToolsChanged } = this.#options
    const onStray = () => this.#options.onStray?.({ tenant, principal })
    const onNotification = ({ method }: Notification) => {
      if (method === toolsChanged) onToolsChanged?.()
    }
    const options = { perCall, onStray, onNotification, timeouts }
    // Capabilities are fixed when a session opens, so calls with other capabilities need separate sessions.
    return this.#pools.get(call, client.capabilities, () => new SessionPool(this.#open, options))
  }
}

async function request(pool: SessionPool, call: Call): Promise<Outcome> {
  const session = await pool.first(call.client)
  const outcome = await session.request(call.method, call.params, call)
  if (call.method === 'logging/setLevel' && outcome.kind === 'finished') {
    pool.logLevel = stringAt(call.params, 'level')
    session.logLevel = pool.logLevel
  }
  return outcome
}

/** The resources that a caller without a session subscribes to on this stream. */
function watchedIn({ params }: Call): readonly string[] {
  const uris = objectAt(params, 'notifications')?.resourceSubscriptions
  if (!Array.isArray(uris)) return []
  return uris.filter((uri) => typeof uri === 'string').slice(0, serverLimits.subscriptions)
}

function isSessionGone(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && (outcome.status === 404 || outcome.isUnsent === true)
}

/** Removes the HTTP status of the older transport, which has no meaning for the caller. */
function withoutStatus(outcome: Outcome): Outcome {
  if (outcome.kind !== 'failed' || outcome.isAway === true) return outcome
  return failed(outcome.error.code, outcome.error.message, outcome.error.data)
}

function unavailable(message: string): Outcome {
  return { ...failed(errorCodes.refused, message), isAway: true }
}

/** Converts the links to questions. The call is made again when all of them were opened. */
function urlsNeeded(outcome: Outcome & { kind: 'failed' }, call: Call): Outcome {
  const wanted = readUrlsNeeded(outcome.error.data)
  const isSessionful = call.scope !== ''
  if (wanted === undefined || isSessionful) return outcome
  return { kind: 'input-required', wanted, state: { again: true } }
}

/** Removes the members of a retry of the newest revision, which a session-based server does not know. */
function withoutRounds(call: Call): Call {
  const { inputResponses: _responses, requestState: _state, ...params } = call.params
  const meta = objectAt(params, '_meta')
  if (meta === undefined) return { ...call, params }
  const kept = Object.entries(meta).filter(([name]) => !name.startsWith('io.modelcontextprotocol/'))
  const { _meta, ...rest } = params
  return { ...call, params: kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) } }
}
