// Messages that are due about announced asks. Owns one row per ask: which message is next, when, and who sends it.
//
// I1  The row is stored in the statement that opens the ask, so no announced ask is without its messages.
// I2  Of several processes one holds the lease of a row. A process that dies loses its lease, and another one sends the
//     message again: a recipient gets a message at least once, and recognises a repeated one by its id.
// I3  A process whose lease has ended changes nothing.
// I4  Answering and ending an ask do not touch the outbox: a claim finds ended asks by reading them.

import type { Engine } from '../engine/engine.ts'
import { type ClaimedMessageRow, claimMessages } from './claim-messages.ts'
import { type MessageLeaseParams, removeMessage, rescheduleMessage } from './finish-message.ts'

/** The message that is due next. `waiting`: none before the ask ends. */
export type MessageStage = 'raised' | 'expiring' | 'waiting' | 'ended'

export interface DueMessage {
  readonly tenant: string
  readonly askId: string
  readonly stage: MessageStage
  /** Attempts at this stage, the current one included. */
  readonly attempts: number
  /** Recipients that need no further attempt at this stage. */
  readonly done: readonly string[]
  readonly owner: string
  readonly leaseUntilMs: number
}

export interface MessageClaim {
  readonly tenant: string
  /** Names this process. */
  readonly owner: string
  readonly leaseMs: number
  readonly atMost: number
}

export interface NextMessage {
  readonly stage: MessageStage
  readonly dueAtMs: number
  /** Attempts at this stage so far. */
  readonly attempts: number
  readonly done: readonly string[]
}

export class Outbox {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** The messages that are due now and that no other process sends. This process has until the end of the lease. */
  async claim({ tenant, owner, leaseMs, atMost }: MessageClaim): Promise<DueMessage[]> {
    const rows = await this.#engine.run(claimMessages, { tenant, owner, lease: leaseMs, at_most: atMost })
    return rows.map((row) => dueMessage(tenant, owner, row))
  }

  /** Stores what is due next. False if the lease has ended and another process has claimed the message. */
  async reschedule(message: DueMessage, { stage, dueAtMs, attempts, done }: NextMessage): Promise<boolean> {
    const next = { stage, due_at: dueAtMs, attempts, done: done.length === 0 ? null : JSON.stringify(done) }
    return (await this.#engine.run(rescheduleMessage, { ...leaseOf(message), ...next })).length === 1
  }

  /** After the last message. False as for `reschedule`. */
  async remove(message: DueMessage): Promise<boolean> {
    return (await this.#engine.run(removeMessage, leaseOf(message))).length === 1
  }
}

function leaseOf({ tenant, askId, owner, leaseUntilMs }: DueMessage): MessageLeaseParams {
  return { tenant, ask_id: askId, owner, until: leaseUntilMs }
}

function dueMessage(tenant: string, owner: string, row: ClaimedMessageRow): DueMessage {
  return {
    tenant,
    askId: row.ask_id,
    stage: row.stage as MessageStage,
    attempts: row.attempts,
    done: row.done === null ? [] : (JSON.parse(row.done) as string[]),
    owner,
    leaseUntilMs: row.claimed_until,
  }
}
