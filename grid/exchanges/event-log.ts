// Stores the events of a session's streams in memory, so that a client can resume with `Last-Event-ID`.

import type { EventId, EventStore, StreamId } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

export class EventLog implements EventStore {
  readonly #events: { readonly stream: StreamId; readonly message: JSONRPCMessage }[] = []

  async storeEvent(stream: StreamId, message: JSONRPCMessage): Promise<EventId> {
    this.#events.push({ stream, message })
    return String(this.#events.length)
  }

  async getStreamIdForEventId(id: EventId): Promise<StreamId | undefined> {
    return this.#events[Number(id) - 1]?.stream
  }

  async replayEventsAfter(
    last: EventId,
    { send }: { send: (id: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const from = Number(last)
    const stream = this.#events[from - 1]?.stream ?? ''
    for (const [index, event] of this.#events.entries()) {
      // A stream begins with an event that only has an id.
      if (index < from || event.stream !== stream || Object.keys(event.message).length === 0) continue
      await send(String(index + 1), event.message)
    }
    return stream
  }
}
