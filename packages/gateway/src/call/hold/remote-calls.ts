// Continues a held call from another replica than the one that holds it.
//
// The answers are sent to the holder in an HTTP request; the holder continues the call, and its response carries the
// call's notifications, one per line, and then the call's state.
//
// Owns: the requests of other replicas that run here, so that they can be cancelled.
// I1  The sender also polls the call's row, so it notices the end of the call, or of the holder, when the connection is
//     lost.
// I2  Requests may be repeated: a question is answered once, and after that the holder only returns the call's state.
// I3  A cancellation arrives, also when it overtakes its request.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isPlainObject, type JsonObject } from '@assent/core'
import type { Store } from '@assent/store'
import type { Forwarder } from '../../cluster/forwarder.ts'
import type { ForwardedIn } from '../../cluster/listener.ts'
import type { Peers } from '../../cluster/peers.ts'
import { clientLimits, clusterLimits } from '../../limits.ts'
import { compoundKey } from '../../protocol/compound-key.ts'
import { discard } from '../../protocol/http.ts'
import { Lines } from '../../protocol/lines.ts'
import { errorCodes, type Notification, objectAt, stringAt } from '../../protocol/messages.ts'
import { isNeverForwarded } from '../../protocol/never-forwarded.ts'
import { readOwnJson } from '../../protocol/own-json.ts'
import { sleep } from '../../protocol/sleep.ts'
import { within } from '../../protocol/within.ts'
import { type RelayState, readCallState, relayPart, writeCallState } from '../call-state.ts'
import { type Answers, type Call, type Failed, type NeedsInput, storable, unsent } from '../model.ts'
import type { Shutdown } from '../shutdown.ts'
import { outcomeText } from '../text/outcomes.ts'
import { callerLeft } from './lost-calls.ts'

/** The paths at which a holder continues a call, and cancels such a request. */
export const continuePath = '/calls/continue'
export const cancelPath = '/calls/cancel'

/** The call's state at the holder: ended with its outcome stored, or waiting for people again. */
export type RemoteCallState = { readonly kind: 'ended' } | NeedsInput<RelayState>

/**
 * Continues a call that is held here, with its own params and the `_meta` of this request. Undefined when it is not held
 * here, or not for this caller and request.
 */
export type ContinueHere = (
  call: Call,
  state: RelayState,
  given: Answers,
  requestDigest: string,
) => Promise<RemoteCallState | undefined>

/** How other replicas are reached. */
export interface ToOthers {
  readonly peers: Peers
  readonly forwarder: Forwarder
}

const progressEveryMs = 100

/** The outcome for a caller whose call is held by a process that cannot be reached, such as another window. */
const heldElsewhere = unsent(errorCodes.refused, outcomeText.heldElsewhere)

export class RemoteCalls {
  readonly #replicas: Store['replicas']
  readonly #others: ToOthers | undefined
  readonly #shutdown: Shutdown
  /** Requests that other replicas sent to this one, by principal and name. */
  readonly #running = new Map<string, AbortController>()

  /** @param others undefined for a process that no other one reaches */
  constructor({ replicas }: Pick<Store, 'replicas'>, others: ToOthers | undefined, shutdown: Shutdown) {
    this.#replicas = replicas
    this.#others = others
    this.#shutdown = shutdown
  }

  /**
   * Asks the holder to continue a call.
   *
   * @param isOver reads the call's row: true when it no longer runs
   * @returns undefined when `isOver` returned true; a failure when the holder cannot be reached and the caller has left
   */
  async continueAt(
    holder: string,
    call: Call,
    state: RelayState,
    given: Answers,
    requestDigest: string,
    isOver: () => Promise<boolean>,
  ): Promise<RemoteCallState | Failed | undefined> {
    const name = randomUUID()
    const carriedState = writeCallState(relayPart(state))
    // When this replica shuts down, the holder continues and stores the outcome.
    const isCancelled = () => call.signal.aborted && !this.#shutdown.has('closed')
    const bodyNow = () => {
      const request = { name, ...carried(call), state: carriedState, given, requestDigest }
      return JSON.stringify(isCancelled() ? { ...request, isCancelled: true } : request)
    }
    const over = new AbortController()
    const leave = () => {
      if (isCancelled()) void this.#cancelAt(holder, call, name, over.signal)
    }
    call.signal.addEventListener('abort', leave, { once: true })
    try {
      for (;;) {
        if (await this.#isAliveElsewhere(holder)) return heldElsewhere
        const attempt = this.#attempt(holder, call, bodyNow(), over.signal)
        for (let came: RemoteCallState | 'broken' | undefined; came !== 'broken'; ) {
          came = await within(clusterLimits.forwardLookMs, attempt)
          if (typeof came === 'object') return came
          if (await isOver()) return undefined
        }
        await sleep(clusterLimits.forwardLookMs, call.signal)
        if (call.signal.aborted) return callerLeft
      }
    } finally {
      over.abort()
      call.signal.removeEventListener('abort', leave)
    }
  }

  /** Handles a request that another replica sent. */
  async continue({ response, by, body }: ForwardedIn, continueHere: ContinueHere): Promise<void> {
    const content = objectOf(body)
    const state = readCallState(content.state)
    const requestDigest = stringAt(content, 'requestDigest')
    if (state === undefined || requestDigest === undefined) return void response.writeHead(400).end()
    const key = runningKey(by.principal, content)
    const cancelled = new AbortController()
    this.#running.set(key, cancelled)
    if (content.isCancelled === true) cancelled.abort()
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
    // The call may notify after this response has ended. A sender that does not read gets nothing more.
    const write = (line: JsonObject) => {
      if (response.writableEnded || response.destroyed) return
      if (response.writableLength > clientLimits.unreadBytes) response.destroy()
      else response.write(`${JSON.stringify(line)}\n`)
    }
    response.on('error', () => undefined)
    // The sender then reads the call's row.
    const unsubscribe = this.#shutdown.onPhase('closed', () => response.destroy())
    let progressedAt = Number.NEGATIVE_INFINITY
    const notify = (notification: Notification) => {
      if (notification.method === 'notifications/progress') {
        if (performance.now() - progressedAt < progressEveryMs) return
        progressedAt = performance.now()
      }
      write({ notification })
    }
    try {
      const call = callOf(by, content, notify, cancelled.signal)
      const given = (objectAt(content, 'given') ?? {}) as Answers
      const remote = await continueHere(call, state, given, requestDigest)
      if (remote !== undefined) write({ state: (remote.kind === 'ended' ? remote : storable(remote)) as JsonObject })
      response.end()
    } catch (error) {
      // The sender notices the broken response, and reads the call's row.
      response.destroy()
      throw error
    } finally {
      unsubscribe()
      this.#running.delete(key)
    }
  }

  /** The caller of such a request cancelled it. */
  async cancel({ response, by, body }: ForwardedIn): Promise<void> {
    const request = this.#running.get(runningKey(by.principal, objectOf(body)))
    request?.abort()
    response.writeHead(request === undefined ? 404 : 200).end()
  }

  /** Whether the holder is alive and has no address. One that is shutting down has one, and ends the call's row. */
  async #isAliveElsewhere(holder: string): Promise<boolean> {
    const isReachable = async () =>
      this.#others?.peers.isLeaving(holder) === true || (await this.#others?.peers.find(holder)) !== undefined
    if (await isReachable()) return false
    // Read again: the holder may have renewed its lease between the two reads.
    return (await this.#replicas.isAlive(holder)) && !(await isReachable())
  }

  /** Repeated until the request is over: a cancellation may arrive before the request that it cancels. */
  async #cancelAt(holder: string, call: Call, name: string, over: AbortSignal): Promise<void> {
    const body = JSON.stringify({ name })
    for (;;) {
      const response = await this.#post(holder, call, cancelPath, body)
      if (response !== undefined) return discard(response)
      if (over.aborted) return
      await sleep(clusterLimits.cancelAgainMs, over)
    }
  }

  async #attempt(holder: string, call: Call, body: string, signal: AbortSignal): Promise<RemoteCallState | 'broken'> {
    const response = await this.#post(holder, call, continuePath, body, signal)
    if (response === undefined) return 'broken'
    return readLines(response, (line) => {
      const notification = objectAt(line, 'notification')
      if (notification !== undefined) call.notify(notification as Notification)
      return objectAt(line, 'state') as RemoteCallState | undefined
    })
  }

  /** Undefined when the holder is not reached, or its response is not the expected one. */
  async #post(
    holder: string,
    { tenant, principal }: Call,
    path: string,
    body: string,
    signal: AbortSignal = AbortSignal.timeout(clusterLimits.forwardValidMs),
  ): Promise<IncomingMessage | undefined> {
    const to = await this.#others?.peers.find(holder).catch(() => undefined)
    if (to === undefined || this.#others === undefined) return undefined
    const request = { method: 'POST', path, headers: { 'content-type': 'application/json' }, body }
    const response = await this.#others.forwarder.send(to, { tenant, principal, groups: [] }, request, signal)
    if (typeof response === 'string') return undefined
    if (response.statusCode === 200) return response
    response.on('error', () => undefined).resume()
    return undefined
  }
}

/** Reads lines until `take` returns a value. */
async function readLines<Value>(
  response: IncomingMessage,
  take: (line: JsonObject) => Value | undefined,
): Promise<Value | 'broken'> {
  const lines = new Lines()
  try {
    for await (const chunk of response) {
      for (const text of lines.push(chunk as Buffer)) {
        const value = text === undefined ? undefined : take(objectOf(text))
        if (value !== undefined) return value
      }
    }
  } catch {
    // The connection broke: the caller reads the call's row.
  }
  return 'broken'
}

function objectOf(text: string): JsonObject {
  const read = readOwnJson(text)
  return isPlainObject(read) ? (read as JsonObject) : {}
}

/**
 * The parts of the request that the holder needs: which client sent it, and its `_meta`, such as the progress token. The
 * holder has the name and the arguments of the call.
 */
function carried({ method, params, client, requestHeaders = {} }: Call): JsonObject {
  const { info, declared, capabilities } = client
  const headers = Object.entries(requestHeaders).filter(([name]) => !isNeverForwarded(name))
  return {
    method,
    meta: objectAt(params, '_meta') ?? {},
    client: { info, declared, capabilities },
    headers: Object.fromEntries(headers),
  }
}

function callOf(
  { tenant, principal }: Pick<Call, 'tenant' | 'principal'>,
  content: JsonObject,
  notify: Call['notify'],
  signal: AbortSignal,
): Call {
  const client = objectAt(content, 'client') ?? {}
  const part = (name: string) => objectAt(client, name) ?? {}
  return {
    tenant,
    principal,
    scope: '',
    method: stringAt(content, 'method') ?? '',
    params: { _meta: objectAt(content, 'meta') ?? {} },
    client: { info: part('info'), declared: part('declared'), capabilities: part('capabilities') },
    requestHeaders: (objectAt(content, 'headers') ?? {}) as Record<string, string>,
    notify,
    signal,
  }
}

function runningKey(principal: string, content: JsonObject): string {
  return compoundKey(principal, stringAt(content, 'name') ?? '')
}
