// The audit entries of one ask, in a format that can be exported and verified without the log.
//
// Each entry has its place in the log and an inclusion proof (RFC 6962) up to the root of one signed checkpoint. So a
// proof shows that the log that signed the checkpoint contains its entries. It reveals nothing about other asks except
// hashes.

import { Buffer } from 'node:buffer'
import { type Answer, type AnswerDigests, answerDigests } from '../ask/answer.ts'
import { presenceChallenge, ruleDigestOf } from '../ask/presence-challenge.ts'
import { isAssentError } from '../errors.ts'
import { isPlainObject } from '../json.ts'
import { logLimits } from '../limits.ts'
import { fromBase64 } from '../log/encoding.ts'
import { verifyInclusion } from '../log/merkle.ts'
import { type NoteKey, parseVerifierKey } from '../log/note-key.ts'
import { isOriginOf } from '../log/origin.ts'
import { openCheckpoint, type TreeHead } from '../log/tree-head.ts'
import { isAssertion, verifyAssertion } from '../presence/assertion.ts'
import { type AuditEntry, entryBody, entryProblem, isErased } from './entry.ts'

export const proofFormat = 'assent audit proof v2'

export interface ProvenEntry extends AuditEntry {
  /** The inclusion proof, from the sibling of the leaf up: base64. */
  readonly inclusion: readonly string[]
}

export interface AuditProof {
  readonly format: typeof proofFormat
  readonly tenant: string
  readonly ask: string
  readonly entries: readonly ProvenEntry[]
  /** The signed note of the log. */
  readonly checkpoint: string
  /** The verifier keys of the log, as the gateway states them. Only a key from elsewhere proves who signed. */
  readonly logKeys: readonly string[]
}

export type ProofVerdict =
  /** `erased`: how many of its entries have no text any more. */
  | { readonly ok: true; readonly proof: AuditProof; readonly head: TreeHead; readonly erased: number }
  | { readonly ok: false; readonly problem: string; readonly seq?: number }

/**
 * Verifies any value as a proof. Unknown members are not verified.
 *
 * @param trusted keys of the log that the caller has from elsewhere. Without them the checkpoint is verified with the keys in
 *   the proof: it then shows only that the proof was not changed.
 */
export function verifyProof(raw: unknown, trusted?: readonly NoteKey[]): ProofVerdict {
  if (!isPlainObject(raw) || raw.format !== proofFormat) return fail('This is not an audit proof that Assent can read.')
  const { tenant, ask, entries, checkpoint, logKeys } = raw
  if (typeof tenant !== 'string' || typeof ask !== 'string' || !Array.isArray(entries) || entries.length === 0) {
    return fail('The proof has no tenant, no ask or no entries.')
  }
  if (typeof checkpoint !== 'string' || !isTextList(logKeys)) return fail('The proof has no checkpoint or no keys.')
  const logs = trusted ?? logKeys.map(parseVerifierKey).filter((key) => key !== undefined)
  const opened = openCheckpoint(checkpoint, logs)
  if (!opened.ok) return fail(opened.problem)
  // Leaves have no tenant: only the signed name of the log shows whose entries they are.
  if (!isOriginOf(opened.head.origin, tenant)) return fail(`The checkpoint is not one of the log of ${tenant}.`)
  const proven: ProvenEntry[] = []
  for (const one of entries as unknown[]) {
    if (!isProvenEntry(one)) return fail('An entry of the proof is incomplete.')
    const problem = problemOf(one, { tenant, ask, head: opened.head }, proven)
    if (problem !== undefined) return { ok: false, problem, seq: one.seq }
    proven.push(one)
    const unsigned = presenceProblem(one, proven[0] ?? one)
    if (unsigned !== undefined) return { ok: false, problem: unsigned, seq: one.seq }
  }
  return {
    ok: true,
    proof: { format: proofFormat, tenant, ask, entries: proven, checkpoint, logKeys },
    head: opened.head,
    erased: proven.filter(isErased).length,
  }
}

interface Proving {
  readonly tenant: string
  readonly ask: string
  readonly head: TreeHead
}

function problemOf(entry: ProvenEntry, { tenant, ask, head }: Proving, before: readonly ProvenEntry[]) {
  const { seq, subject, kind, counter } = entry
  const last = before.at(-1)
  if (entry.tenant !== tenant) return `Entry ${seq} belongs to another tenant.`
  if (last === undefined && (kind !== 'ask.raised' || subject !== ask)) {
    return `Entry ${seq} is not the one in which this ask was raised.`
  }
  // The only other entry in a proof is the use of this ask's grant, whose subject is the grant.
  if (subject !== ask && kind !== 'grant.used') return `Entry ${seq} is about something else.`
  if (last !== undefined && seq <= last.seq) return `Entry ${seq} is out of order.`
  const counted = before.filter((one) => one.subject === subject && one.counter > 0).length
  if (counter > 0 && counter !== counted + 1) return `Entry ${seq} is out of order, or one before it is missing.`
  const changed = entryProblem(entry)
  if (changed !== undefined) return changed
  const hashes = entry.inclusion.map(fromBase64)
  const leaf = Buffer.from(entry.hash, 'hex')
  const isIncluded =
    hashes.every((one) => one !== undefined) &&
    verifyInclusion(leaf, seq - 1, head.size, head.root, hashes as Uint8Array[])
  return isIncluded ? undefined : `Entry ${seq} is not in the log that signed the checkpoint.`
}

/** Verifies the signature of the person's passkey, with the entries of the proof alone. */
function presenceProblem(entry: ProvenEntry, raised: ProvenEntry): string | undefined {
  if (entry.kind !== 'ask.settled' && entry.kind !== 'ask.voted') return undefined
  // What was signed is gone. The digest of the signature is in the leaf.
  if (isErased(entry) || isErased(raised)) return undefined
  const [asked, decided] = [entryBody(raised), entryBody(entry)]
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
  const ruleDigest = loggedRuleDigest(asked.approvalRule)
  if (ruleDigest === undefined) return invalidPresence(seq, 'the approval rule is missing')
  const terms = {
    tenant,
    askId: subject,
    questionDigest: String(asked.questionDigest),
    actionDigest: presence.actionDigest,
    answer: digestsOf(answer),
    by,
    ruleDigest,
    nonce: presence.nonce,
  }
  const checked = verifyAssertion(presence, presenceChallenge(terms))
  return checked.ok ? undefined : invalidPresence(seq, checked.problem)
}

/** Undefined if the entry has no rule, or one without a canonical form. */
function loggedRuleDigest(rule: unknown): string | undefined {
  if (!isPlainObject(rule)) return undefined
  try {
    return ruleDigestOf(rule)
  } catch (error) {
    if (isAssentError(error)) return undefined
    throw error
  }
}

function invalidPresence(seq: number, why: string): string {
  return `The signature of a passkey in entry ${seq} is not valid: ${why}.`
}

/** Entries contain the digests of an answer, or the answer itself if the operator keeps contents. */
function digestsOf(logged: Readonly<Record<string, unknown>>): AnswerDigests {
  const isWhole = logged.content !== undefined || logged.comment !== undefined
  return isWhole ? answerDigests(logged as Answer) : (logged as unknown as AnswerDigests)
}

const textMembers = ['tenant', 'kind', 'subject', 'digest', 'salt', 'body', 'hash'] as const
const numberMembers = ['seq', 'atMs', 'counter'] as const

function isProvenEntry(value: unknown): value is ProvenEntry {
  if (!isPlainObject(value) || !numberMembers.every((name) => Number.isSafeInteger(value[name]))) return false
  if (value.assertionDigest !== undefined && typeof value.assertionDigest !== 'string') return false
  const { inclusion } = value
  return (
    isTextList(inclusion) &&
    inclusion.length <= logLimits.proofHashes &&
    textMembers.every((name) => typeof value[name] === 'string')
  )
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function fail(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
