// Sends the messages that are due: claims them, sends each to its recipients, and stores what is due next.
//
// Owns: the messages that this process sends now.
// I1  What was sent is stored after it was sent. A process that stops in between sends the message again, with the same id.
// I2  Each recipient that failed gets its own further attempts; those that got the message get none.
// I3  An error of one message, or of the store, delays that message and no other one.

import { randomUUID } from 'node:crypto'
import type { Ask } from '@assent/core'
import type { DueMessage, NextMessage, Outbox } from '@assent/store'
import type { NotifySettings } from '../config/notify-settings.ts'
import { own } from '../protocol/own.ts'
import { type AskMessage, askMessage } from './ask-message.ts'
import type { Channel, SendResult } from './channel.ts'
import { notifyLimits } from './limits.ts'
import { type MessageStep, nextAfter, retryAtMs, retryPauseMs, stepFor } from './next-message.ts'
import { type Delivery, deliveriesOf, type RecipientSettings } from './recipients.ts'

/** The settings in force, with their open channels. */
export interface NotifyInForce extends RecipientSettings {
  readonly notify: Pick<NotifySettings, 'to' | 'channels' | 'remind_before'>
  readonly open: Readonly<Record<string, Channel>>
  readonly inboxUrl: string
}

export interface DispatcherParts {
  readonly outbox: Outbox
  readonly tenant: string
  readonly read: (askId: string) => Promise<Ask | undefined>
  readonly inForce: () => NotifyInForce
  readonly nowMs: () => number
  readonly random: () => number
  readonly onResult: (report: DeliveryReport) => void
  readonly onError: (error: unknown) => void
}

export interface DeliveryReport {
  readonly channel: string
  readonly ask: string
  readonly kind: AskMessage['kind']
  readonly attempt: number
  readonly result: 'sent' | 'failed' | 'abandoned'
  readonly reason?: string
}

type SendStep = MessageStep & { do: 'send' }

export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #owner = randomUUID()
  readonly #sending = new Set<Promise<void>>()
  readonly #stopped = new AbortController()

  constructor(parts: DispatcherParts) {
    this.#parts = parts
  }

  /** Claims what is due, and begins to send it. Returns how many messages were claimed. */
  async claim(): Promise<number> {
    const atMost = notifyLimits.atOnce - this.#sending.size
    if (atMost <= 0 || this.#stopped.signal.aborted) return 0
    const { outbox, tenant, onError } = this.#parts
    const due = await outbox.claim({ tenant, owner: this.#owner, leaseMs: notifyLimits.leaseMs, atMost })
    for (const message of due) {
      const sending = this.#handle(message)
        .catch(onError)
        .finally(() => this.#sending.delete(sending))
      this.#sending.add(sending)
    }
    return due.length
  }

  /** Resolves when everything that was claimed is sent, or is due again later. */
  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending)
  }

  /** Ends the attempts in progress; what was not sent is due again at once, for another process. */
  stop(): void {
    this.#stopped.abort()
  }

  async #handle(due: DueMessage): Promise<void> {
    const { outbox, read, nowMs, inForce } = this.#parts
    const ask = await read(due.askId)
    const settings = inForce()
    const step = stepFor(due, ask, nowMs(), settings.notify.remind_before)
    if (step.do === 'remove' || ask === undefined) return void (await outbox.remove(due))
    if (step.do === 'wait') return void (await outbox.reschedule(due, step.next))
    const remaining = deliveriesOf(ask, settings).filter(({ key }) => !step.done.includes(key))
    const message = askMessage(ask, step.kind, {
      inboxUrl: settings.inboxUrl,
      remindBeforeMs: settings.notify.remind_before,
    })
    const results = await this.#sendAll(message, remaining, settings)
    const next = this.#nextAfter(ask, step, message, results, settings)
    if (next === undefined) await outbox.remove(due)
    else await outbox.reschedule(due, next)
  }

  /** All channels at once; the addresses of one channel one after the other, each on a connection of its own. */
  async #sendAll(
    message: AskMessage,
    deliveries: readonly Delivery[],
    { open }: NotifyInForce,
  ): Promise<(readonly [Delivery, SendResult])[]> {
    const startedAt = performance.now()
    const isLate = () => performance.now() - startedAt > notifyLimits.startWithinMs
    const byChannel = Map.groupBy(deliveries, ({ channel }) => channel)
    const sent = [...byChannel].map(async ([name, ofChannel]) => {
      const results: (readonly [Delivery, SendResult])[] = []
      for (const delivery of ofChannel) {
        const { signal } = this.#stopped
        const channel = own(open, name)
        const result: SendResult =
          channel === undefined
            ? { ok: false, reason: 'the channel is not configured any more', isFinal: true }
            : signal.aborted || isLate()
              ? { ok: false, reason: 'no time was left for it' }
              : await channel.send(message, delivery.address, signal)
        results.push([delivery, result])
      }
      return results
    })
    return (await Promise.all(sent)).flat()
  }

  #nextAfter(
    ask: Ask,
    { kind, attempts, done }: SendStep,
    message: AskMessage,
    results: readonly (readonly [Delivery, SendResult])[],
    { notify }: NotifyInForce,
  ): NextMessage | undefined {
    const { nowMs, random, onResult } = this.#parts
    const failed = results.flatMap(([delivery, result]) => (result.ok || result.isFinal ? [] : [{ delivery, result }]))
    const requestedMs = Math.max(0, ...failed.map(({ result }) => result.retryAfterMs ?? 0))
    const pauseMs = this.#stopped.signal.aborted ? 0 : retryPauseMs(attempts, random, requestedMs)
    for (const [{ channel }, result] of results) {
      const given = { channel, ask: message.askId, kind, attempt: attempts }
      if (result.ok) onResult({ ...given, result: 'sent' })
      else {
        const isLast = result.isFinal === true || pauseMs === undefined
        onResult({ ...given, result: isLast ? 'abandoned' : 'failed', reason: result.reason })
      }
    }
    if (failed.length === 0 || pauseMs === undefined) return nextAfter(kind, ask, nowMs(), notify.remind_before)
    const finished = results.filter(([, result]) => result.ok || result.isFinal).map(([{ key }]) => key)
    const dueAtMs = retryAtMs(kind, ask, nowMs(), pauseMs, notify.remind_before)
    return { stage: kind, dueAtMs, attempts, done: [...done, ...finished] }
  }
}
