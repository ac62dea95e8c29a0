// The streams of all calls that this replica runs over HTTP. A stream outlives its connection, so that its client can
// reconnect.
//
// A client may reconnect to any replica, which forwards the request to the replica that runs the call. When that one is
// dead, the owner of the session continues the call, if it was stored (kept-calls.ts).

import { outcomeText } from '../../../call/text/outcomes.ts'
import { clientLimits, clusterLimits, relayLimits } from '../../../limits.ts'
import { errorCodes, errorReply, type Reply, type Request } from '../../../protocol/messages.ts'
import { sleep } from '../../../protocol/sleep.ts'
import type { AnswerStream } from '../../answer-stream.ts'
import type { Serving } from '../../context.ts'
import type { ClientSession, RequestSender } from '../session.ts'
import { CallStream, type Listener, listenerOn, notKept, type StreamPosition } from './call-stream.ts'
import { KeptCall, type KeptCallLookup, takeOver } from './kept-calls.ts'
import { StoredReplies } from './stored-replies.ts'

/** Clients of earlier revisions may treat an event without data as malformed. */
const namingRevision = '2025-11-25'

export class CallStreams {
  readonly #serving: Serving
  readonly #onError: (error: unknown) => void
  readonly #local = new Map<string, CallStream>()
  /** Per stream without a listener: the timer that abandons its call. */
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #replies = new StoredReplies()

  constructor(serving: Serving, onError: (error: unknown) => void) {
    this.#serving = serving
    this.#onError = onError
  }

  /** Creates the stream of a new call, on the connection of its request. */
  begin(session: ClientSession, request: Request, answering: AnswerStream): CallStream {
    const listener = listenerOn(answering, this.#serving.resumes)
    const owner = { replica: this.#serving.replica, session: session.id, principal: session.principal }
    const stream = new CallStream(owner, request, listener)
    this.#local.set(stream.id, stream)
    if (this.#serving.resumes) {
      if (session.revision === namingRevision) answering.firstName = stream.name
      answering.reconnectAfterMs = clientLimits.reconnectAfterMs
    }
    answering.onGone(() => this.#lost(stream, listener, answering.isNamed))
    answering.openSoon()
    return stream
  }

  /** Whether this replica runs the call, or has its reply. */
  has({ id, principal }: ClientSession, { stream }: StreamPosition): boolean {
    return this.#own(stream, id, principal) !== undefined || this.#replies.find(stream, id, principal) !== undefined
  }

  /** Sends the reply, and stores it for a client that reconnects. */
  end(stream: CallStream, reply: Reply, { isNamed }: Pick<AnswerStream, 'isNamed'>): void {
    const hadListener = stream.end(reply)
    this.#stopTimer(stream)
    this.#local.delete(stream.id)
    if (!isNamed || stream.name === undefined) return
    const forMs = hadListener ? clientLimits.replyKeptMs : clientLimits.reconnectWithinMs
    this.#replies.keep(stream.id, stream.owner, reply, stream.name, forMs)
  }

  /** Resumes a stream for a client that reconnects after its connection broke. */
  async takeUp(
    session: ClientSession,
    position: StreamPosition,
    answering: AnswerStream,
    signal: AbortSignal,
    by: RequestSender = {},
  ): Promise<void> {
    const listener = listenerOn(answering)
    // Repeat the name, in case this connection breaks too before a message is sent on it.
    if (session.revision === namingRevision) answering.firstName = position.name
    answering.open()
    if (this.#takeUpHere(session, position, answering, listener)) return
    if (position.replica === this.#serving.replica) return listener.end(notKept(position), undefined)
    // A dead process counts as alive until its lease ends.
    const endsAt = performance.now() + 2 * relayLimits.leaseMs
    for (;;) {
      const found = await this.#takeOver(session, position)
      if (found.kind === 'taken') return this.#resume(session, position, found, answering, listener, by)
      // Another request took the call over meanwhile.
      if (this.#takeUpHere(session, position, answering, listener)) return
      if (found.kind === 'ended') return listener.end(found.reply, undefined)
      // A dead process may have sent the answers to the server already, so the call must not be sent again. A live one
      // stores the reply, or the client reaches it when it reconnects.
      const isAlive = await this.#isAlive(found.kind === 'lost' ? position.replica : found.replica)
      if (!isAlive) return listener.end(errorReply(position.requestId, errorCodes.refused, outcomeText.lost), undefined)
      if (found.kind === 'lost' && performance.now() > endsAt) return listener.end(notKept(position), undefined)
      await sleep(clusterLimits.forwardLookMs, signal)
      if (signal.aborted) return answering.finish()
    }
  }

  async #isAlive(replica: string): Promise<boolean> {
    if (replica === this.#serving.replica) return false
    // While the store is unavailable, nothing is known about the other replica.
    return this.#serving.store.replicas.isAlive(replica).catch(() => true)
  }

  /** True when this replica has the call or its reply. */
  #takeUpHere(session: ClientSession, position: StreamPosition, answering: AnswerStream, listener: Listener): boolean {
    const stream = this.#own(position.stream, session.id, session.principal)
    if (stream !== undefined) {
      answering.onGone(() => this.#lost(stream, listener, true))
      this.#stopTimer(stream)
      stream.takeUp(listener, position.number)
      return true
    }
    const kept = this.#replies.find(position.stream, session.id, session.principal)
    if (kept !== undefined) listener.end(kept.reply, kept.name)
    return kept !== undefined
  }

  async #takeOver({ id, principal }: ClientSession, { stream }: StreamPosition): Promise<KeptCallLookup> {
    return takeOver(this.#serving, { principal, session: id, stream }, this.#onError).catch((error: unknown) => {
      this.#onError(error)
      return { kind: 'lost' } as const
    })
  }

  /**
   * Continues a call of a lost process: asks its client the same questions again and sends the answers to the server.
   */
  #resume(
    session: ClientSession,
    position: StreamPosition,
    { round, kept }: KeptCallLookup & { kind: 'taken' },
    answering: AnswerStream,
    listener: Listener,
    by: RequestSender,
  ): void {
    const request: Request = { jsonrpc: '2.0', ...round.request }
    const owner = { replica: this.#serving.replica, session: session.id, principal: session.principal }
    const stream = new CallStream(owner, request, listener, position)
    this.#local.set(stream.id, stream)
    answering.onGone(() => this.#lost(stream, listener, true))
    session
      .answer(request, (message) => stream.send(message), stream.signal, { ...by, kept, from: round })
      .then((reply) => {
        this.end(stream, reply, { isNamed: true })
        return kept.ended(reply)
      })
      .catch(this.#onError)
  }

  /** Stores a call while its client is asked. */
  keeps(session: ClientSession, { id }: CallStream): KeptCall | undefined {
    if (!this.#serving.resumes) return undefined
    const name = { principal: session.principal, session: session.id, stream: id }
    return new KeptCall(this.#serving, name, this.#onError)
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#replies.close()
  }

  #own(id: string, session: string, principal: string): CallStream | undefined {
    const stream = this.#local.get(id)
    return stream?.owner.session === session && stream.owner.principal === principal ? stream : undefined
  }

  /** The listener is gone: abandons the call now, or after the time in which its client may reconnect. */
  #lost(stream: CallStream, listener: Listener, isNamed: boolean): void {
    if (!stream.lose(listener)) return
    if (!isNamed || this.#timers.size >= clientLimits.brokenStreams) return void stream.abandon()
    this.#later(stream, clientLimits.reconnectWithinMs, () => stream.abandon())
  }

  #later(stream: CallStream, afterMs: number, act: () => void): void {
    this.#stopTimer(stream)
    const timer = setTimeout(() => {
      this.#timers.delete(stream.id)
      act()
    }, afterMs)
    timer.unref()
    this.#timers.set(stream.id, timer)
  }

  #stopTimer({ id }: CallStream): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }
}
