// The streams of all calls that run here over HTTP: each outlives its connection, for a client that comes back.
//
// A client may come back to any gateway. That one writes to the gateway that runs the call, again and again while the client
// listens, and gets by letter all that was said since and all that is said from now on.

import type { JsonObject } from '@assent/core'
import type { Letter } from '../../fleet/mailbox.ts'
import { downstreamLimits, fleetLimits } from '../../limits.ts'
import { type Message, type Reply, type Request, stringAt } from '../../wire/messages.ts'
import type { AnswerStream } from '../answer-stream.ts'
import type { Serving } from '../context.ts'
import { CallStream, type Listener, listenerOn, notKept, type StreamPlace } from './call-stream.ts'
import { FarStreams } from './far-streams.ts'
import { KeptReplies } from './kept-replies.ts'
import type { ClientSession } from './session.ts'

/** Clients of earlier ones may take an event without data for a broken one. */
const namingRevision = '2025-11-25'

export class CallStreams {
  readonly #serving: Serving
  readonly #far: FarStreams
  readonly #here = new Map<string, CallStream>()
  /** Of those that nobody listens to, or someone elsewhere: when they are given up. */
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #replies = new KeptReplies()

  constructor(serving: Serving, onTrouble: (error: unknown) => void) {
    this.#serving = serving
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
  end(stream: CallStream, reply: Reply, { isNamed }: AnswerStream): void {
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
  ): Promise<void> {
    const listener = listenerOn(answering)
    // Should this one break too before anything is said on it.
    if (session.revision === namingRevision) answering.firstName = place.name
    answering.open()
    if (place.replica !== this.#serving.mailbox.replica) {
      await this.#far.takeUp(session, place, listener, signal)
      return answering.finish()
    }
    const stream = this.#own(place.stream, session.id, session.principal)
    if (stream !== undefined) {
      answering.onGone(() => this.#lost(stream, listener, true))
      this.#stopTimer(stream)
      return stream.takeUp(listener, place.number)
    }
    const kept = this.#replies.find(place.stream, session.id, session.principal)
    listener.end(kept?.reply ?? notKept(place), kept?.name)
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
