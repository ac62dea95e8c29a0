// The streams of all calls that this replica runs over HTTP. A stream outlives its connection, so that its client can
// reconnect.
//
// A client may reconnect to any replica. While the client listens, that replica sends messages to the replica that runs
// the call at regular intervals, and receives the messages that the client missed and every new one.

import type { JsonObject } from '@assent/core'
import { lostWords } from '../../../call/hold/lost-calls.ts'
import type { ReplicaMessage } from '../../../cluster/mailbox.ts'
import { clientLimits, clusterLimits } from '../../../limits.ts'
import { errorCodes, errorReply, type Message, type Reply, type Request, stringAt } from '../../../protocol/messages.ts'
import type { AnswerStream } from '../../answer-stream.ts'
import type { Serving } from '../../context.ts'
import type { ClientSession } from '../session.ts'
import { CallStream, type Listener, listenerOn, notKept, type StreamPosition } from './call-stream.ts'
import { KeptCall, type KeptCallLookup, takeOver } from './kept-calls.ts'
import { RemoteStreams } from './remote-streams.ts'
import { StoredReplies } from './stored-replies.ts'

/** Clients of earlier revisions may treat an event without data as malformed. */
const namingRevision = '2025-11-25'

export class CallStreams {
  readonly #serving: Serving
  readonly #onError: (error: unknown) => void
  readonly #remote: RemoteStreams
  readonly #local = new Map<string, CallStream>()
  /** Per stream without a local listener: the timer that detaches its remote listener, or abandons its call. */
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #replies = new StoredReplies()

  constructor(serving: Serving, onError: (error: unknown) => void) {
    this.#serving = serving
    this.#onError = onError
    this.#remote = new RemoteStreams(serving, onError)
    serving.mailbox.on('take-up', (message) => this.#takeUpFor(message))
  }

  /** Creates the stream of a new call, on the connection of its request. */
  begin(session: ClientSession, request: Request, answering: AnswerStream): CallStream {
    const listener = listenerOn(answering)
    const owner = { replica: this.#serving.mailbox.replica, session: session.id, principal: session.principal }
    const stream = new CallStream(owner, request, listener)
    this.#local.set(stream.id, stream)
    if (session.revision === namingRevision) answering.firstName = stream.name
    answering.reconnectAfterMs = clientLimits.reconnectAfterMs
    answering.onGone(() => this.#lost(stream, listener, answering.isNamed))
    answering.openSoon()
    return stream
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
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const listener = listenerOn(answering)
    // Repeat the name, in case this connection breaks too before a message is sent on it.
    if (session.revision === namingRevision) answering.firstName = position.name
    answering.open()
    if (this.#takeUpHere(session, position, answering, listener)) return
    if (position.replica === this.#serving.mailbox.replica) return listener.end(notKept(position), undefined)
    let { replica } = position
    while ((await this.#remote.takeUp(session, { ...position, replica }, listener, signal)) && !signal.aborted) {
      const found = await this.#takeOver(session, position)
      if (found.kind === 'taken') return this.#resume(session, position, found, answering, listener, headers)
      if (this.#takeUpHere(session, position, answering, listener)) return
      // The lost process may have sent the answers to the server already, so the call must not be sent again.
      if (found.kind !== 'elsewhere' || found.replica === replica) {
        const lost = errorReply(position.requestId, errorCodes.refused, lostWords)
        return listener.end(found.kind === 'ended' ? found.reply : lost, undefined)
      }
      replica = found.replica
    }
    answering.finish()
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
    headers: Readonly<Record<string, string>>,
  ): void {
    const request: Request = { jsonrpc: '2.0', ...round.request }
    const owner = { replica: this.#serving.mailbox.replica, session: session.id, principal: session.principal }
    const stream = new CallStream(owner, request, listener, position)
    this.#local.set(stream.id, stream)
    answering.onGone(() => this.#lost(stream, listener, true))
    session
      .answer(request, (message) => stream.send(message), stream.signal, { headers, kept, from: round })
      .then((reply) => {
        this.end(stream, reply, { isNamed: true })
        return kept.ended(reply)
      })
      .catch(this.#onError)
  }

  /** Stores a call while its client is asked. */
  keeps(session: ClientSession, { id }: CallStream): KeptCall {
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

  /** Another replica has the client of a call that runs or ran here: sends the call's messages to that replica. */
  #takeUpFor({ tenant, principal, from, content }: ReplicaMessage): void {
    const id = stringAt(content, 'stream') ?? ''
    const session = stringAt(content, 'session') ?? ''
    const messages = this.#serving.mailbox.messagesTo(from, { tenant, principal })
    const send = (fields: JsonObject) => messages.send('taken-up', { stream: id, ...fields })
    const carry = (message: Message, name: string | undefined) =>
      send({ isKept: true, name: name ?? '', message: JSON.stringify(message) })
    const stream = this.#own(id, session, principal)
    const kept = this.#replies.find(id, session, principal)
    if (kept !== undefined) return void carry(kept.reply, kept.name)
    send({ isKept: stream !== undefined })
    if (stream === undefined) return
    const listener = { send: carry, end: carry }
    stream.takeUp(listener, typeof content.after === 'number' ? content.after : 0)
    this.#later(stream, clusterLimits.listensMs, () => this.#lost(stream, listener, true))
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
