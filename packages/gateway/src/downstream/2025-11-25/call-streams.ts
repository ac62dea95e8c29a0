// The streams of all calls that run here over HTTP: each outlives its connection, for a client that comes back.
//
// A client may come back to any gateway. That one writes to the gateway that runs the call, again and again while the client
// listens, and gets by letter all that was said since and all that is said from now on.

import type { JsonObject } from '@assent/core'
import type { Letter } from '../../fleet/mailbox.ts'
import { downstreamLimits, fleetLimits } from '../../limits.ts'
import { lostWords } from '../../relay/parking.ts'
import { errorCodes, errorReply, type Message, type Reply, type Request, stringAt } from '../../wire/messages.ts'
import type { AnswerStream } from '../answer-stream.ts'
import type { Serving } from '../context.ts'
import { CallStream, type Listener, listenerOn, notKept, type StreamPlace } from './call-stream.ts'
import { FarStreams } from './far-streams.ts'
import { type Found, KeptCall, takeOver } from './kept-calls.ts'
import { KeptReplies } from './kept-replies.ts'
import type { ClientSession } from './session.ts'

/** Clients of earlier ones may take an event without data for a broken one. */
const namingRevision = '2025-11-25'

export class CallStreams {
  readonly #serving: Serving
  readonly #onTrouble: (error: unknown) => void
  readonly #far: FarStreams
  readonly #here = new Map<string, CallStream>()
  /** Of those that nobody listens to, or someone elsewhere: when they are given up. */
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #replies = new KeptReplies()

  constructor(serving: Serving, onTrouble: (error: unknown) => void) {
    this.#serving = serving
    this.#onTrouble = onTrouble
    this.#far = new FarStreams(serving, onTrouble)
    serving.mailbox.on('take-up', (letter) => this.#takeUpFor(letter))
  }

  /** The stream of a call that begins, on the connection it came by. */
  begin(session: ClientSession, request: Request, answering: AnswerStream): CallStream {
    const listener = listenerOn(answering)
    const owner = { replica: this.#serving.mailbox.replica, session: session.id, principal: session.principal }
    const stream = new CallStream(owner, request, listener)
    this.#here.set(stream.id, stream)
    if (session.revision === namingRevision) answering.firstName = stream.name
    answering.comesBackAfterMs = downstreamLimits.comesBackAfterMs
    answering.onGone(() => this.#lost(stream, listener, answering.isNamed))
    answering.openSoon()
    return stream
  }

  /** The call has come to its end. */
  end(stream: CallStream, reply: Reply, { isNamed }: Pick<AnswerStream, 'isNamed'>): void {
    const isHeard = stream.end(reply)
    this.#stopTimer(stream)
    this.#here.delete(stream.id)
    if (!isNamed || stream.name === undefined) return
    const forMs = isHeard ? downstreamLimits.replyKeptMs : downstreamLimits.comesBackWithinMs
    this.#replies.keep(stream.id, stream.owner, reply, stream.name, forMs)
  }

  /** A client comes back for what it had not heard when its connection broke. */
  async takeUp(
    session: ClientSession,
    place: StreamPlace,
    answering: AnswerStream,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const listener = listenerOn(answering)
    // Should this one break too before anything is said on it.
    if (session.revision === namingRevision) answering.firstName = place.name
    answering.open()
    if (this.#takeUpHere(session, place, answering, listener)) return
    if (place.replica === this.#serving.mailbox.replica) return listener.end(notKept(place), undefined)
    let { replica } = place
    while ((await this.#far.takeUp(session, { ...place, replica }, listener, signal)) && !signal.aborted) {
      const found = await this.#afterDeath(session, place)
      if (found.kind === 'taken') return this.#goOn(session, place, found, answering, listener, headers)
      if (this.#takeUpHere(session, place, answering, listener)) return
      // A process that is gone and had begun to send the answers leaves a call that must not be sent again.
      if (found.kind !== 'elsewhere' || found.replica === replica) {
        const lost = errorReply(place.requestId, errorCodes.refused, lostWords)
        return listener.end(found.kind === 'ended' ? found.reply : lost, undefined)
      }
      replica = found.replica
    }
    answering.finish()
  }

  /** True when the call, or its reply, is here. */
  #takeUpHere(session: ClientSession, place: StreamPlace, answering: AnswerStream, listener: Listener): boolean {
    const stream = this.#own(place.stream, session.id, session.principal)
    if (stream !== undefined) {
      answering.onGone(() => this.#lost(stream, listener, true))
      this.#stopTimer(stream)
      stream.takeUp(listener, place.number)
      return true
    }
    const kept = this.#replies.find(place.stream, session.id, session.principal)
    if (kept !== undefined) listener.end(kept.reply, kept.name)
    return kept !== undefined
  }

  async #afterDeath({ id, principal }: ClientSession, { stream }: StreamPlace): Promise<Found> {
    return takeOver(this.#serving, { principal, session: id, stream }, this.#onTrouble).catch((error: unknown) => {
      this.#onTrouble(error)
      return { kind: 'lost' } as const
    })
  }

  /** Goes on with a call of a process that is gone: its client is asked what it was asked, and the server gets the answers. */
  #goOn(
    session: ClientSession,
    place: StreamPlace,
    { round, kept }: Found & { kind: 'taken' },
    answering: AnswerStream,
    listener: Listener,
    headers: Readonly<Record<string, string>>,
  ): void {
    const request: Request = { jsonrpc: '2.0', ...round.request }
    const owner = { replica: this.#serving.mailbox.replica, session: session.id, principal: session.principal }
    const stream = new CallStream(owner, request, listener, place)
    this.#here.set(stream.id, stream)
    answering.onGone(() => this.#lost(stream, listener, true))
    session
      .answer(request, (message) => stream.say(message), stream.signal, { headers, kept, from: round })
      .then((reply) => {
        this.end(stream, reply, { isNamed: true })
        return kept.ended(reply)
      })
      .catch(this.#onTrouble)
  }

  /** What keeps a call in the store while its client is asked. */
  keeps(session: ClientSession, { id }: CallStream): KeptCall {
    const name = { principal: session.principal, session: session.id, stream: id }
    return new KeptCall(this.#serving, name, this.#onTrouble)
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#replies.close()
  }

  #own(id: string, session: string, principal: string): CallStream | undefined {
    const stream = this.#here.get(id)
    return stream?.owner.session === session && stream.owner.principal === principal ? stream : undefined
  }

  /** Another gateway has the client of a call that runs here, or ran. */
  #takeUpFor({ tenant, principal, from, content }: Letter): void {
    const id = stringAt(content, 'stream') ?? ''
    const session = stringAt(content, 'session') ?? ''
    const letters = this.#serving.mailbox.correspondence(from, { tenant, principal })
    const tell = (said: JsonObject) => letters.tell('taken-up', { stream: id, ...said })
    const carry = (message: Message, name: string | undefined) =>
      tell({ isKept: true, name: name ?? '', message: JSON.stringify(message) })
    const stream = this.#own(id, session, principal)
    const kept = this.#replies.find(id, session, principal)
    if (kept !== undefined) return void carry(kept.reply, kept.name)
    tell({ isKept: stream !== undefined })
    if (stream === undefined) return
    const listener = { say: carry, end: carry }
    stream.takeUp(listener, typeof content.after === 'number' ? content.after : 0)
    this.#later(stream, fleetLimits.listensMs, () => this.#lost(stream, listener, true))
  }

  /** Nobody listens to it any more. */
  #lost(stream: CallStream, listener: Listener, isNamed: boolean): void {
    if (!stream.lose(listener)) return
    if (!isNamed || this.#timers.size >= downstreamLimits.brokenStreams) return void stream.giveUp()
    this.#later(stream, downstreamLimits.comesBackWithinMs, () => stream.giveUp())
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
