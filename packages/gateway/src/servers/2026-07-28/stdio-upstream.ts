// A server of revision 2026-07-28 in a child process, or inside this process.
//
// One process serves one client session. A client of the newest revision has no session, so one process serves one
// program of one person. Calls run concurrently on it, because the server sends only replies and notifications: the
// gateway's request ids and progress tokens identify the call.

import {
  type Answers,
  type Call,
  type Description,
  failed,
  NotSent,
  type Outcome,
  reasonOf,
  type ServerState,
  type Upstream,
  unsent,
} from '../../call/model.ts'
import {
  errorCodes,
  isNotification,
  isReply,
  type Message,
  type Notification,
  objectAt,
} from '../../protocol/messages.ts'
import { PerCaller } from '../per-caller.ts'
import { withToken, withTokenOf } from '../progress-token.ts'
import { type Transport, TransportClosed, type TransportEvents } from '../transport.ts'
import { describeBy } from './describe.ts'
import { firstOf, outcomeOf, retryOf, withEnvelope } from './envelope.ts'

interface Running {
  readonly call: Call
  readonly resolve: (outcome: Outcome) => void
}

type OpenWire = (events: TransportEvents) => Transport

/** Above the ids that an abandoned attempt to open an older session on the same process may have used. */
const firstId = 1_000_000

class Process {
  readonly #wire: Transport
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
    this.#lastId += 1
    const id = this.#lastId
    this.lastUsedMs = performance.now()
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.#running.set(id, { call, resolve })
    const abort = () => {
      resolve(failed(errorCodes.refused, 'The caller disconnected.'))
      const params = { requestId: id, reason: 'The caller disconnected.' }
      this.#wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => undefined)
    }
    call.signal.addEventListener('abort', abort, { once: true })
    try {
      await this.#wire.send({ jsonrpc: '2.0', id, method: call.method, params: withToken(withEnvelope(call), id) })
      return await promise
    } catch (error) {
      if (error instanceof TransportClosed) this.isOpen = false
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
    // A connection that the gateway closes reports no end.
    const closed = failed(errorCodes.refused, 'The connection to the server was closed.')
    for (const { resolve } of this.#running.values()) resolve(closed)
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
    // A log message does not name its call. All calls here belong to one person, so the latest one receives it.
    const last = [...this.#running.values()].findLast(({ call }) => call.method !== 'subscriptions/listen')
    last?.call.notify(notification)
  }

  #lose(reason: string, neverStarted: boolean): void {
    this.isOpen = false
    const gone = (neverStarted ? unsent : failed)(errorCodes.refused, `The server disconnected. ${reason}`)
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

  /** Starts the caller's process, unless it is running. */
  begin(call: Call): Process {
    const start = () => this.#processes.get(call, undefined, () => opened(this.#open))
    const process = start()
    if (process.isOpen) return process
    this.#processes.remove(process)
    return start()
  }

  start(call: Call): Promise<Outcome> {
    return this.#run(firstOf(call))
  }

  async #run(call: Call): Promise<Outcome> {
    // An earlier abort fires no event. And nothing stops a process that is started for a client session that has ended.
    if (call.signal.aborted) return unsent(errorCodes.refused, 'The caller disconnected.')
    const process = this.begin(call)
    const outcome = await process.run(call)
    // The process ended before anything was sent: run the call on a new process.
    const isLost = !process.isOpen && outcome.kind === 'failed' && outcome.isUnsent === true
    return isLost && !call.signal.aborted ? this.begin(call).run(call) : outcome
  }

  continue(call: Call, state: ServerState, given: Answers): Promise<Outcome> {
    return this.#run(retryOf(call, state, given))
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
