// The stored form of answers. One that looks like a secret is sealed with the key ring until it is delivered; after that only its
// digests remain, so that its signature and the audit log can still be verified.
//
// Three forms: the answer itself; `{ action, sealed }`; and the remaining parts with the digests of the deleted ones
// (`{ action, content?, comment?, deleted: { contentDigest?, commentDigest? } }`).

import {
  type Answer,
  type AnswerDigests,
  AssentError,
  answerDigests,
  answerWarnings,
  askLimits,
  digestOf,
  isDigest,
  isPlainObject,
  type JsonValue,
  type KeyRing,
  type Question,
  readJson,
  type StoredVote,
  seal,
  sealLimits,
  unseal,
} from '@assent/core'
import { randomBytes } from '../random.ts'

export interface AskIdentity {
  readonly tenant: string
  readonly id: string
  readonly principal: string
}

/** A stored answer: complete, or its remaining parts. */
export type ReadAnswer = Pick<StoredVote, 'answer' | 'isSecret' | 'deleted'>

export function isSecretAnswer(question: Question, answer: Answer): boolean {
  return answerWarnings(question, answer).length > 0
}

export class StoredAnswers {
  readonly #keys: KeyRing
  readonly #nowMs: () => number

  constructor(keys: KeyRing, nowMs: () => number) {
    this.#keys = keys
    this.#nowMs = nowMs
  }

  sealed(ask: AskIdentity, answer: Answer): string {
    const binding = { ...bindingOf(ask), ttlMs: sealLimits.ttlMaxMs }
    const times = { nowMs: this.#nowMs(), random: randomBytes }
    return JSON.stringify({ action: answer.action, sealed: seal(this.#keys, binding, answer as JsonValue, times) })
  }

  read(ask: AskIdentity, text: string): ReadAnswer {
    const stored = parsed(text)
    if (typeof stored.sealed === 'string') return { answer: this.#opened(ask, stored.sealed), isSecret: true }
    const { deleted, ...answer } = stored
    if (!isPlainObject(deleted)) return { answer: stored as Answer }
    const left = answer as Answer
    return { answer: left, isSecret: true, deleted: { ...answerDigests(left), ...digestsIn(deleted) } }
  }

  #opened(ask: AskIdentity, sealed: string): Answer {
    const opened = unseal(this.#keys, sealed, { ...bindingOf(ask), nowMs: this.#nowMs() })
    if (!opened.ok) throw new AssentError('store_unavailable', 'A sealed answer cannot be opened.')
    return opened.payload as Answer
  }
}

/** The remaining parts of an answer: without the content, the comment or both, whichever look like a secret. */
export function deletedAnswer(question: Question, answer: Answer): string {
  const found = answerWarnings(question, answer)
  const { content, comment, ...left } = { content: undefined, ...answer }
  const { contentDigest, commentDigest } = answerDigests(answer)
  const hasContent = content !== undefined && !found.some((one) => one.in !== 'comment')
  const hasComment = comment !== undefined && !found.some((one) => one.in === 'comment')
  return JSON.stringify({
    ...left,
    ...(hasContent ? { content } : {}),
    ...(hasComment ? { comment } : {}),
    deleted: { ...(hasContent ? {} : { contentDigest }), ...(hasComment ? {} : { commentDigest }) },
  })
}

function bindingOf({ tenant, id, principal }: AskIdentity) {
  return { principal, purpose: 'answer', requestDigest: digestOf('stored answer v1', { tenant, id }) }
}

function digestsIn({ contentDigest, commentDigest }: Readonly<Record<string, unknown>>): Partial<AnswerDigests> {
  return {
    ...(isDigest(contentDigest) ? { contentDigest } : {}),
    ...(isDigest(commentDigest) ? { commentDigest } : {}),
  }
}

// Not JSON.parse, which can be made to misread names; see core's digest/parse.ts.
function parsed(text: string): Readonly<Record<string, unknown>> {
  const rules = { depth: 2 * askLimits.actionDepth, halfPairs: 'keep', numbers: 'exact' } as const
  return readJson(text, rules) as Readonly<Record<string, unknown>>
}
