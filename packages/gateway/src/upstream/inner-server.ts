// A server inside this process: the same messages as over a pipe, handed over as they are.
//
// What it says of itself is known beforehand, so a client's first request is answered while the server is still loading.
// It is code of ours, so what its questions name as checked by Assent is accepted; no other server's is.

import { type JsonValue, readAskMeta, withoutChecked } from '@assent/core'
import {
  type Call,
  type Description,
  type Given,
  NotSent,
  type Outcome,
  type Upstream,
  type Wanted,
} from '../relay/exchange.ts'
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

  override async start(call: Call): Promise<Outcome> {
    return withChecked(await super.start(call))
  }

  override async continue(call: Call, resume: JsonValue, given: Readonly<Record<string, Given>>): Promise<Outcome> {
    return withChecked(await super.continue(call, resume, given))
  }
}

function withChecked(outcome: Outcome): Outcome {
  if (outcome.kind !== 'needs-people') return outcome
  const wanted = Object.entries(outcome.wanted).map(([key, one]) => [key, checkedOf(one)] as const)
  return { ...outcome, wanted: Object.fromEntries(wanted) }
}

function checkedOf(wanted: Wanted): Wanted {
  const checked = wanted.kind === 'form' ? readAskMeta(wanted.params)?.checked : undefined
  if (wanted.kind !== 'form' || checked === undefined) return wanted
  // Only a paragraph of the message counts: a client that draws the form shows the message alone.
  return withoutChecked(wanted.message, checked) === undefined ? wanted : { ...wanted, checked }
}

class InnerWire implements Wire {
  readonly #connected: Promise<InnerConnection>

  constructor(connect: InnerServer['connect'], events: WireEvents) {
    this.#connected = connect((message) => events.onMessage(copyOf(message)))
    // Whoever sends hears of it too; without this the process would end.
    this.#connected.catch((error: unknown) => events.onClosed(String(error), true))
  }

  async send(message: Message): Promise<void> {
    const connection = await this.#connected.catch((error: unknown) => {
      throw new NotSent(error)
    })
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
