// Verifies a tenant's audit log, and compares every stored ask, grant, passkey, definition of a tool and lost call with it.
//
// A log that was truncated or rewritten is still consistent in itself, and a changed row is a valid row. So each is checked
// against the other, and decisions against their signatures. It reads in pages, so its memory use does not grow with the log.

import {
  grantSignatureProblem,
  isSignedDefinition,
  isSignedPasskey,
  type KeyRing,
  presenceProblem,
  type SignatureProblem,
  signatureProblem,
  signatureProblemText,
  type TreeHead,
} from '@assent/core'
import { askWithVotes } from '../asks/ask-row.ts'
import { readVotes } from '../asks/read-votes.ts'
import type { StoredAnswers } from '../asks/stored-answer.ts'
import type { Audit } from '../audit/audit.ts'
import { type EntryRow, readEntriesOf } from '../audit/read-entries-of.ts'
import type { Engine } from '../engine/engine.ts'
import type { Row, Statement } from '../engine/statement.ts'
import { storeLimits } from '../limits.ts'
import { passkeyFromRow } from '../passkeys/passkeys.ts'
import { type ComparedPasskey, readAllPasskeys, readPasskeyEntries } from '../passkeys/read-passkeys.ts'
import { type ComparedCall, lostCallDifference } from './compare-calls.ts'
import { type ComparedDefinition, definitionDifference, replacedIn } from './compare-definitions.ts'
import { erasedDifference, isErasedEntry } from './compare-erased.ts'
import { passkeyDifference } from './compare-passkeys.ts'
import { askDifference, type ComparedGrant, type ComparedRow, grantDifference, type StoredAsk } from './compare-rows.ts'
import {
  askEntriesInRange,
  callEntriesInRange,
  grantEntriesInRange,
  grantsInRange,
  type PageParams,
  type Range,
  rangeRowsMost,
  readAllDefinitions,
  readAskPage,
  readComparedAsk,
  readComparedGrants,
  readDefinitionEntries,
  readGrantPage,
  readLostCallPage,
  votesInRange,
} from './read-compared.ts'
import { Registrations } from './registrations.ts'

export interface RecordProblem {
  readonly problem: string
  /** The wrong entry, if there is one. */
  readonly seq?: number
  /** The ask or grant that does not match, if there is one. */
  readonly subject?: string
}

export type RecordVerdict =
  | {
      readonly ok: true
      readonly lastSeq: number
      /** The root of the log: hexadecimal. */
      readonly lastHash: string
      /** The signed note of the end of the log; empty for an empty log. */
      readonly checkpoint: string
      readonly asks: number
      readonly grants: number
      /** Asks and grants whose signatures were made with a key that is not in the ring: compared, not verified. */
      readonly unknownKeys: number
      /** How many entries have no text any more, as the log records. */
      readonly erased: number
    }
  /** The first problems found. */
  | { readonly ok: false; readonly problems: readonly [RecordProblem, ...RecordProblem[]] }

export interface Comparison {
  readonly asks: number
  readonly grants: number
  readonly unknownKeys: number
  readonly problems: readonly RecordProblem[]
}

export class RecordCheck {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #keys: KeyRing
  readonly #answers: StoredAnswers

  constructor(engine: Engine, audit: Audit, keys: KeyRing, answers: StoredAnswers) {
    this.#engine = engine
    this.#audit = audit
    this.#keys = keys
    this.#answers = answers
  }

  /** @param older heads of checkpoints whose signatures the caller has verified */
  async verify(tenant: string, older: readonly TreeHead[] = []): Promise<RecordVerdict> {
    const log = await this.#audit.verify(tenant, older)
    if (!log.ok) {
      const { problem, seq } = log
      return { ok: false, problems: [seq === undefined ? { problem } : { problem, seq }] }
    }
    const { problems, ...counts } = await this.compare(tenant)
    const [first, ...more] = problems
    if (first !== undefined) return { ok: false, problems: [first, ...more] }
    return { ...log, ...counts }
  }

  /** Compares the rows with the log, whose consistency the caller has verified. */
  async compare(tenant: string): Promise<Comparison> {
    const found = new Findings()
    await this.#comparePasskeys(tenant, found)
    await this.#compareDefinitions(tenant, found)
    await this.#pages(readAskPage, tenant, (page, span) => this.#compareAsks(tenant, page, span, found))
    await this.#pages(readGrantPage, tenant, (page, span) => this.#compareGrants(tenant, page, span, found))
    await this.#pages(readLostCallPage, tenant, (page, span) => this.#compareLostCalls(tenant, page, span, found))
    const { asks, grants, unknownKeys, problems } = found
    return { asks, grants, unknownKeys, problems }
  }

  /** Calls `act` for each page, and once more for the rows after the last page. */
  async #pages<R extends Row & { readonly id: string }>(
    page: Statement<PageParams, R>,
    tenant: string,
    act: (rows: readonly R[], span: Span) => Promise<void>,
  ): Promise<void> {
    let after = ''
    for (;;) {
      const params = { tenant, after, at_most: storeLimits.comparedAtOnce }
      const rows = await this.#engine.run(page, params)
      const last = rows.at(-1)?.id
      await act(rows, { after, upTo: last ?? '' })
      if (last === undefined) return
      after = last
    }
  }

  /** Compares the passkeys with the log. Read until the log did not change in between. */
  async #comparePasskeys(tenant: string, found: Findings): Promise<void> {
    let entries = await this.#engine.run(readPasskeyEntries, { tenant })
    let rows: ComparedPasskey[] = []
    for (let time = 0; time < storeLimits.comparedAgain; time++) {
      const before = entries
      rows = await this.#engine.run(readAllPasskeys, { tenant })
      entries = await this.#engine.run(readPasskeyEntries, { tenant })
      if (entries.length === before.length) break
    }
    const { problems } = new Registrations(entries)
    const entriesOf = grouped(entries, ({ subject }) => subject)
    for (const row of rows) {
      const isSigned = isSignedPasskey(this.#keys, passkeyFromRow(row), row.signature)
      const unsigned = isSigned ? undefined : 'its row is not signed with a configured key'
      const problem = passkeyDifference(row, entriesOf.get(row.id) ?? []) ?? problems.get(row.id) ?? unsigned
      if (problem !== undefined) found.add(`Passkey ${row.id}: ${problem}.`, row.id)
      entriesOf.delete(row.id)
    }
    // Those of a person whose data was erased.
    for (const [id, left] of entriesOf) if (left.every(isErasedEntry)) entriesOf.delete(id)
    for (const id of entriesOf.keys())
      found.add(`Passkey ${id}: the audit log has entries about it, and it is not in the database.`, id)
  }

  /** Compares the definitions of tools with the log, in the same way. */
  async #compareDefinitions(tenant: string, found: Findings): Promise<void> {
    let entries = await this.#engine.run(readDefinitionEntries, { tenant })
    let rows: ComparedDefinition[] = []
    for (let time = 0; time < storeLimits.comparedAgain; time++) {
      const before = entries
      rows = await this.#engine.run(readAllDefinitions, { tenant })
      entries = await this.#engine.run(readDefinitionEntries, { tenant })
      if (entries.length === before.length) break
    }
    const entriesOf = grouped(entries, ({ subject }) => subject)
    for (const row of rows) {
      const problem = definitionDifference(row, entriesOf.get(row.id) ?? []) ?? this.#definitionSignature(row)
      if (problem !== undefined) found.add(`Definition ${row.id}: ${problem}.`, row.id)
      entriesOf.delete(row.id)
    }
    for (const id of replacedIn(entries)) entriesOf.delete(id)
    for (const id of entriesOf.keys())
      found.add(`Definition ${id}: the audit log has entries about it, and it is not in the database.`, id)
  }

  /** The signature covers the text too. One by a key that is not in the ring is not accepted at run time either. */
  #definitionSignature(row: ComparedDefinition): string | undefined {
    if (row.accepted_at === null) return undefined
    const { tenant, server, tool, digest, description_digest: descriptionDigest, definition: text } = row
    const accepted = { tenant, server, tool, digest, descriptionDigest, text, acceptedBy: row.accepted_by ?? '' }
    const [, keyId = ''] = (row.signature ?? '').split('.')
    const isKnown = row.signature === null || this.#keys.find(keyId) !== undefined
    const isSigned = !isKnown || isSignedDefinition(this.#keys, accepted, row.signature ?? '')
    return isSigned ? undefined : 'its row does not match its signature'
  }

  /** Rows first: a call that is lost in between has its entry already. */
  async #compareLostCalls(tenant: string, rows: readonly ComparedCall[], span: Span, found: Findings): Promise<void> {
    const entriesOf = grouped(await this.#range(callEntriesInRange, tenant, span), ({ subject }) => subject)
    for (const row of rows) {
      const problem = lostCallDifference(row, entriesOf.get(row.id) ?? [])
      if (problem !== undefined) found.add(`Call ${row.id}: ${problem}.`, row.id)
    }
  }

  async #compareAsks(tenant: string, rows: readonly ComparedRow[], span: Span, found: Findings): Promise<void> {
    const [votes, grants, entries] = await Promise.all([
      this.#range(votesInRange, tenant, span),
      this.#range(grantsInRange, tenant, span),
      this.#range(askEntriesInRange, tenant, span),
    ])
    const votesOf = grouped(votes, ({ ask_id }) => ask_id)
    const grantsOf = grouped(grants, ({ ask_id }) => ask_id)
    const entriesOf = grouped(entries, ({ subject }) => subject)
    const registered = await this.#registrations(tenant, entries)
    for (const row of rows) {
      found.asks += 1
      const own = { votes: votesOf.get(row.id) ?? [], grants: grantsOf.get(row.id) ?? [] }
      const problem = this.#problemOfAsk(row, own, entriesOf.get(row.id) ?? [], registered, found)
      if (problem !== undefined && (await this.#isConfirmed(tenant, row.id)))
        found.add(`Ask ${row.id}: ${problem}.`, row.id)
      for (const map of [votesOf, grantsOf, entriesOf]) map.delete(row.id)
    }
    // Rows are deleted some time after their texts.
    for (const [id, left] of entriesOf) if (left.every(isErasedEntry)) entriesOf.delete(id)
    const orphans: [Iterable<string>, string][] = [
      [entriesOf.keys(), 'the audit log has entries about it, and it is not in the database'],
      [grantsOf.keys(), 'it has a grant, and it is not in the database'],
      [votesOf.keys(), 'it has votes, and it is not in the database'],
    ]
    for (const [ids, problem] of orphans) {
      for (const id of ids) if (await this.#isConfirmed(tenant, id)) found.add(`Ask ${id}: ${problem}.`, id)
    }
  }

  async #compareGrants(tenant: string, rows: readonly ComparedGrant[], span: Span, found: Findings): Promise<void> {
    const entriesOf = grouped(await this.#range(grantEntriesInRange, tenant, span), ({ subject }) => subject)
    for (const grant of rows) {
      found.grants += 1
      const problem = grantDifference(grant, entriesOf.get(grant.id) ?? [])
      entriesOf.delete(grant.id)
      if (problem !== undefined && (await this.#isGrantConfirmed(tenant, grant.id))) {
        found.add(`Grant ${grant.id}: ${problem}.`, grant.id)
      }
    }
    for (const [id, left] of entriesOf) {
      if (left.every(isErasedEntry) || !(await this.#isGrantConfirmed(tenant, id))) continue
      found.add(`Grant ${id}: the audit log has its use, and it is not in the database.`, id)
    }
  }

  /** Compares an ask with its entries and its signatures. */
  #problemOfAsk(
    row: ComparedRow,
    { votes, grants }: Pick<StoredAsk, 'votes' | 'grants'>,
    entries: readonly EntryRow[],
    registered: Registrations,
    found?: Findings,
  ): string | undefined {
    if (row.erased_at !== null) {
      const isWhole = votes.length === 0 && grants.length === 0
      return isWhole ? erasedDifference(row, entries) : 'it is erased, and has votes or a grant'
    }
    try {
      const ask = askWithVotes({ ...row, now: Math.min(row.now, row.decide_by - 1) }, votes, this.#answers)
      const difference = askDifference({ row, ask, votes, grants }, entries)
      if (difference !== undefined) return difference
      const unregistered = registered.problemIn(entries)
      if (unregistered !== undefined) return unregistered
      const stored = { ask: row.signature, decision: row.decision_signature, votes: votes.map((one) => one.signature) }
      // Also if our own signature is by a key that is not in the ring any more.
      const ofAsk = presenceProblem(ask) ?? signatureProblem(this.#keys, ask, stored)
      const { tenant } = row
      const ofGrants = grants.map(({ ask_id: askId, signature, ...grant }) =>
        grantSignatureProblem(this.#keys, { tenant, askId, ...grant }, signature),
      )
      return problemIn([ofAsk, ...ofGrants], found)
    } catch {
      return 'its row or an entry about it cannot be read'
    }
  }

  /**
   * Whether the problem exists in one state of the database: several statements read the rows and entries, and gateways may
   * write in between. If the number of entries is the same before and after, nothing changed.
   */
  async #isConfirmed(tenant: string, id: string): Promise<boolean> {
    for (let time = 0; time < storeLimits.comparedAgain; time++) {
      const before = await this.#entriesOf(tenant, id)
      const [[row], votes, grants] = await Promise.all([
        this.#engine.run(readComparedAsk, { tenant, id }),
        this.#engine.run(readVotes, { tenant, ask_id: id }),
        this.#engine.run(readComparedGrants, { tenant, id }),
      ])
      const entries = await this.#entriesOf(tenant, id)
      if (!isUnchanged(before, entries)) continue
      if (row === undefined) return !entries.every(isErasedEntry) || votes.length + grants.length > 0
      const registered = await this.#registrations(tenant, entries)
      return this.#problemOfAsk(row, { votes, grants }, entries, registered) !== undefined
    }
    return true
  }

  async #isGrantConfirmed(tenant: string, id: string): Promise<boolean> {
    for (let time = 0; time < storeLimits.comparedAgain; time++) {
      const before = await this.#entriesOf(tenant, id)
      const [grant] = await this.#engine.run(readComparedGrants, { tenant, id })
      const entries = await this.#entriesOf(tenant, id)
      if (!isUnchanged(before, entries)) continue
      return grant === undefined ? !entries.every(isErasedEntry) : grantDifference(grant, entries) !== undefined
    }
    return true
  }

  /** The keys in the log, read only if one of these entries has the signature of a passkey. */
  async #registrations(tenant: string, entries: readonly EntryRow[]): Promise<Registrations> {
    const isNeeded = entries.some(({ body }) => body?.includes('"presence":') === true)
    return new Registrations(isNeeded ? await this.#engine.run(readPasskeyEntries, { tenant }) : [])
  }

  async #entriesOf(tenant: string, id: string): Promise<EntryRow[]> {
    const rows = await this.#engine.run(readEntriesOf, { tenant, ask_id: id, grant_id: id })
    return rows.filter(({ kind }) => comparedKinds.includes(kind))
  }

  async #range<R>({ some, rest }: Range<R>, tenant: string, { after, upTo }: Span): Promise<R[]> {
    const rows = await this.#engine.run(upTo === '' ? rest : some, { tenant, after, up_to: upTo })
    if (rows.length > rangeRowsMost) throw new Error('A page has more votes, grants or entries than is possible.')
    return rows
  }
}

interface Span {
  readonly after: string
  /** Empty for the rest of the table. */
  readonly upTo: string
}

class Findings {
  asks = 0
  grants = 0
  unknownKeys = 0
  readonly problems: RecordProblem[] = []

  add(problem: string, subject: string): void {
    if (this.problems.length < storeLimits.problemsReported) this.problems.push({ problem, subject })
  }
}

/** The first problem as text. A signature by a key that is not in the ring is not a problem, only counted. */
function problemIn(found: readonly (SignatureProblem | undefined)[], counts: Findings | undefined): string | undefined {
  const wrong = found.find((one) => one !== undefined && one.reason !== 'unknown-key')
  if (wrong !== undefined) return signatureProblemText(wrong).toLowerCase().replace(/\.$/, '')
  if (found.some((one) => one !== undefined) && counts !== undefined) counts.unknownKeys += 1
  return undefined
}

const comparedKinds = [
  'ask.raised',
  'ask.voted',
  'ask.settled',
  'ask.undelivered',
  'ask.expired',
  'ask.withdrawn',
  'grant.used',
]

/** Whether no entry was added or erased in between. */
function isUnchanged(before: readonly EntryRow[], after: readonly EntryRow[]): boolean {
  const erased = (entries: readonly EntryRow[]) => entries.filter(isErasedEntry).length
  return before.length === after.length && erased(before) === erased(after)
}

function grouped<R>(rows: readonly R[], keyOf: (row: R) => string): Map<string, R[]> {
  const map = new Map<string, R[]>()
  for (const row of rows) map.set(keyOf(row), [...(map.get(keyOf(row)) ?? []), row])
  return map
}
