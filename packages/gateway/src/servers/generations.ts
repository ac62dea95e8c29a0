// One configured server across changes of its configuration.
//
// A new configuration is a new generation: calls that begin now go to it, while calls that began before come to their end
// where they began. A generation that was replaced closes when nothing of it is left.

import type { JsonValue } from '@assent/core'
import { upstreamLimits } from '../limits.ts'
import {
  bareReason,
  type Call,
  type Description,
  type Given,
  heldId,
  NotSent,
  type Outcome,
  type Upstream,
} from '../relay/exchange.ts'
import { listOf } from '../relay/names.ts'
import { TooEarly } from '../upstream/back-off.ts'
import { type Timeouts, timeoutsOf } from '../upstream/timeouts.ts'
import { tracedCall } from '../watch/trace.ts'
import type { Watch } from '../watch/watch.ts'
import type { Notification } from '../wire/messages.ts'
import { unlessSilent } from './unless-silent.ts'

/** @param closing aborts when the server is no longer wanted */
export type Open = (call: Call, closing: AbortSignal) => Promise<Upstream>

interface Generation {
  readonly open: Open
  readonly timeouts: Timeouts
  readonly replaced: AbortController
  /** Aborts when it is shut, also while it is being opened. */
  readonly closing: AbortController
  opened: Promise<Upstream> | undefined
  /** Whether the server has answered anything since it was opened. */
  hasAnswered: boolean
  /** Attempts to open it, and lists, that failed or stayed without an answer since the last that did not. */
  failures: number
  /** Why the last of them failed. */
  lastReason: string | undefined
  /** On whose behalf it was opened last. */
  lastCall: Call | undefined
  retry: NodeJS.Timeout | undefined
  /** Resolves when it is opened next. */
  up: PromiseWithResolvers<Upstream>
  /** Requests that are under way. */
  running: number
  /** Calls that are held for people. */
  readonly held: Set<string>
}

export class Generations implements Upstream {
  readonly name: string
  readonly #watch: Watch
  readonly #retired = new Set<Generation>()
  readonly #listeners = new Set<Call['notify']>()
  #current: Generation

  constructor(name: string, open: Open, watch: Watch, timeouts: Timeouts = timeoutsOf()) {
    this.name = name
    this.#watch = watch
    this.#current = generation(open, timeouts)
  }

  replace(open: Open, timeouts: Timeouts = timeoutsOf()): void {
    this.#retire()
    this.#current = generation(open, timeouts)
  }

  start(call: Call): Promise<Outcome> {
    return this.#run(this.#current, call, (upstream, traced) => upstream.start(traced))
  }

  continue(call: Call, resume: JsonValue, given: Readonly<Record<string, Given>>): Promise<Outcome> {
    const id = heldId(resume)
    const holder = id === undefined ? undefined : [...this.#retired].find(({ held }) => held.has(id))
    const generation = holder ?? this.#current
    if (id !== undefined) generation.held.delete(id)
    return this.#run(generation, call, (upstream, traced) => upstream.continue(traced, resume, given))
  }

  async describe(call: Call): Promise<Description> {
    const generation = this.#current
    const upstream = await this.#patiently(generation, this.#upstream(generation, call))
    // A client that begins a session waits for all servers, also for one that hangs.
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(generation.timeouts.replyMs)])
    return this.#patiently(generation, upstream.describe({ ...call, signal }))
  }

  async listen(call: Call): Promise<void> {
    this.#listeners.add(call.notify)
    try {
      while (!call.signal.aborted) {
        const listening = this.#current
        const signal = AbortSignal.any([call.signal, listening.replaced.signal])
        const upstream = await this.#whenUp(listening, call, signal)
        await upstream?.listen({ ...call, signal })
        if (!listening.replaced.signal.aborted || listening === this.#current) return
      }
    } finally {
      this.#listeners.delete(call.notify)
    }
  }

  /** Tells whoever listens that what there is may have changed. */
  announce(): void {
    const kinds = ['tools', 'prompts', 'resources']
    for (const notify of this.#listeners) {
      for (const kind of kinds) notify({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` })
    }
  }

  notify(call: Call, notification: Notification): void {
    for (const { opened } of [this.#current, ...this.#retired]) {
      // One that could not be opened has no session to be told.
      opened?.then(
        (upstream) => upstream.notify?.(call, notification),
        () => undefined,
      )
    }
  }

  leave(principal: string, scope: string): void {
    for (const { opened } of [this.#current, ...this.#retired]) {
      // One that could not be opened has nothing to let go of, and its callers were told.
      opened?.then(
        (upstream) => upstream.leave(principal, scope),
        () => undefined,
      )
    }
  }

  /** Takes no more calls, and closes as soon as nothing is left. */
  end(): void {
    this.#retire()
  }

  /** At once, whatever runs. */
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
      const upstream = await (isList ? this.#patiently(generation, opening) : opening).catch((error: unknown) => {
        throw new NotSent(error)
      })
      const began = performance.now()
      const answer = tracedCall(this.name, call, (traced) =>
        unlessSilent(this.name, traced, generation.timeouts, (heard) => ask(upstream, heard)),
      )
      const outcome = await (isList ? this.#patiently(generation, answer) : answer)
      this.#watch.replied(this.name, performance.now() - began)
      const id = outcome.kind === 'needs-people' && outcome.over !== undefined ? heldId(outcome.resume) : undefined
      if (id !== undefined) generation.held.add(id)
      const away = outcome.kind === 'failed' && outcome.isAway === true ? bareReason(outcome.error.message) : undefined
      this.#watch.health(this.name, away === undefined, away)
      if (isList) generation.failures = away === undefined ? 0 : generation.failures + 1
      if (away !== undefined) this.#doubt(generation)
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
      generation.lastCall = call
      generation.opened = generation.open(call, generation.closing.signal)
      generation.opened.then(
        (upstream) => this.#isUp(generation, upstream),
        (error: unknown) => {
          // The next call tries again.
          generation.opened = undefined
          if (generation.closing.signal.aborted) return
          // Its last failure was reported.
          if (!(error instanceof TooEarly)) {
            generation.failures += 1
            generation.lastReason = bareReason(error)
            this.#watch.health(this.name, false, generation.lastReason)
          }
          this.#retryLater(generation)
        },
      )
    }
    return generation.opened
  }

  #isUp(generation: Generation, upstream: Upstream): void {
    generation.up.resolve(upstream)
    generation.up = Promise.withResolvers()
    const hadFailed = generation.failures > 0
    generation.failures = 0
    this.#watch.health(this.name, true)
    // Lists were given without it.
    if (hadFailed) this.announce()
  }

  /** A client that listens lists again only after `list_changed`, so the server is retried without a call. */
  #retryLater(generation: Generation): void {
    const { failures, lastCall } = generation
    if (this.#listeners.size === 0 || generation.replaced.signal.aborted || lastCall === undefined) return
    const { restartFirstMs, restartLastMs } = upstreamLimits
    const waitMs = Math.min(restartFirstMs * 2 ** failures, restartLastMs)
    generation.retry = setTimeout(() => {
      // Reported where it is opened.
      this.#upstream(generation, lastCall).catch(() => undefined)
    }, waitMs)
    generation.retry.unref()
  }

  /** The server, once it can be used; undefined when the signal aborts first. */
  async #whenUp(generation: Generation, call: Call, signal: AbortSignal): Promise<Upstream | undefined> {
    const { up } = generation
    try {
      return await this.#upstream(generation, call)
    } catch {
      // Reported where it is opened, and tried again there.
      const { promise, resolve } = Promise.withResolvers<undefined>()
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
      return signal.aborted ? undefined : await Promise.race([up.promise, promise])
    }
  }

  /** A server that failed or stayed silent before delays no list for long. */
  async #patiently<Value>(generation: Generation, answer: Promise<Value>): Promise<Value> {
    if (generation.failures === 0) return answer
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(notYet(generation)), upstreamLimits.listDelayMs)
    try {
      return await Promise.race([answer, promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * A server that was opened and never answered may have been mistaken for one of another revision, by what came back in its
   * place when it was asked. The next call asks again.
   */
  #doubt(generation: Generation): void {
    const { opened, hasAnswered, running } = generation
    // Another call may be about to hear more than this one has.
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
    lastCall: undefined,
    retry: undefined,
    up: Promise.withResolvers(),
    running: 0,
    held: new Set(),
  }
}

function notYet({ lastReason }: Generation): Error {
  const before = lastReason === undefined ? '' : ` The last attempt failed: ${lastReason}`
  return new Error(`The server has not answered yet.${before}`)
}

async function shut({ opened, retry, closing }: Generation): Promise<void> {
  clearTimeout(retry)
  closing.abort()
  const upstream = await opened?.catch(() => undefined)
  await upstream?.close()
}
