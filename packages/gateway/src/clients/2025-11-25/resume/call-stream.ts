// The messages of one call of a session, and the connection that currently receives them (the listener).
//
// Every message has a name, its SSE event id. A client whose connection broke sends the last name it received, to any
// gateway, and receives what is still relevant: the open questions and the reply. Progress that was sent while no
// listener was attached is not repeated. A client that received no name cannot reconnect: its call is abandoned when
// the connection closes.

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
} from '../../../protocol/messages.ts'
import type { AnswerStream } from '../../answer-stream.ts'
import { cancelledBy } from '../session.ts'

/** Where a call's stream can be resumed: the last message the client received, and the request it belongs to. */
export interface StreamPosition {
  readonly name: string
  readonly number: number
  readonly replica: string
  readonly stream: string
  readonly requestId: RequestId
}

export interface Listener {
  send(message: Message, name: string | undefined): void
  end(reply: Reply, name: string | undefined): void
  /** Called when another listener replaces this one. */
  leave?(): void
}

/** The listener for a client on this connection. Without names it cannot reconnect. */
export function listenerOn(answering: AnswerStream, isNamed = true): Listener {
  return {
    send: (message, name) => answering.send(message, isNamed ? name : undefined),
    end: (reply, name) => answering.end(reply, 200, isNamed ? name : undefined),
    leave: () => answering.finish(),
  }
}

/** The replica that runs the call, and the session and person it belongs to. */
export interface StreamOwner {
  readonly replica: string
  readonly session: string
  readonly principal: string
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const namePattern = new RegExp(`^(\\d{1,9})\\.(${uuid})\\.(${uuid})\\.([\\w-]{1,200})$`)
/** Longest request id that fits into a name. A call with a longer one cannot be resumed. */
const requestIdChars = 120

export class CallStream {
  readonly id: string
  readonly owner: StreamOwner
  readonly #requestId: string | undefined
  readonly #questions = new Map<RequestId, { readonly number: number; readonly message: Message }>()
  readonly #gone = new AbortController()
  #listener: Listener | undefined
  #lastNumber: number

  /** @param before the stream of the same call in another process, and the last message its client received */
  constructor(
    owner: StreamOwner,
    { id }: Pick<Request, 'id'>,
    listener: Listener,
    before?: Pick<StreamPosition, 'stream' | 'number'>,
  ) {
    this.id = before?.stream ?? randomUUID()
    this.#lastNumber = before?.number ?? 0
    this.owner = owner
    const json = JSON.stringify(id)
    this.#requestId = json.length > requestIdChars ? undefined : Buffer.from(json).toString('base64url')
    this.#listener = listener
  }

  /** Aborts when the call can no longer be resumed. */
  get signal(): AbortSignal {
    return this.#gone.signal
  }

  /** The name of the last message; undefined when the request id is too long for a name. */
  get name(): string | undefined {
    if (this.#requestId === undefined) return undefined
    return `${this.#lastNumber}.${this.owner.replica}.${this.id}.${this.#requestId}`
  }

  send(message: Message): void {
    this.#lastNumber += 1
    if (isRequest(message)) this.#questions.set(message.id, { number: this.#lastNumber, message })
    else if (!isReply(message)) this.#questions.delete(cancelledBy(message) ?? '')
    this.#listener?.send(message, this.name)
  }

  /** Sends the reply; nothing is sent after it. False when no listener was attached. */
  end(reply: Reply): boolean {
    this.#lastNumber += 1
    const listener = this.#listener
    this.#listener = undefined
    listener?.end(reply, this.name)
    return listener !== undefined
  }

  /** Attaches a listener that has received all messages up to this number. */
  takeUp(listener: Listener, after: number): void {
    const before = this.#listener
    this.#listener = listener
    before?.leave?.()
    const name = (number: number) => this.name?.replace(/^\d+/, String(number))
    for (const { number, message } of this.#questions.values()) if (number > after) listener.send(message, name(number))
  }

  /** Detaches the listener. False when another one has replaced it. */
  lose(listener: Listener): boolean {
    if (this.#listener !== listener) return false
    this.#listener = undefined
    return true
  }

  abandon(): void {
    this.#gone.abort()
  }
}

/** Undefined for a name that no gateway created. */
export function readStreamPosition(name: string): StreamPosition | undefined {
  const [, number = '', replica = '', stream = '', id = ''] = namePattern.exec(name) ?? []
  if (stream === '') return undefined
  try {
    const requestId: unknown = JSON.parse(Buffer.from(id, 'base64url').toString())
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return undefined
    return { name, number: Number(number), replica, stream, requestId }
  } catch {
    return undefined
  }
}

/** The reply to a client that reconnects too late. */
export function notKept({ requestId }: Pick<StreamPosition, 'requestId'>): Reply {
  const words =
    'The outcome of this call is no longer stored. Whether it did anything is not known: check before calling it again.'
  return errorReply(requestId, errorCodes.refused, words)
}
