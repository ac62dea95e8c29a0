// Erased texts of audit entries, and the entries of the log that say that they were erased.
//
// The leaf of an erased entry stays in the log; its body and salt are gone. This is accepted only where a later command of
// the retention recorded it: an entry of the kind `record.erased` allows either everything of asks and notes before a
// time, or single entries, which a person requested.

import { retentionLimits } from '../limits.ts'
import { type AuditEntry, entryBody } from './entry.ts'

/** The subject of the entries that record erasures. */
export const erasureSubject = 'retention'

/** The body of such an entry. */
export type ErasureBody =
  /** Texts of asks that ended, and of notes, before this time. */
  | { readonly reason: 'expired'; readonly before: number }
  /** A person asked for it. These are the digests of the entries, which reveal nothing without their salts. */
  | { readonly reason: 'request'; readonly digests: readonly string[] }

/** What the erasures in a log allow. */
export class Erasures {
  readonly #entries = new Map<number, string>()
  readonly #digests = new Set<string>()
  #before = 0

  /** @param entries of the kind `record.erased`. Each has to be confirmed when the log is read. */
  constructor(entries: Iterable<AuditEntry> = []) {
    for (const entry of entries) {
      const body = erasureIn(entry)
      if (body === undefined) continue
      this.#entries.set(entry.seq, entry.body)
      if (body.reason === 'expired') this.#before = Math.max(this.#before, body.before)
      else for (const digest of body.digests) this.#digests.add(digest)
    }
  }

  /** Whether this entry may be without its text. */
  allow({ kind, atMs, digest }: AuditEntry): boolean {
    if (this.#digests.has(digest)) return /^(ask|grant|passkey)\.|^note$/.test(kind)
    return atMs < this.#before && /^(ask|grant)\.|^note$/.test(kind)
  }

  /** The log has this entry at this place. */
  confirm({ seq, body }: AuditEntry): void {
    if (this.#entries.get(seq) === body) this.#entries.delete(seq)
  }

  /** The number of an erasure that the log does not have as it was given. */
  get unconfirmed(): number | undefined {
    return this.#entries.keys().next().value
  }
}

/** Undefined if the entry records no erasure that is valid. */
function erasureIn(entry: AuditEntry): ErasureBody | undefined {
  if (entry.kind !== 'record.erased') return undefined
  const { reason, before, digests } = entryBody(entry)
  if (reason === 'request' && isTexts(digests)) return { reason, digests }
  const latest = entry.atMs - retentionLimits.answersMinMs
  return reason === 'expired' && typeof before === 'number' && before <= latest ? { reason, before } : undefined
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
