// The record of calls: who called what, who decided about it, and how it ended.
//
// Owns: the rows of `recorded_calls`. They are not part of the audit log: decisions of people are.
// I1  A row is written in whole; a second write completes it. A call that has ended does not change any more.
// I2  A row that changes moves to the end of the order that `since` reads, so that a reader that continues after its last
//     row misses nothing. Rows are read only when every write that began before them has ended.

import type { Engine } from '../engine/engine.ts'
import {
  countRecordedCalls,
  deleteRecordedCalls,
  type RecordedCallRow,
  readRecordedCalls,
} from './read-recorded-calls.ts'
import { writeRecordedCalls } from './write-recorded-calls.ts'

export type CallOutcome = 'ok' | 'tool-error' | 'denied' | 'declined' | 'expired' | 'failed' | 'cancelled'

/** A call as it is written. Texts must be free of NUL and of unpaired surrogates. */
export interface RecordedCall {
  readonly tenant: string
  readonly id: string
  readonly principal: string
  readonly groups: readonly string[]
  /** The OAuth client, and the name and version that the client declares: claims. */
  readonly agent?: string | undefined
  readonly client?: string | undefined
  readonly clientVersion?: string | undefined
  readonly address?: string | undefined
  readonly server: string
  readonly method: string
  /** The name of the tool or prompt, or the address of the resource. */
  readonly target: string
  /** Of the arguments; `none` if they have no canonical form. */
  readonly digest: string
  /** As JSON text. */
  readonly arguments?: string | undefined
  /** JSON pointers to parts of the arguments that were not recorded; an empty pointer: all of them. */
  readonly hidden?: readonly string[] | undefined
  readonly effect?: 'allow' | 'ask' | 'deny' | undefined
  readonly policies?: readonly string[] | undefined
  readonly askId?: string | undefined
  /** Undefined until the call has ended. */
  readonly outcome?: CallOutcome | undefined
  readonly beganAtMs: number
  readonly endedAtMs?: number | undefined
}

/** A position in the record: of the last call that was read. */
export interface RecordedPosition {
  readonly atMs: number
  readonly id: string
}

export interface StoredRecordedCall extends RecordedCall {
  /** When it was last written. */
  readonly recordedAtMs: number
}

/**
 * Longer than a statement may run: a write that began earlier and is not committed yet would otherwise appear before a row
 * that was read.
 */
const settledMs = 15_000
const pageRows = 500
const deletedAtOnce = 5_000

export class RecordedCalls {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Writes these calls in one commit. Several with one id have the same effect as several writes. */
  async write(calls: readonly RecordedCall[]): Promise<void> {
    if (calls.length === 0) return
    const byId = new Map<string, WrittenRow>()
    for (const call of calls) {
      const key = JSON.stringify([call.tenant, call.id])
      byId.set(key, completed(byId.get(key), toRow(call)))
    }
    // Repeatable: a second write of the same rows changes nothing else.
    await this.#engine.runRepeatable(writeRecordedCalls, { calls: JSON.stringify([...byId.values()]) })
  }

  /** Calls as they were last written, after this position, in pages; memory does not grow with their number. */
  async *since(tenant: string, after: RecordedPosition, settled = settledMs): AsyncGenerator<StoredRecordedCall> {
    let { atMs, id } = after
    for (;;) {
      const rows = await this.#engine.run(readRecordedCalls, {
        tenant,
        after_at: atMs,
        after_id: id,
        settled,
        at_most: pageRows,
      })
      for (const row of rows) yield fromRow(row)
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageRows) return
      atMs = last.recorded_at
      id = last.id
    }
  }

  /** How many calls were last written before this time. */
  async olderThan(tenant: string, keptMs: number): Promise<number> {
    const [row] = await this.#engine.run(countRecordedCalls, { tenant, kept: keptMs })
    return row?.due ?? 0
  }

  /** Deletes calls that were last written before this time. Returns their number. */
  async deleteOlderThan(tenant: string, keptMs: number): Promise<number> {
    let deleted = 0
    for (;;) {
      const rows = await this.#engine.run(deleteRecordedCalls, { tenant, kept: keptMs, at_most: deletedAtOnce })
      deleted += rows.length
      if (rows.length < deletedAtOnce) return deleted
    }
  }
}

type WrittenRow = Omit<RecordedCallRow, 'recorded_at'>

/** The first write with the later one, by the rule of the statement: a call that has ended does not change any more. */
function completed(first: WrittenRow | undefined, later: WrittenRow): WrittenRow {
  if (first === undefined) return later
  if (first.outcome !== null) return first
  const { effect, policies, ask_id, outcome, ended_at } = later
  return { ...first, effect, policies, ask_id, outcome, ended_at }
}

function toRow(call: RecordedCall): WrittenRow {
  return {
    tenant: call.tenant,
    id: call.id,
    principal: call.principal,
    principal_groups: listText(call.groups),
    agent: call.agent ?? null,
    client: call.client ?? null,
    client_version: call.clientVersion ?? null,
    address: call.address ?? null,
    server: call.server,
    method: call.method,
    target: call.target,
    digest: call.digest,
    arguments: call.arguments ?? null,
    hidden: listText(call.hidden),
    effect: call.effect ?? null,
    policies: call.policies === undefined ? null : JSON.stringify(call.policies),
    ask_id: call.askId ?? null,
    outcome: call.outcome ?? null,
    began_at: call.beganAtMs,
    ended_at: call.endedAtMs ?? null,
  }
}

function fromRow(row: RecordedCallRow): StoredRecordedCall {
  return {
    tenant: row.tenant,
    id: row.id,
    principal: row.principal,
    groups: listIn(row.principal_groups) ?? [],
    agent: row.agent ?? undefined,
    client: row.client ?? undefined,
    clientVersion: row.client_version ?? undefined,
    address: row.address ?? undefined,
    server: row.server,
    method: row.method,
    target: row.target,
    digest: row.digest,
    arguments: row.arguments ?? undefined,
    hidden: listIn(row.hidden),
    effect: (row.effect ?? undefined) as RecordedCall['effect'],
    policies: listIn(row.policies),
    askId: row.ask_id ?? undefined,
    outcome: (row.outcome ?? undefined) as CallOutcome | undefined,
    beganAtMs: row.began_at,
    endedAtMs: row.ended_at ?? undefined,
    recordedAtMs: row.recorded_at,
  }
}

function listText(list: readonly string[] | undefined): string | null {
  return list === undefined || list.length === 0 ? null : JSON.stringify(list)
}

function listIn(text: string | null): readonly string[] | undefined {
  return text === null ? undefined : (JSON.parse(text) as readonly string[])
}
