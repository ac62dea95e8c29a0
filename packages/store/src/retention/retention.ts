// Erases what is no longer needed, and the data of one person on request: `assent retain`.
//
// Works in bounded steps, each of which is committed by itself, beside running gateways.
// I1  Open asks, and asks whose caller can still fetch or use the answer, are not touched.
// I2  What is erased is recorded in the audit log in the same step, or in an earlier one: a log of which texts were erased
//     without that does not verify.
// I3  A step that runs again changes nothing, so a run that was interrupted is continued by the next one.

import { setTimeout as sleep } from 'node:timers/promises'
import { AssentError, type ErasureBody, erasureSubject, retentionLimits } from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import type { Engine } from '../engine/engine.ts'
import { storeLimits } from '../limits.ts'
import type { RecordedCalls } from '../recorded-calls/recorded-calls.ts'
import {
  countErasedAsks,
  deleteAsks,
  eraseAsks,
  findDueAsks,
  type RecordingParams,
  readAsksNaming,
  readTextDigests,
  removeName,
} from './erase-asks.ts'
import {
  countDueNotes,
  deleteLinksOf,
  deleteRecordedOf,
  deleteSessionsOf,
  eraseNotes,
  erasePasskeys,
  findDueNotes,
  mayErase,
  readNotesNaming,
  readPasskeyDigests,
} from './erase-others.ts'

/** Undefined: kept for ever. */
export interface RetentionPeriods {
  /** Questions, answers and the texts of the audit log. */
  readonly answersMs?: number | undefined
  /** What is left of an ask then: who asked, who decided, when. Not shorter than `answersMs`. */
  readonly recordMs?: number | undefined
  /** Recorded calls. */
  readonly callsMs?: number | undefined
}

export interface Retained {
  /** Asks whose texts were erased; notes of the audit log; asks and recorded calls that were deleted. */
  readonly asks: number
  readonly notes: number
  readonly deleted: number
  readonly calls: number
}

export interface PersonErased {
  readonly asks: number
  readonly notes: number
  readonly passkeys: number
  readonly calls: number
  /** Asks that are open or whose answer can still be used: erased by a later run. Passkeys are kept until there are none. */
  readonly left: number
}

export class Retention {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #recordedCalls: RecordedCalls

  constructor(engine: Engine, audit: Audit, recordedCalls: RecordedCalls) {
    this.#engine = engine
    this.#audit = audit
    this.#recordedCalls = recordedCalls
  }

  /** What `apply` would erase and delete now. */
  async due(tenant: string, periods: RetentionPeriods): Promise<Retained> {
    const { textsBefore, rowsBefore } = this.#times(periods)
    const counted = { asks: 0, notes: 0, deleted: 0 }
    if (textsBefore !== undefined) {
      counted.asks = await this.#eachDue(tenant, textsBefore, readAtOnce, async (due) => due.length)
      counted.notes = await this.#count(countDueNotes, tenant, textsBefore)
    }
    if (rowsBefore !== undefined) counted.deleted = await this.#count(countErasedAsks, tenant, rowsBefore)
    const calls = periods.callsMs === undefined ? 0 : await this.#recordedCalls.olderThan(tenant, periods.callsMs)
    return { ...counted, calls }
  }

  async apply(tenant: string, periods: RetentionPeriods): Promise<Retained> {
    await this.#checkRole()
    const { textsBefore, rowsBefore } = this.#times(periods)
    const { asks, notes } = textsBefore === undefined ? { asks: 0, notes: 0 } : await this.#expire(tenant, textsBefore)
    const deleted = rowsBefore === undefined ? 0 : await this.#deleteRows(tenant, rowsBefore)
    const calls = periods.callsMs === undefined ? 0 : await this.#recordedCalls.deleteOlderThan(tenant, periods.callsMs)
    return { asks, notes, deleted, calls }
  }

  /** What `erasePerson` would erase now, without counting notes, passkeys and recorded calls. */
  async dueOf(tenant: string, principal: string): Promise<Pick<PersonErased, 'asks' | 'left'>> {
    return this.#asksOf(tenant, principal, async (due) => due.length)
  }

  /** Erases every ask that ended and names this person, the notes that do, and their passkeys, sessions and recorded calls. */
  async erasePerson(tenant: string, principal: string): Promise<PersonErased> {
    await this.#checkRole()
    const { asks, left } = await this.#eraseAsksOf(tenant, principal)
    const notes = await this.#eraseNotesOf(tenant, principal)
    const person = { tenant, person: principal }
    const passkeys = left > 0 ? 0 : await this.#erasePasskeysOf(tenant, principal)
    await this.#engine.run(deleteSessionsOf, person)
    await this.#engine.run(deleteLinksOf, person)
    const calls = await this.#each(async () =>
      stepOf(await this.#engine.run(deleteRecordedOf, { ...person, at_most: erasedAtOnce }), erasedAtOnce),
    )
    return { asks, notes, passkeys, calls, left }
  }

  #times({ answersMs, recordMs }: RetentionPeriods) {
    const { nowMs } = this.#engine
    const textsMs = answersMs ?? recordMs
    if (textsMs !== undefined && textsMs < retentionLimits.answersMinMs)
      throw new RangeError('Answers are kept for at least a day.')
    // The log allows to erase what is a day older than the entry that records it, whose time is read later.
    const latest = nowMs - retentionLimits.answersMinMs - storeLimits.retentionClockMs
    return {
      textsBefore: textsMs === undefined ? undefined : Math.min(nowMs - textsMs, latest),
      rowsBefore: recordMs === undefined ? undefined : nowMs - recordMs,
    }
  }

  async #count(
    statement: typeof countDueNotes | typeof countErasedAsks,
    tenant: string,
    before: number,
  ): Promise<number> {
    const [row] = await this.#engine.run(statement, { tenant, before })
    return row?.due ?? 0
  }

  async #checkRole(): Promise<void> {
    const [row] = await this.#engine.run(mayErase, {})
    if (row?.may === 1) return
    const reason = `The database role "${row?.role ?? ''}" may not erase. Use the role that owns the tables, as for assent migrate.`
    throw new AssentError('misconfigured', reason)
  }

  /** The first step that erases something records in the log what this run may erase. */
  async #expire(tenant: string, before: number): Promise<Pick<Retained, 'asks' | 'notes'>> {
    const entry = this.#entry(tenant, { reason: 'expired', before })
    let isRecorded = false
    const recording = () => ({ ...entry, records: isRecorded ? 0 : 1 })
    const asks = await this.#eachDue(tenant, before, erasedAtOnce, async (due) => {
      const ids = JSON.stringify(due)
      const erased = await this.#engine.runRepeatable(eraseAsks, { ...recording(), ids, person: null })
      isRecorded ||= erased.length > 0
      return erased.length
    })
    let after = { after_at: 0, after_id: 0 }
    const notes = await this.#each(async () => {
      const due = await this.#engine.run(findDueNotes, { tenant, before, ...after, at_most: erasedAtOnce })
      const last = due.at(-1)
      if (last === undefined) return { count: 0, isLast: true }
      const ids = JSON.stringify(due.map(({ id }) => id))
      const erased = await this.#engine.runRepeatable(eraseNotes, { ...recording(), ids })
      isRecorded ||= erased.length > 0
      after = { after_at: last.at, after_id: last.id }
      return { count: erased.length, isLast: due.length < erasedAtOnce }
    })
    return { asks, notes }
  }

  /** Reads the asks that ended before this time in pages. `act` gets the ids of those that are due, and returns how many to count. */
  async #eachDue(
    tenant: string,
    before: number,
    pageSize: number,
    act: (due: readonly string[]) => Promise<number>,
  ): Promise<number> {
    let after = { after_at: 0, after_id: '' }
    return this.#each(async () => {
      const page = await this.#engine.run(findDueAsks, { tenant, before, ...after, at_most: pageSize })
      const due = page.filter(({ is_due }) => is_due === 1).map(({ id }) => id)
      const last = page.at(-1)
      if (last !== undefined) after = { after_at: last.ended_at, after_id: last.id }
      return { count: due.length === 0 ? 0 : await act(due), isLast: page.length < pageSize }
    })
  }

  async #deleteRows(tenant: string, before: number): Promise<number> {
    let after_at = 0
    return this.#each(async () => {
      const rows = await this.#engine.run(deleteAsks, { tenant, before, after_at, at_most: erasedAtOnce })
      after_at = Math.max(after_at, ...rows.map(({ ended_at }) => ended_at))
      return stepOf(rows, erasedAtOnce)
    })
  }

  async #eraseAsksOf(tenant: string, person: string): Promise<Pick<PersonErased, 'asks' | 'left'>> {
    return this.#asksOf(tenant, person, async (due, erasedBefore) => {
      let count = 0
      for (let at = 0; at < due.length; at += erasedAtOnce) {
        const ids = JSON.stringify(due.slice(at, at + erasedAtOnce))
        const recording = this.#request(tenant, await this.#engine.run(readTextDigests, { tenant, ids }))
        count += (await this.#engine.runRepeatable(eraseAsks, { ...recording, ids, person })).length
      }
      if (erasedBefore.length > 0)
        await this.#engine.run(removeName, { tenant, ids: JSON.stringify(erasedBefore), person })
      return count
    })
  }

  /** Reads all asks in pages. `act` gets the ids of those of a page that name this person, and returns how many it erased. */
  async #asksOf(
    tenant: string,
    person: string,
    act: (due: readonly string[], erasedBefore: readonly string[]) => Promise<number>,
  ): Promise<Pick<PersonErased, 'asks' | 'left'>> {
    const counts = { asks: 0, left: 0 }
    let after = ''
    await this.#each(async () => {
      const approver = `person:${person}`
      const page = await this.#engine.run(readAsksNaming, { tenant, after, person, approver, at_most: readAtOnce })
      const theirs = page.filter((one) => one.is_theirs === 1)
      const due = theirs.filter((one) => one.is_over === 1).map(({ id }) => id)
      const erasedBefore = theirs.filter((one) => one.is_erased === 1).map(({ id }) => id)
      counts.asks += await act(due, erasedBefore)
      counts.left += theirs.length - due.length - erasedBefore.length
      after = page.at(-1)?.id ?? after
      return { count: 0, isLast: page.length < readAtOnce }
    })
    return counts
  }

  async #eraseNotesOf(tenant: string, person: string): Promise<number> {
    let after = { after_at: 0, after_id: 0 }
    const name = JSON.stringify(person)
    return this.#each(async () => {
      const page = await this.#engine.run(readNotesNaming, { tenant, ...after, name, at_most: erasedAtOnce })
      const last = page.at(-1)
      if (last !== undefined) after = { after_at: last.at, after_id: last.id }
      const theirs = page.filter((one) => one.is_theirs === 1)
      const ids = JSON.stringify(theirs.map(({ id }) => id))
      const erased =
        theirs.length === 0
          ? []
          : await this.#engine.runRepeatable(eraseNotes, { ...this.#request(tenant, theirs), ids })
      return { count: erased.length, isLast: page.length < erasedAtOnce }
    })
  }

  async #erasePasskeysOf(tenant: string, person: string): Promise<number> {
    const digests = await this.#engine.run(readPasskeyDigests, { tenant, person })
    return (await this.#engine.runRepeatable(erasePasskeys, { ...this.#request(tenant, digests), person })).length
  }

  #request(tenant: string, entries: readonly { readonly digest: string }[]): RecordingParams {
    return { ...this.#entry(tenant, { reason: 'request', digests: entries.map(({ digest }) => digest) }), records: 1 }
  }

  #entry(tenant: string, body: ErasureBody): Omit<RecordingParams, 'records'> {
    return { tenant, subject: erasureSubject, ...this.#audit.body(body) }
  }

  /** Repeats a step until it finds no more, with pauses: gateways need the database too. */
  async #each(step: () => Promise<Step>): Promise<number> {
    let total = 0
    for (;;) {
      const startedAt = performance.now()
      const { count, isLast } = await step()
      total += count
      if (isLast) return total
      const pauseMs = (performance.now() - startedAt) * storeLimits.retentionPauseShare
      await sleep(Math.min(pauseMs, storeLimits.retentionPauseMostMs))
    }
  }
}

/** How many rows a step changed, and whether it found the last ones. */
interface Step {
  readonly count: number
  readonly isLast: boolean
}

function stepOf(rows: readonly unknown[], atMost: number): Step {
  return { count: rows.length, isLast: rows.length < atMost }
}

/** Asks or notes of one step, and asks that are read at a time. */
const { erasedAtOnce, comparedForPerson: readAtOnce } = storeLimits
