// The audit entries of one ask, in a format that can be exported and verified without the log.
//
// Each entry includes the hash of the entry before it. A proof alone shows that none of its entries was changed; with
// the log it can be shown that the log contains them. It reveals nothing about other asks except hashes.

import { type Answer, type AnswerDigests, answerDigests } from '../ask/answer.ts'
import { presenceChallenge } from '../ask/presence-challenge.ts'
import { readJson } from '../digest/parse.ts'
import { isAssentError } from '../errors.ts'
import { isPlainObject } from '../json.ts'
import { askLimits } from '../limits.ts'
import { isAssertion, verifyAssertion } from '../presence/assertion.ts'
import { type AuditEntry, bodyDigest, genesisHash, linkHash } from './chain.ts'

export const proofFormat = 'assent audit proof v1'

export interface ProvenEntry extends AuditEntry {
  /** Of the entry before it in the chain, which may be about another ask. */
  readonly previousHash: string
}

export interface AuditProof {
  readonly format: typeof proofFormat
  readonly tenant: string
  readonly ask: string
  readonly entries: readonly ProvenEntry[]
}

export type ProofVerdict =
  | { readonly ok: true; readonly proof: AuditProof }
  | { readonly ok: false; readonly problem: string; readonly seq?: number }

/** Verifies any value as a proof. Unknown members are not verified. */
export function verifyProof(raw: unknown): ProofVerdict {
  if (!isPlainObject(raw) || raw.format !== proofFormat) return fail('This is not an audit proof that Assent can read.')
  const { tenant, ask, entries } = raw
  if (typeof tenant !== 'string' || typeof ask !== 'string' || !Array.isArray(entries) || entries.length === 0) {
    return fail('The proof has no tenant, no ask or no entries.')
  }
  const proven: ProvenEntry[] = []
  for (const one of entries as unknown[]) {
    if (!isProvenEntry(one)) return fail('An entry of the proof is incomplete.')
    const problem = problemOf(one, tenant, ask, proven.at(-1))
    if (problem !== undefined) return { ok: false, problem, seq: one.seq }
    proven.push(one)
    const unsigned = presenceProblem(one, proven[0] ?? one)
    if (unsigned !== undefined) return { ok: false, problem: unsigned, seq: one.seq }
  }
  return { ok: true, proof: { format: proofFormat, tenant, ask, entries: proven } }
}

function problemOf(entry: ProvenEntry, tenant: string, ask: string, before: ProvenEntry | undefined) {
  const { seq } = entry
  if (entry.tenant !== tenant) return `Entry ${seq} belongs to another tenant.`
  if (before === undefined && (entry.kind !== 'ask.raised' || entry.subject !== ask)) {
    return `Entry ${seq} is not the one in which this ask was raised.`
  }
  // The only other entry in a proof is the use of this ask's grant, whose subject is the grant.
  if (entry.subject !== ask && entry.kind !== 'grant.used') return `Entry ${seq} is about something else.`
  if (before !== undefined && seq <= before.seq) return `Entry ${seq} is out of order.`
  const known = seq === 1 ? genesisHash(tenant) : before?.seq === seq - 1 ? before.hash : entry.previousHash
  if (entry.previousHash !== known) return `Entry ${seq} does not follow from the one before it.`
  if (bodyDigest(entry.body) !== entry.digest) return `Entry ${seq} was changed: its text does not match its digest.`
  if (linkHash(entry.previousHash, entry) !== entry.hash) return `Entry ${seq} was changed: its hash does not match.`
  return undefined
}

/** Verifies the signature of the person's passkey, with the entries of the proof alone. */
function presenceProblem(entry: ProvenEntry, raised: ProvenEntry): string | undefined {
  if (entry.kind !== 'ask.settled' && entry.kind !== 'ask.voted') return undefined
  const [asked, decided] = [bodyOf(raised), bodyOf(entry)]
  const { presence, by, answer } = decided
  const { seq, tenant, subject } = entry
  if (presence === undefined) {
    const isAccept = isPlainObject(answer) && answer.action === 'accept'
    return asked.needsPresence === true && isAccept
      ? `Entry ${seq} has no signature of a passkey, and needs one.`
      : undefined
  }
  if (!isAssertion(presence) || typeof by !== 'string' || !isPlainObject(answer))
    return invalidPresence(seq, 'it is not complete')
  if (asked.actionDigest !== undefined && asked.actionDigest !== presence.actionDigest)
    return invalidPresence(seq, 'it is for another action')
  const terms = {
    tenant,
    askId: subject,
    questionDigest: String(asked.questionDigest),
    actionDigest: presence.actionDigest,
    answer: digestsOf(answer),
    by,
    nonce: presence.nonce,
  }
  const checked = verifyAssertion(presence, presenceChallenge(terms))
  return checked.ok ? undefined : invalidPresence(seq, checked.problem)
}

function invalidPresence(seq: number, why: string): string {
  return `The signature of a passkey in entry ${seq} is not valid: ${why}.`
}

/** Entries contain the digests of an answer, or the answer itself if the operator keeps contents. */
function digestsOf(logged: Readonly<Record<string, unknown>>): AnswerDigests {
  const isWhole = logged.content !== undefined || logged.comment !== undefined
  return isWhole ? answerDigests(logged as Answer) : (logged as unknown as AnswerDigests)
}

function bodyOf({ body }: ProvenEntry): Readonly<Record<string, unknown>> {
  try {
    const read = readJson(body, { depth: 2 * askLimits.actionDepth, halfPairs: 'keep', numbers: 'exact' })
    return isPlainObject(read) ? read : {}
  } catch (error) {
    if (isAssentError(error)) return {}
    throw error
  }
}

const textMembers = ['tenant', 'kind', 'subject', 'digest', 'body', 'hash', 'previousHash'] as const

function isProvenEntry(value: unknown): value is ProvenEntry {
  if (!isPlainObject(value) || !Number.isSafeInteger(value.seq) || !Number.isSafeInteger(value.atMs)) return false
  return textMembers.every((name) => typeof value[name] === 'string')
}

function fail(problem: string): ProofVerdict {
  return { ok: false, problem }
}
