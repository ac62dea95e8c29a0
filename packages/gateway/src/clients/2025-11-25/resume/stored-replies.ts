// Replies stored until they expire, for clients that reconnect. A reply that was written to a connection is stored too:
// it may not have arrived.

import { clientLimits } from '../../../limits.ts'
import { type Reply, readMessage } from '../../../protocol/messages.ts'
import type { StreamOwner } from './call-stream.ts'

interface Kept {
  readonly owner: StreamOwner
  readonly name: string
  readonly json: string
  readonly untilMs: number
}

const sweepEveryMs = 1_000

export class StoredReplies {
  /** By stream id. */
  readonly #kept = new Map<string, Kept>()
  #chars = 0
  #sweep: NodeJS.Timeout | undefined

  /** Stores the reply, unless the size limit is reached. */
  keep(stream: string, owner: StreamOwner, reply: Reply, name: string, forMs: number): void {
    const json = JSON.stringify(reply)
    if (this.#chars + json.length > clientLimits.keptReplyChars) return
    this.#chars += json.length
    this.#kept.set(stream, { owner, name, json, untilMs: performance.now() + forMs })
    this.#sweep ??= setInterval(() => this.#deleteExpired(), sweepEveryMs).unref()
  }

  /** Undefined when no reply is stored for this session and person. */
  find(
    stream: string,
    session: string,
    principal: string,
  ): { readonly reply: Reply; readonly name: string } | undefined {
    const kept = this.#kept.get(stream)
    if (kept?.owner.session !== session || kept.owner.principal !== principal) return undefined
    return { reply: readMessage(kept.json) as Reply, name: kept.name }
  }

  close(): void {
    clearInterval(this.#sweep)
  }

  #deleteExpired(): void {
    const now = performance.now()
    for (const [stream, { json, untilMs }] of this.#kept) {
      if (untilMs > now) continue
      this.#chars -= json.length
      this.#kept.delete(stream)
    }
    if (this.#kept.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }
}
