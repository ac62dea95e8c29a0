// A server inside this process: the same messages as over a pipe, handed over as they are.
//
// What it says of itself is known beforehand, so a client's first request is answered while the server is still loading.

import { isPlainObject, type JsonValue } from '@assent/core'
import type { Call, Description, Given, Outcome, Upstream } from '../relay/exchange.ts'
import type { Message } from '../wire/messages.ts'
import { StdioUpstream20260728 } from './2026-07-28/stdio-upstream.ts'
import type { Wire, WireEvents } from './wire.ts'

export interface InnerServer {
  readonly description: Description
  /** Opens it for one person. It speaks revision 2026-07-28. */
  readonly connect: (say: (message: Message) => void) => Promise<InnerConnection>
}

export interface InnerConnection {
  receive(message: Message): void
  close(): Promise<void>
}

export function openInner(name: string, server: InnerServer): Upstream {
  return new InnerUpstream(name, server)
}

class InnerUpstream extends StdioUpstream20260728 {
  readonly #description: Description

  constructor(name: string, { description, connect }: InnerServer) {
    super(name, (events) => new InnerWire(connect, events))
    this.#description = description
  }

  override async describe(): Promise<Description> {
    return this.#description
  }

  override continue(call: Call, resume: JsonValue, given: Readonly<Record<string, Given>>): Promise<Outcome> {
    const explained = Object.entries(given).map(([key, one]) => [key, withReason(one)] as const)
    return super.continue(call, resume, Object.fromEntries(explained))
  }
}

/** Our sdk tells a dismissed question from one that nobody answered, or whose answer did not fit; the protocol does not. */
function withReason(given: Given): Given {
  const reason = 'result' in given ? (given.isUnfit === true ? 'malformed' : undefined) : expiredOf(given.error.data)
  return reason === undefined ? given : { result: { action: 'cancel', _meta: { 'assent/no-answer': reason } } }
}

function expiredOf(data: unknown): 'expired' | undefined {
  return isPlainObject(data) && data.reason === 'expired' ? 'expired' : undefined
}

class InnerWire implements Wire {
  readonly #connected: Promise<InnerConnection>

  constructor(connect: InnerServer['connect'], events: WireEvents) {
    this.#connected = connect((message) => events.onMessage(copyOf(message)))
    // Whoever sends hears of it too; without this the process would end.
    this.#connected.catch((error: unknown) => events.onClosed(String(error)))
  }

  async send(message: Message): Promise<void> {
    const connection = await this.#connected
    connection.receive(copyOf(message))
  }

  close(): void {
    // One that never opened has nothing to close, and was told of above.
    this.#connected.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }
}

/** As over a pipe: JSON and nothing else crosses, and neither side can change what the other holds. */
function copyOf(message: Message): Message {
  return JSON.parse(JSON.stringify(message))
}
