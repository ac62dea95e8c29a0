// The passkeys that the audit log knows, and whether a signature is by one of them. Pure: entries in, problems out.
//
// Only the log shows whose key it is: the key beside a signature could be anyone's. A key counts from the entry of its
// registration to the entry of its removal. A further key of a person needs a signature of one of their earlier ones, over exactly this new key.

import {
  type Assertion,
  isAssertion,
  isPlainObject,
  newPasskeyDigest,
  passkeyChallenge,
  verifyAssertion,
} from '@assent/core'
import type { EntryRow } from '../audit/read-entries-of.ts'

type Entry = Pick<EntryRow, 'tenant' | 'id' | 'place' | 'kind' | 'subject' | 'body'>
type Body = Readonly<Record<string, unknown>>

interface Registered {
  readonly id: string
  readonly principal: string
  readonly credentialId: string
  readonly publicKey: string
  /** Places in the log. The numbers of stored entries are not signed. */
  readonly fromSeq: number
  readonly untilSeq: number
}

export class Registrations {
  readonly #keys: Registered[] = []
  /** By the id of the key. */
  readonly problems: ReadonlyMap<string, string>

  constructor(entries: readonly Entry[]) {
    const problems = new Map<string, string>()
    for (const entry of entries.toSorted((a, b) => placeOf(a) - placeOf(b))) {
      const problem = entry.kind === 'passkey.added' ? this.#add(entry) : this.#remove(entry)
      if (problem !== undefined) problems.set(entry.subject, problem)
    }
    this.problems = problems
  }

  /** Why the signatures in the entries of an ask do not count; undefined if all of them do. */
  problemIn(entries: readonly Entry[]): string | undefined {
    for (const entry of entries) {
      const { presence, by } = bodyOf(entry)
      if (presence === undefined) continue
      if (!isAssertion(presence)) return 'the signature of a passkey in its entries is not complete'
      if (!this.#isKeyOf(String(by), presence, placeOf(entry)))
        return `it was decided with a passkey that ${String(by)} had not registered according to the audit log`
    }
    return undefined
  }

  #add(entry: Entry): string | undefined {
    const { tenant, subject: id } = entry
    const seq = placeOf(entry)
    const { principal, credentialId, publicKey, name, authorisedBy } = bodyOf(entry)
    if (typeof principal !== 'string' || typeof credentialId !== 'string' || typeof publicKey !== 'string')
      return 'the entry of its registration is not complete'
    const isFirst = !this.#keys.some((key) => key.principal === principal && isActiveAt(key, seq))
    const passkey = newPasskeyDigest({ credentialId, publicKey, name: String(name) })
    const isAuthorised =
      isFirst || this.#isAuthorised({ tenant, by: principal, change: 'authorise', passkey }, authorisedBy, seq)
    this.#keys.push({ id, principal, credentialId, publicKey, fromSeq: seq, untilSeq: Number.POSITIVE_INFINITY })
    return isAuthorised ? undefined : 'it was added without a signature of an earlier passkey'
  }

  #remove(entry: Entry): string | undefined {
    const { tenant, subject: id } = entry
    const seq = placeOf(entry)
    const at = this.#keys.findIndex((key) => key.id === id && isActiveAt(key, seq))
    const key = this.#keys[at]
    if (key === undefined) return 'the audit log has its removal, and not its registration'
    const { by, authorisedBy } = bodyOf(entry)
    const change = { tenant, by: key.principal, change: 'remove', passkey: id } as const
    const isAuthorised = by === 'reset' || this.#isAuthorised(change, authorisedBy, seq)
    this.#keys[at] = { ...key, untilSeq: seq }
    return isAuthorised ? undefined : 'it was removed without a signature of a passkey'
  }

  #isAuthorised(change: Omit<Parameters<typeof passkeyChallenge>[0], 'nonce'>, signed: unknown, seq: number): boolean {
    if (!isAssertion(signed) || !this.#isKeyOf(change.by, signed, seq)) return false
    return verifyAssertion(signed, passkeyChallenge({ ...change, nonce: signed.nonce })).ok
  }

  #isKeyOf(principal: string, { credentialId, publicKey }: Assertion, seq: number): boolean {
    return this.#keys.some(
      (key) =>
        key.principal === principal &&
        key.credentialId === credentialId &&
        key.publicKey === publicKey &&
        isActiveAt(key, seq),
    )
  }
}

/** Entries that have no place yet are after all that have one, in the order of their numbers. */
function placeOf({ place, id }: Entry): number {
  return place ?? 2 ** 52 + id
}

function isActiveAt({ fromSeq, untilSeq }: Registered, seq: number): boolean {
  return fromSeq < seq && seq < untilSeq
}

function bodyOf({ body }: Pick<Entry, 'body'>): Body {
  const read: unknown = JSON.parse(body ?? '{}')
  return isPlainObject(read) ? read : {}
}
