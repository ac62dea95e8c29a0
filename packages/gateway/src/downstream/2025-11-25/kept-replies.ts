// Replies that were written, or that nobody listened for, until their time is over: what was written is not yet what arrived.

import { downstreamLimits } from '../../limits.ts'
import { type Reply, readMessage } from '../../wire/messages.ts'
import type { StreamOwner } from './call-stream.ts'

interface Kept {
  readonly owner: StreamOwner
  readonly name: string
  readonly json: string
  readonly untilMs: number
}

const sweepEveryMs = 1_000

export class KeptReplies {
  /** By stream. */
  readonly #kept = new Map<string, Kept>()
  #chars = 0
  #sweep: NodeJS.Timeout | undefined

  /** Keeps it, as long as there is room. */
  keep(stream: string, owner: StreamOwner, reply: Reply, name: string, forMs: number): void {
    const json = JSON.stringify(reply)
    if (this.#chars + json.length > downstreamLimits.keptReplyChars) return
    this.#chars += json.length
    this.#kept.set(stream, { owner, name, json, untilMs: performance.now() + forMs })
    this.#sweep ??= setInterval(() => this.#forgetOverdue(), sweepEveryMs).unref()
  }

  /** Undefined where none is kept for this session of this person. */
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

  #forgetOverdue(): void {
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
