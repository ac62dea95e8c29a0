// The challenge that a passkey signs to accept an ask.
//
// A challenge is the SHA-256 of one line of JSON that names exactly what is decided, so the signature of the person's own
// key covers it and anyone can check it without our keys. It begins with its purpose, as the challenges in
// presence/passkey.ts do: a signature for one is never valid for another.

import { hash } from 'node:crypto'
import { digestOf } from '../digest/digest.ts'
import type { AnswerDigests } from './answer.ts'
import type { ApprovalRule } from './approval-rule.ts'
import type { Question } from './question.ts'

/** One decision of one person, as digests. */
export interface PresenceTerms {
  readonly tenant: string
  readonly askId: string
  readonly questionDigest: string
  /** Of the exact action; empty for a question without one. */
  readonly actionDigest: string
  readonly answer: AnswerDigests
  readonly by: string
  /** Of the approval rule: who may decide, how many of them, and who is excluded, as the policies require it. */
  readonly ruleDigest: string
  /** Made by us for one decision, and used once. */
  readonly nonce: string
}

// A JSON array of strings has one spelling, so no two statements share their bytes.
export function presenceChallenge(terms: PresenceTerms): Uint8Array {
  const { tenant, askId, questionDigest, actionDigest, answer, by, ruleDigest, nonce } = terms
  const { action, contentDigest = '', commentDigest = '' } = answer
  const decision = [action, contentDigest, commentDigest]
  const statement = [
    'assent presence v1',
    tenant,
    askId,
    questionDigest,
    actionDigest,
    ...decision,
    by,
    ruleDigest,
    nonce,
  ]
  return hash('sha256', JSON.stringify(statement), 'buffer')
}

/** The parts of an ask that the signature covers. */
interface AskToSign {
  readonly tenant: string
  readonly id: string
  readonly question: Question
  readonly approvalRule: ApprovalRule
}

/** The challenge for one answer to one ask. */
export function askChallenge(
  { tenant, id: askId, question, approvalRule }: AskToSign,
  answer: AnswerDigests,
  by: string,
  nonce: string,
): Uint8Array {
  const questionDigest = digestOf('question v1', question)
  const actionDigest = actionDigestOf(question)
  const ruleDigest = ruleDigestOf(approvalRule)
  return presenceChallenge({ tenant, askId, questionDigest, actionDigest, answer, by, ruleDigest, nonce })
}

/** @param approvalRule of an ask, or as its audit entry has it */
export function ruleDigestOf(approvalRule: unknown): string {
  return digestOf('approval rule v1', approvalRule)
}

/** The digest of the exact action that a yes approves; empty for a question without one. */
export function actionDigestOf(question: Question): string {
  if (question.kind === 'approval') return question.digest
  return question.kind === 'form' ? (question.declared?.digest ?? '') : ''
}
