// Signs asks, votes and grants when they are written, and verifies them whenever a row is read.
//
// Owns: the key ring, and which unverified asks this process has reported.
// I1  An ask that this module returns as `settled` has every signature it needs. Otherwise its state is `withdrawn` with the
//     reason `unverified`, which no caller treats as an answer.
// I2  Each unverified ask is reported once per process: in the audit log and to `onUnverified`.

import {
  type Ask,
  type AskDraft,
  askTerms,
  type GrantTerms,
  grantSignatureProblem,
  type KeyRing,
  needsSeveral,
  type SignatureProblem,
  signAsk,
  signatureProblem,
  signatureProblemText,
  signGrant,
  signVote,
  type Vote,
} from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import { storeLimits } from '../limits.ts'
import type { Notifier } from '../notify/notifier.ts'
import { type AskRow, askFromRow, askWithVotes } from './ask-row.ts'
import type { VoteRow } from './read-votes.ts'
import type { StoredAnswers } from './stored-answer.ts'

/** A stored ask or grant that was refused because its signatures do not match. */
export interface Unverified {
  readonly tenant: string
  readonly askId: string
  readonly problem: SignatureProblem
  /** One sentence for a log. */
  readonly message: string
}

export interface SignatureOptions {
  readonly keys: KeyRing
  readonly answers: StoredAnswers
  readonly onUnverified: (found: Unverified) => void
  readonly onError: (error: unknown) => void
}

/** Reads of an ask that may be needed to verify its row. */
interface AskReads {
  votes(): Promise<VoteRow[]>
  isErased(): Promise<boolean>
}

export class Signatures {
  readonly #options: SignatureOptions
  readonly #audit: Audit
  readonly #notifier: Notifier
  readonly #reported = new Set<string>()

  constructor(options: SignatureOptions, audit: Audit, notifier: Notifier) {
    this.#options = options
    this.#audit = audit
    this.#notifier = notifier
  }

  ofAsk(draft: AskDraft): string {
    return signAsk(this.#options.keys, draft)
  }

  ofVote(ask: Ask, vote: Vote): string {
    return signVote(this.#options.keys, askTerms(ask), vote)
  }

  /** Only the approval of an action gives a grant. */
  ofGrant({ tenant, id, question, principal }: Ask, grantId: string): string | null {
    if (question.kind !== 'approval') return null
    return signGrant(this.#options.keys, { tenant, id: grantId, askId: id, digest: question.digest, principal })
  }

  /** Undefined if the texts of the ask were erased after its row was read. */
  async verified(row: AskRow, more: AskReads): Promise<Ask | undefined> {
    const read = await withVotes(row, more.votes, this.#options.answers)
    const problem = this.problemOf(row, read)
    if (problem === undefined) return read.ask
    // Its votes are erased with them.
    if (await more.isErased()) return undefined
    await this.report(row.tenant, row.id, problem)
    const atMs = row.ended_at ?? row.raised_at
    return { ...read.ask, votes: [], state: { kind: 'withdrawn', reason: 'unverified', atMs } }
  }

  problemOf(row: AskRow, { ask, votes }: ReadAsk): SignatureProblem | undefined {
    const stored = {
      ask: row.signature,
      decision: row.decision_signature,
      votes: votes.map(({ signature }) => signature),
    }
    return signatureProblem(this.#options.keys, ask, stored)
  }

  grantProblem(grant: GrantTerms, signature: string | null): SignatureProblem | undefined {
    return grantSignatureProblem(this.#options.keys, grant, signature)
  }

  /** A key that was removed from the ring does not show that a row was changed, so it is not recorded. */
  async report(tenant: string, askId: string, problem: SignatureProblem): Promise<void> {
    const key = `${tenant}\n${askId}\n${problem.what}`
    if (problem.reason === 'unknown-key' || this.#reported.has(key)) return
    if (this.#reported.size >= storeLimits.reportedUnverified) this.#reported.clear()
    this.#reported.add(key)
    const message = `${signatureProblemText(problem)} Ask ${askId} releases nothing. Run "assent audit verify".`
    this.#options.onUnverified({ tenant, askId, problem, message })
    await this.#audit.unverified(tenant, askId, problem).catch(this.#options.onError)
    // Waiting callers read the ask again, and stop waiting.
    this.#notifier.ended(tenant, askId, 'all')
  }
}

export interface ReadAsk {
  readonly ask: Ask
  readonly votes: readonly VoteRow[]
}

/** The ask as stored in the row, not verified. */
async function withVotes(row: AskRow, readVotes: () => Promise<VoteRow[]>, answers: StoredAnswers): Promise<ReadAsk> {
  const ask = askFromRow(row, answers)
  if (!needsSeveral(ask.approvalRule)) return { ask, votes: [] }
  const votes = await readVotes()
  return { ask: askWithVotes(row, votes, answers), votes }
}
