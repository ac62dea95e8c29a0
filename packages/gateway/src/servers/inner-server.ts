// A server inside this process: it exchanges the same messages as over a pipe, as objects.
//
// Its description is known in advance, so a client's first request is answered while the server is still loading. It is
// our own code, so the text that its questions mark as checked by Assent is accepted; no other server's is.

import { readAskMeta, withoutChecked } from '@assent/core'
import {
  type Answers,
  type Call,
  type Description,
  type InputRequest,
  NotSent,
  type Outcome,
  type ServerState,
  type Upstream,
} from '../call/model.ts'
import { type Message, objectAt } from '../protocol/messages.ts'
import { metaKeys } from '../protocol/names-2026-07-28.ts'
import { StdioUpstream20260728 } from './2026-07-28/stdio-upstream.ts'
import type { Transport, TransportEvents } from './transport.ts'

export interface InnerServer {
  readonly description: Description
  /** Opens a connection for one person, in revision 2026-07-28. */
  readonly connect: (send: (message: Message) => void) => Promise<InnerConnection>
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

  override async start(call: Call): Promise<Outcome> {
    return withChecked(await super.start(withoutSampling(call)))
  }

  override async continue(call: Call, state: ServerState, given: Answers): Promise<Outcome> {
    return withChecked(await super.continue(withoutSampling(call), state, given))
  }
}

/**
 * Sampling only improves the text of a built-in tool. A client of revision 2026-07-28 fails the whole call if its model
 * fails, so it is not asked; an older client returns an error for the one request.
 */
function withoutSampling(call: Call): Call {
  if (objectAt(call.params, '_meta')?.[metaKeys.version] === undefined) return call
  const { sampling: _deprecated, ...capabilities } = call.client.capabilities
  return { ...call, client: { ...call.client, capabilities } }
}

function withChecked(outcome: Outcome): Outcome {
  if (outcome.kind !== 'input-required') return outcome
  const wanted = Object.entries(outcome.wanted).map(([key, one]) => [key, checkedOf(one)] as const)
  return { ...outcome, wanted: Object.fromEntries(wanted) }
}

function checkedOf(wanted: InputRequest): InputRequest {
  const checked = wanted.kind === 'form' ? readAskMeta(wanted.params)?.checked : undefined
  if (wanted.kind !== 'form' || checked === undefined) return wanted
  // Accept only text that is a paragraph of the message: a client that renders the form shows only the message.
  return withoutChecked(wanted.message, checked) === undefined ? wanted : { ...wanted, checked }
}

class InnerWire implements Transport {
  readonly #connected: Promise<InnerConnection>

  constructor(connect: InnerServer['connect'], events: TransportEvents) {
    this.#connected = connect((message) => events.onMessage(copyOf(message)))
    // `send` rejects too. Without this handler, the unhandled rejection would end the process.
    this.#connected.catch((error: unknown) => events.onClosed(String(error), true))
  }

  async send(message: Message): Promise<void> {
    const connection = await this.#connected.catch((error: unknown) => {
      throw new NotSent(error)
    })
    connection.receive(copyOf(message))
  }

  close(): void {
    // A connection that failed to open has nothing to close, and was reported above.
    this.#connected.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }
}

/** As over a pipe: only JSON is passed, and neither side can change the other's objects. */
function copyOf(message: Message): Message {
  return JSON.parse(JSON.stringify(message))
}
