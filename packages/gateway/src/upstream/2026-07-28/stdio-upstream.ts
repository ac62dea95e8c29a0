// Speaks revision 2026-07-28 to a child process, or to a server inside this one.
//
// One process serves one client's session; a client of the newest revision has none, so there one process serves one program
// of one person. Calls run side by side on it, because nothing but replies and notifications comes back: replies are told
// apart by ids of ours, progress by a token of ours.

import type { JsonValue } from '@assent/core'
import {
  type Call,
  type Description,
  failed,
  type Given,
  NotSent,
  type Outcome,
  reasonOf,
  type Upstream,
  unsent,
} from '../../relay/exchange.ts'
import { errorCodes, isNotification, isReply, type Message, type Notification, objectAt } from '../../wire/messages.ts'
import { PerCaller } from '../per-caller.ts'
import { withToken, withTokenOf } from '../progress-token.ts'
import { type Wire, WireEnded, type WireEvents } from '../wire.ts'
import { describeBy } from './describe.ts'
import { outcomeOf, retryOf, withEnvelope } from './envelope.ts'

interface Running {
  readonly call: Call
  readonly resolve: (outcome: Outcome) => void
}

type OpenWire = (events: WireEvents) => Wire

/** Above the ids of a session that was begun on the same process, and given up when it answered in this revision. */
const firstId = 1_000_000

class Process {
  readonly #wire: Wire
  readonly #running = new Map<number, Running>()
  isOpen = true
  lastUsedMs: number = performance.now()
  #lastId = firstId

  constructor(open: OpenWire) {
    const events = {
      onMessage: (message: Message) => this.#receive(message),
      onClosed: (reason: string, neverStarted?: boolean) => this.#lose(reason, neverStarted === true),
    }
    this.#wire = open(events)
  }

  async run(call: Call): Promise<Outcome> {
    // An abort that came before is not reported again, so it is checked here: nothing is sent.
    if (call.signal.aborted) return unsent(errorCodes.refused, 'The caller went away.')
    this.#lastId += 1
    const id = this.#lastId
    this.lastUsedMs = performance.now()
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.#running.set(id, { call, resolve })
    const abort = () => {
      resolve(failed(errorCodes.refused, 'The caller went away.'))
      const params = { requestId: id, reason: 'The caller went away.' }
      this.#wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => undefined)
    }
    call.signal.addEventListener('abort', abort, { once: true })
    try {
      await this.#wire.send({ jsonrpc: '2.0', id, method: call.method, params: withToken(withEnvelope(call), id) })
      return await promise
    } catch (error) {
      if (error instanceof WireEnded) this.isOpen = false
      const words = reasonOf(error)
      return error instanceof NotSent ? unsent(errorCodes.refused, words) : failed(errorCodes.refused, words)
    } finally {
      call.signal.removeEventListener('abort', abort)
      this.#running.delete(id)
      this.lastUsedMs = performance.now()
    }
  }

  get isIdle(): boolean {
    return this.#running.size === 0
  }

  close(): void {
    this.isOpen = false
    this.#wire.close()
  }

  #receive(message: Message): void {
    if (isReply(message)) this.#running.get(Number(message.id))?.resolve(outcomeOf(message))
    else if (isNotification(message)) this.#pass(message)
  }

  #pass(notification: Notification): void {
    const meta = objectAt(notification.params, '_meta')
    const subscription = meta?.['io.modelcontextprotocol/subscriptionId']
    const token = notification.method === 'notifications/progress' ? notification.params?.progressToken : subscription
    const known = token === undefined ? undefined : this.#running.get(Number(token))
    if (known !== undefined) {
      known.call.notify(withTokenOf(notification, known.call))
      return
    }
    // A log line says nothing about its call. All calls here are of one person, so the last that began gets it.
    const last = [...this.#running.values()].findLast(({ call }) => call.method !== 'subscriptions/listen')
    last?.call.notify(notification)
  }

  #lose(reason: string, neverStarted: boolean): void {
    this.isOpen = false
    const gone = (neverStarted ? unsent : failed)(errorCodes.refused, `The server went away. ${reason}`)
    for (const { resolve } of this.#running.values()) resolve(gone)
  }
}

export class StdioUpstream20260728 implements Upstream {
  readonly name: string
  readonly #open: OpenWire
  readonly #processes = new PerCaller<Process>()

  constructor(name: string, open: OpenWire) {
    this.name = name
    this.#open = open
  }

  /** Starts the caller's process, unless it runs. */
  begin(call: Call): Process {
    const start = () => this.#processes.get(call, undefined, () => opened(this.#open))
    const process = start()
    if (process.isOpen) return process
    this.#processes.forget(process)
    return start()
  }

  async start(call: Call): Promise<Outcome> {
    const process = this.begin(call)
    const outcome = await process.run(call)
    // It has ended since its last call, and nothing was sent: the next one takes the call.
    const isLost = !process.isOpen && outcome.kind === 'failed' && outcome.isUnsent === true
    return isLost && !call.signal.aborted ? this.begin(call).run(call) : outcome
  }

  continue(call: Call, resume: JsonValue, given: Readonly<Record<string, Given>>): Promise<Outcome> {
    return this.start(retryOf(call, resume, given))
  }

  describe(call: Call): Promise<Description> {
    return describeBy(this, call)
  }

  async listen(call: Call): Promise<void> {
    await this.start({ ...call, method: 'subscriptions/listen' })
  }

  leave(principal: string, scope: string): void {
    this.#processes.leave(principal, scope)
  }

  async close(): Promise<void> {
    this.#processes.close()
  }
}

function opened(open: OpenWire): Process {
  try {
    return new Process(open)
  } catch (error) {
    throw new NotSent(error)
  }
}
