// Continues a held call from another replica than the one that holds it.
//
// The answers go to the holder as a message; the holder continues the call, stores the outcome and replies with a
// message. The sender also polls the call's row, so it notices the end of the call, or of the holder, when no message
// arrives. Messages may be sent twice: a question is answered once, and after that the holder only replies with the
// call's state.

import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@assent/core'
import type { Mailbox, ReplicaMessage } from '../../cluster/mailbox.ts'
import { clusterLimits } from '../../limits.ts'
import { compoundKey } from '../../protocol/compound-key.ts'
import { type Notification, objectAt, stringAt } from '../../protocol/messages.ts'
import { within } from '../../protocol/within.ts'
import { type RelayState, readCallState, relayPart, writeCallState } from '../call-state.ts'
import { type Answers, type Call, type NeedsInput, storable } from '../model.ts'
import type { Shutdown } from '../shutdown.ts'

/** The call's state at the holder: ended with its outcome stored, or waiting for people again. */
export type RemoteCallState = { readonly kind: 'ended' } | NeedsInput<RelayState>

/** Continues a call that is held here. Undefined when it is not, or not for this caller and request. */
export type ContinueHere = (
  call: Call,
  state: RelayState,
  given: Answers,
  requestDigest: string,
) => Promise<RemoteCallState | undefined>

interface Waiting {
  readonly call: Call
  onState(state: RemoteCallState): void
}

const progressEveryMs = 100

export class Forwarding {
  readonly #mailbox: Mailbox
  readonly #continueHere: ContinueHere
  readonly #shutdown: Shutdown
  readonly #onError: (error: unknown) => void
  /** Requests forwarded to other replicas, by the name of the forwarding. */
  readonly #waiting = new Map<string, Waiting>()
  /** Requests that other replicas forwarded to this one. */
  readonly #running = new Map<string, AbortController>()

  constructor(mailbox: Mailbox, continueHere: ContinueHere, shutdown: Shutdown, onError: (error: unknown) => void) {
    this.#shutdown = shutdown
    this.#mailbox = mailbox
    this.#continueHere = continueHere
    this.#onError = onError
    mailbox.on('continue', (message) => void this.#continue(message).catch(onError))
    mailbox.on('leave', ({ principal, content }) => this.#running.get(runningKey(principal, content))?.abort())
    mailbox.on('said', ({ principal, content }) => {
      const waiting = this.#own(principal, content)
      const notification = objectAt(content, 'notification')
      if (waiting !== undefined && notification !== undefined) waiting.call.notify(notification as Notification)
    })
    mailbox.on('stands', ({ principal, content }) => {
      const state = objectAt(content, 'standing')
      if (state !== undefined) this.#own(principal, content)?.onState(state as RemoteCallState)
    })
  }

  /**
   * Asks the holder to continue a call.
   *
   * @param isOver reads the call's row: true when it no longer runs
   * @returns undefined when `isOver` returned true
   */
  async continueAt(
    holder: string,
    call: Call,
    state: RelayState,
    given: Answers,
    requestDigest: string,
    isOver: () => Promise<boolean>,
  ): Promise<RemoteCallState | undefined> {
    const name = randomUUID()
    const { promise, resolve } = Promise.withResolvers<RemoteCallState>()
    this.#waiting.set(name, { call, onState: resolve })
    this.#mailbox.open()
    const leave = () => {
      // When this replica shuts down, the holder continues and stores the outcome.
      if (!this.#shutdown.has('closed')) void this.#mailbox.send(holder, call, 'leave', { name }).catch(this.#onError)
    }
    call.signal.addEventListener('abort', leave, { once: true })
    try {
      const carriedState = writeCallState(relayPart(state))
      const message = { name, ...carried(call), state: carriedState, given: given as JsonObject, requestDigest }
      let sentAt = Number.NEGATIVE_INFINITY
      for (;;) {
        // Resend at intervals: the message or its reply may have been dropped by a full mailbox.
        if (performance.now() - sentAt > clusterLimits.forwardAgainMs) {
          await this.#mailbox.send(holder, call, 'continue', message)
          sentAt = performance.now()
        }
        const now = await within(clusterLimits.forwardLookMs, promise)
        if (now !== undefined) return now
        if (await isOver()) return undefined
      }
    } finally {
      call.signal.removeEventListener('abort', leave)
      this.#waiting.delete(name)
    }
  }

  /** Handles a request that another replica forwarded. */
  async #continue({ tenant, principal, from, content }: ReplicaMessage): Promise<void> {
    const key = runningKey(principal, content)
    const state = readCallState(content.state)
    const requestDigest = stringAt(content, 'requestDigest')
    if (state === undefined || requestDigest === undefined || this.#running.has(key)) return
    const cancelled = new AbortController()
    this.#running.set(key, cancelled)
    const name = content.name ?? null
    const messages = this.#mailbox.messagesTo(from, { tenant, principal })
    const reply = (kind: string, fields: JsonObject) => messages.send(kind, { name, ...fields })
    let progressedAt = Number.NEGATIVE_INFINITY
    const notify = (notification: Notification) => {
      if (notification.method === 'notifications/progress') {
        if (performance.now() - progressedAt < progressEveryMs) return
        progressedAt = performance.now()
      }
      reply('said', { notification })
    }
    try {
      const call = callOf({ tenant, principal, content }, notify, cancelled.signal)
      const given = (objectAt(content, 'given') ?? {}) as Answers
      const remote = await this.#continueHere(call, state, given, requestDigest)
      if (remote !== undefined)
        reply('stands', { standing: (remote.kind === 'ended' ? remote : storable(remote)) as JsonObject })
      await messages.sent
    } finally {
      this.#running.delete(key)
    }
  }

  #own(principal: string, content: JsonObject): Waiting | undefined {
    const waiting = this.#waiting.get(stringAt(content, 'name') ?? '')
    return waiting?.call.principal === principal ? waiting : undefined
  }
}

/** The parts of the request that the holder needs: what it called and which client sent it. */
function carried({ method, params, client, requestHeaders = {} }: Call): JsonObject {
  const { name = null, uri = null } = params
  const { info, declared, capabilities } = client
  return { method, target: { name, uri }, client: { info, declared, capabilities }, headers: { ...requestHeaders } }
}

function callOf(
  { tenant, principal, content }: Pick<ReplicaMessage, 'tenant' | 'principal' | 'content'>,
  notify: Call['notify'],
  signal: AbortSignal,
): Call {
  const client = objectAt(content, 'client') ?? {}
  const target = Object.entries(objectAt(content, 'target') ?? {}).filter(([, value]) => value !== null)
  const part = (name: string) => objectAt(client, name) ?? {}
  return {
    tenant,
    principal,
    scope: '',
    method: stringAt(content, 'method') ?? '',
    params: Object.fromEntries(target),
    client: { info: part('info'), declared: part('declared'), capabilities: part('capabilities') },
    requestHeaders: (objectAt(content, 'headers') ?? {}) as Record<string, string>,
    notify,
    signal,
  }
}

function runningKey(principal: string, content: JsonObject): string {
  return compoundKey(principal, stringAt(content, 'name') ?? '')
}
