// What is said in one call of a session, to whoever listens for its client now.
//
// Every message has a name. A client whose connection broke names the last one it got, at any gateway, and hears of what
// came since all that still matters: questions that wait for an answer, and the reply. Progress that nobody heard is not
// repeated. A client that got no name cannot come back, and its call is given up with its connection.

import { randomUUID } from 'node:crypto'
import {
  errorCodes,
  errorReply,
  isReply,
  isRequest,
  type Message,
  type Reply,
  type Request,
  type RequestId,
} from '../../wire/messages.ts'
import type { AnswerStream } from '../answer-stream.ts'
import { cancelledBy } from './session.ts'

/** Where a call can be taken up again: what a client got last, and what it called. */
export interface StreamPlace {
  readonly name: string
  readonly number: number
  readonly replica: string
  readonly stream: string
  readonly requestId: RequestId
}

export interface Listener {
  say(message: Message, name: string | undefined): void
  end(reply: Reply, name: string | undefined): void
  /** Another listens from now on. */
  leave?(): void
}

/** The client itself, on this connection. */
export function listenerOn(answering: AnswerStream): Listener {
  return {
    say: (message, name) => answering.say(message, name),
    end: (reply, name) => answering.end(reply, 200, name),
    leave: () => answering.finish(),
  }
}

/** Of one call. */
export interface StreamOwner {
  readonly replica: string
  readonly session: string
  readonly principal: string
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const placeName = new RegExp(`^(\\d{1,9})\\.(${uuid})\\.(${uuid})\\.([\\w-]{1,200})$`)
/** Of what a client calls its request; with a longer one it cannot come back. */
const requestIdChars = 120

export class CallStream {
  readonly id: string
  readonly owner: StreamOwner
  readonly #requestId: string | undefined
  readonly #questions = new Map<RequestId, { readonly number: number; readonly message: Message }>()
  readonly #gone = new AbortController()
  #listener: Listener | undefined
  #said: number

  /** @param before the stream of the same call in another process, and the last that its client got */
  constructor(
    owner: StreamOwner,
    { id }: Pick<Request, 'id'>,
    listener: Listener,
    before?: Pick<StreamPlace, 'stream' | 'number'>,
  ) {
    this.id = before?.stream ?? randomUUID()
    this.#said = before?.number ?? 0
    this.owner = owner
    const json = JSON.stringify(id)
    this.#requestId = json.length > requestIdChars ? undefined : Buffer.from(json).toString('base64url')
    this.#listener = listener
  }

  /** Aborts when nobody can come back for the call. */
  get signal(): AbortSignal {
    return this.#gone.signal
  }

  /** What the last message is called; undefined where none can be named. */
  get name(): string | undefined {
    if (this.#requestId === undefined) return undefined
    return `${this.#said}.${this.owner.replica}.${this.id}.${this.#requestId}`
  }

  say(message: Message): void {
    this.#said += 1
    if (isRequest(message)) this.#questions.set(message.id, { number: this.#said, message })
    else if (!isReply(message)) this.#questions.delete(cancelledBy(message) ?? '')
    this.#listener?.say(message, this.name)
  }

  /** Nothing is said after it. False when nobody listened. */
  end(reply: Reply): boolean {
    this.#said += 1
    const listener = this.#listener
    this.#listener = undefined
    listener?.end(reply, this.name)
    return listener !== undefined
  }

  /** From now on this one listens, and has heard all up to this number. */
  takeUp(listener: Listener, after: number): void {
    const before = this.#listener
    this.#listener = listener
    before?.leave?.()
    const name = (number: number) => this.name?.replace(/^\d+/, String(number))
    for (const { number, message } of this.#questions.values()) if (number > after) listener.say(message, name(number))
  }

  /** False when another listens by now. */
  lose(listener: Listener): boolean {
    if (this.#listener !== listener) return false
    this.#listener = undefined
    return true
  }

  giveUp(): void {
    this.#gone.abort()
  }
}

/** Undefined for what none of us has named. */
export function readPlace(name: string): StreamPlace | undefined {
  const [, number = '', replica = '', stream = '', id = ''] = placeName.exec(name) ?? []
  if (stream === '') return undefined
  try {
    const requestId: unknown = JSON.parse(Buffer.from(id, 'base64url').toString())
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return undefined
    return { name, number: Number(number), replica, stream, requestId }
  } catch {
    return undefined
  }
}

/** What a client hears that comes back too late. */
export function notKept({ requestId }: Pick<StreamPlace, 'requestId'>): Reply {
  const words =
    'What came of this call is not kept any more. Whether it did anything is not known: look before you make it again.'
  return errorReply(requestId, errorCodes.refused, words)
}
