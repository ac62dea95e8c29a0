// One configured server across changes of its configuration.
//
// A new configuration creates a new generation: new calls use it, while running calls finish in the generation in which
// they started. A replaced generation closes when its last call has ended.

import {
  type Answers,
  bareReason,
  type Call,
  type Description,
  heldId,
  NotSent,
  type Outcome,
  type ServerState,
  type Upstream,
} from '../call/model.ts'
import { listOf } from '../call/names.ts'
import type { Telemetry } from '../call/telemetry-port.ts'
import { tracedCall } from '../call/trace.ts'
import { serverLimits } from '../limits.ts'
import type { Notification } from '../protocol/messages.ts'
import { TooEarly } from './back-off.ts'
import { type Timeouts, timeoutsOf } from './timeouts.ts'
import { unlessSilent } from './unless-silent.ts'

/** @param closing aborts when the server is no longer needed */
export type Open = (call: Call, closing: AbortSignal) => Promise<Upstream>

interface Generation {
  readonly open: Open
  readonly timeouts: Timeouts
  readonly replaced: AbortController
  /** Aborts when the generation closes, also while it is being opened. */
  readonly closing: AbortController
  opened: Promise<Upstream> | undefined
  /** Whether the server has answered anything since it was opened. */
  hasAnswered: boolean
  /** Consecutive failures of opening the server or of list requests. */
  failures: number
  /** Why the last of them failed. */
  lastReason: string | undefined
  retry: NodeJS.Timeout | undefined
  /** Resolves when it is next opened successfully. */
  up: PromiseWithResolvers<Upstream>
  /** Number of running requests. */
  running: number
  /** Ids of calls that are held while a person is asked. */
  readonly held: Set<string>
}

export class ServerVersions implements Upstream {
  readonly name: string
  readonly #telemetry: Telemetry
  readonly #retired = new Set<Generation>()
  readonly #listeners = new Set<Call>()
  #current: Generation

  constructor(name: string, open: Open, watch: Telemetry, timeouts: Timeouts = timeoutsOf()) {
    this.name = name
    this.#telemetry = watch
    this.#current = generation(open, timeouts)
  }

  replace(open: Open, timeouts: Timeouts = timeoutsOf()): void {
    this.#retire()
    this.#current = generation(open, timeouts)
  }

  /** Opens the server if it is not open. */
  async open(call: Call): Promise<void> {
    await this.#upstream(this.#current, call)
  }

  start(call: Call): Promise<Outcome> {
    return this.#run(this.#current, call, (upstream, traced) => upstream.start(traced))
  }

  continue(call: Call, state: ServerState, given: Answers): Promise<Outcome> {
    const id = heldId(state)
    const holder = id === undefined ? undefined : [...this.#retired].find(({ held }) => held.has(id))
    const generation = holder ?? this.#current
    if (id !== undefined) generation.held.delete(id)
    return this.#run(generation, call, (upstream, traced) => upstream.continue(traced, state, given))
  }

  async describe(call: Call): Promise<Description> {
    const generation = this.#current
    const upstream = await this.#withListLimit(generation, this.#upstream(generation, call))
    // A client that starts a session waits for the description of every server, so limit the wait for one that hangs.
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(generation.timeouts.replyMs)])
    return this.#withListLimit(generation, upstream.describe({ ...call, signal }))
  }

  async listen(call: Call): Promise<void> {
    this.#listeners.add(call)
    try {
      while (!call.signal.aborted) {
        const listening = this.#current
        const signal = AbortSignal.any([call.signal, listening.replaced.signal])
        const upstream = await this.#whenUp(listening, call, signal)
        await upstream?.listen({ ...call, signal })
        if (!listening.replaced.signal.aborted || listening === this.#current) return
      }
    } finally {
      this.#listeners.delete(call)
    }
  }

  /** Sends `list_changed` notifications to all listeners. */
  announce(): void {
    const kinds = ['tools', 'prompts', 'resources']
    for (const { notify } of this.#listeners) {
      for (const kind of kinds) notify({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` })
    }
  }

  notify(call: Call, notification: Notification): void {
    for (const { opened } of [this.#current, ...this.#retired]) {
      // A generation that could not be opened has no session to notify.
      opened?.then(
        (upstream) => upstream.notify?.(call, notification),
        () => undefined,
      )
    }
  }

  leave(principal: string, scope: string): void {
    for (const { opened } of [this.#current, ...this.#retired]) {
      // A generation that could not be opened has nothing to release, and the failure was reported to its callers.
      opened?.then(
        (upstream) => upstream.leave(principal, scope),
        () => undefined,
      )
    }
  }

  /** Closes as soon as the last running call has ended. */
  end(): void {
    this.#retire()
  }

  /** Closes immediately, also with calls running. */
  async close(): Promise<void> {
    const all = [this.#current, ...this.#retired]
    this.#retired.clear()
    for (const { replaced } of all) replaced.abort()
    await Promise.all(all.map(shut))
  }

  async #run(
    generation: Generation,
    call: Call,
    ask: (upstream: Upstream, traced: Call) => Promise<Outcome>,
  ): Promise<Outcome> {
    generation.running += 1
    try {
      const isList = listOf(call.method) !== undefined
      const opening = this.#upstream(generation, call)
      const upstream = await (isList ? this.#withListLimit(generation, opening) : opening).catch((error: unknown) => {
        throw new NotSent(error)
      })
      const began = performance.now()
      const answer = tracedCall(this.name, call, (traced) =>
        unlessSilent(this.name, traced, generation.timeouts, (watched) => ask(upstream, watched)),
      )
      const outcome = await (isList ? this.#withListLimit(generation, answer) : answer)
      this.#telemetry.replied(this.name, performance.now() - began)
      const id = outcome.kind === 'input-required' && outcome.over !== undefined ? heldId(outcome.state) : undefined
      if (id !== undefined) generation.held.add(id)
      const away = outcome.kind === 'failed' && outcome.isAway === true ? bareReason(outcome.error.message) : undefined
      this.#telemetry.health(this.name, away === undefined, away)
      if (isList) generation.failures = away === undefined ? 0 : generation.failures + 1
      if (away !== undefined) this.#reopenIfSuspect(generation)
      else generation.hasAnswered = true
      return outcome
    } finally {
      generation.running -= 1
      this.#closeIfDone(generation)
    }
  }

  #upstream(generation: Generation, call: Call): Promise<Upstream> {
    if (generation.opened === undefined) {
      clearTimeout(generation.retry)
      generation.opened = generation.open(call, generation.closing.signal)
      generation.opened.then(
        (upstream) => this.#onUp(generation, upstream),
        (error: unknown) => {
          // The next call tries again.
          generation.opened = undefined
          if (generation.closing.signal.aborted) return
          // Skip `TooEarly`: the failure that it repeats was already reported.
          if (!(error instanceof TooEarly)) {
            generation.failures += 1
            generation.lastReason = bareReason(error)
            this.#telemetry.health(this.name, false, generation.lastReason)
          }
          this.#retryLater(generation)
        },
      )
    }
    return generation.opened
  }

  #onUp(generation: Generation, upstream: Upstream): void {
    generation.up.resolve(upstream)
    generation.up = Promise.withResolvers()
    const hadFailed = generation.failures > 0
    generation.failures = 0
    this.#telemetry.health(this.name, true)
    // Earlier lists lack this server's entries.
    if (hadFailed) this.announce()
  }

  /** A listening client requests lists again only after `list_changed`, so the gateway retries without a call. */
  #retryLater(generation: Generation): void {
    if (this.#listeners.size === 0 || generation.replaced.signal.aborted) return
    const { restartFirstMs, restartLastMs } = serverLimits
    const waitMs = Math.min(restartFirstMs * 2 ** generation.failures, restartLastMs)
    generation.retry = setTimeout(() => {
      // For a client that still listens: nothing closes a process or session of a client that has left.
      const [listener] = this.#listeners
      // Reported in `#upstream`.
      if (listener !== undefined) this.#upstream(generation, listener).catch(() => undefined)
    }, waitMs)
    generation.retry.unref()
  }

  /** The server, once it can be used; undefined when the signal aborts first. */
  async #whenUp(generation: Generation, call: Call, signal: AbortSignal): Promise<Upstream | undefined> {
    const { up } = generation
    try {
      return await this.#upstream(generation, call)
    } catch {
      // Reported and retried in `#upstream`.
      const { promise, resolve } = Promise.withResolvers<undefined>()
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
      return signal.aborted ? undefined : await Promise.race([up.promise, promise])
    }
  }

  /** Limits how long a list waits for a server that failed or timed out before. */
  async #withListLimit<Value>(generation: Generation, answer: Promise<Value>): Promise<Value> {
    if (generation.failures === 0) return answer
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(notYet(generation)), serverLimits.listDelayMs)
    try {
      return await Promise.race([answer, promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * A server that was opened and never answered may have been opened in the wrong revision, because something else
   * answered the probe. The next call probes again.
   */
  #reopenIfSuspect(generation: Generation): void {
    const { opened, hasAnswered, running } = generation
    // Another running call may still get an answer.
    if (hasAnswered || opened === undefined || running > 1) return
    generation.opened = undefined
    opened.then(
      (upstream) => upstream.close(),
      () => undefined,
    )
  }

  #retire(): void {
    this.#retired.add(this.#current)
    this.#current.replaced.abort()
    this.#closeIfDone(this.#current)
  }

  #closeIfDone(generation: Generation): void {
    if (!this.#retired.has(generation) || generation.running > 0 || generation.held.size > 0) return
    this.#retired.delete(generation)
    void shut(generation)
  }
}

function generation(open: Open, timeouts: Timeouts): Generation {
  return {
    open,
    timeouts,
    replaced: new AbortController(),
    closing: new AbortController(),
    opened: undefined,
    hasAnswered: false,
    failures: 0,
    lastReason: undefined,
    retry: undefined,
    up: Promise.withResolvers(),
    running: 0,
    held: new Set(),
  }
}

function notYet({ lastReason }: Generation): Error {
  const before = lastReason === undefined ? '' : ` The last attempt failed: ${lastReason}`
  return new Error(`The server has not responded yet.${before}`)
}

async function shut({ opened, retry, closing }: Generation): Promise<void> {
  clearTimeout(retry)
  closing.abort()
  const upstream = await opened?.catch(() => undefined)
  await upstream?.close()
}
