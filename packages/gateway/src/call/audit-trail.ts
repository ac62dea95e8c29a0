// Writes audit entries for questions that only pass through the gateway, with digests in place of their content.
//
// The entries are written in batches after a short delay, and no call waits for them. The store records the asks of
// held calls, gates and the inbox itself, in the transaction that changes them. A question that only the inbox asks has
// no entry here.

import { type AnswerName, type DigestDomain, digestOf, isAssentError, type JsonObject } from '@assent/core'
import type { Audit } from '@assent/store'
import { relayLimits } from '../limits.ts'
import { own } from '../protocol/own.ts'
import { type Call, type InputRequest, type InputResponse, type QuestionRefusal, toolOf } from './model.ts'
import type { Decided } from './policy/policy-gate.ts'

export class AuditTrail {
  readonly #audit: Audit
  readonly #nowMs: () => number
  readonly #onError: (error: unknown) => void
  readonly #waiting = new Map<string, Note[]>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(audit: Audit, nowMs: () => number, onError: (error: unknown) => void) {
    this.#audit = audit
    this.#nowMs = nowMs
    this.#onError = onError
  }

  asked(call: Call, server: string, wanted: Readonly<Record<string, InputRequest>>): void {
    for (const [key, one] of Object.entries(wanted)) {
      if (call.client.isRecorded?.(one, server) === true) continue
      const { kind, params } = one
      this.#note(call, { event: 'asked', server, key, kind, domain: 'question v1', content: params })
    }
  }

  /**
   * @param names what a person answered, by the key of the question
   * @param given the answers as they came, of which the store may have recorded some
   */
  answered(
    call: Call,
    server: string,
    screened: Readonly<Record<string, InputResponse>>,
    names: Readonly<Record<string, AnswerName | undefined>> = {},
    given: Readonly<Record<string, InputResponse>> = {},
  ): void {
    for (const [key, answer] of Object.entries(screened)) {
      if (own(given, key)?.isRecorded === true) continue
      const kind = 'result' in answer ? String(answer.result.action ?? 'answered') : 'error'
      // hasOwn, because a server may call its question "constructor".
      const name = own(names, key)
      const answered = name === undefined ? {} : { answered: name }
      this.#note(call, { event: 'answered', server, key, kind, ...answered, domain: 'answer v1', content: answer })
    }
  }

  /**
   * The client answered before a person can have read the question; `unattended` if that answer was passed on anyway.
   */
  unseen(call: Call, server: string, key: string, event: 'unseen' | 'unattended'): void {
    this.#note(call, { event, server, key, kind: 'answer', domain: 'answer v1', content: {} })
  }

  /** The server had stopped waiting for these answers. */
  undelivered(call: Call, server: string, keys: readonly string[]): void {
    for (const key of keys) {
      this.#note(call, { event: 'undelivered', server, key, kind: 'answer', domain: 'answer v1', content: {} })
    }
  }

  /** A question was refused before a person saw it. */
  refused(call: NotedCall, server: string, why: QuestionRefusal): void {
    this.#note(call, { event: 'refused', server, why })
  }

  /** What policies decided about a call; with `dry-run`, what they would have decided. */
  policyDecided(call: NotedCall, server: string, { mode, effect, policies }: Decided): void {
    this.#note(call, { event: 'policy', server, mode, effect, policies })
  }

  /** Writes the remaining entries. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#flush()
    await this.#writing
  }

  #note(call: NotedCall, about: Passed | Refused | PolicyNote): void {
    const { tenant, principal, method } = call
    const tool = toolOf(call)
    const note = { atMs: this.#nowMs(), principal, method, ...(tool === undefined ? {} : { tool }), ...about }
    const notes = this.#waiting.get(tenant)
    if (notes === undefined) this.#waiting.set(tenant, [note])
    else notes.push(note)
    this.#timer ??= setTimeout(() => this.#flush(), relayLimits.auditEveryMs)
  }

  /** Writes all pending notes as one entry, so that the log has one entry per batch. */
  #flush(): void {
    this.#timer = undefined
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    this.#writing = this.#writing.then(async () => {
      for (const [tenant, notes] of waiting) {
        for (let at = 0; at < notes.length; at += relayLimits.auditBatch) {
          const body = { passed: notes.slice(at, at + relayLimits.auditBatch).map(recorded) }
          await this.#audit.append(tenant, [{ subject: 'relay', body }]).catch(this.#onError)
        }
      }
    })
  }
}

type NotedCall = Pick<Call, 'tenant' | 'principal' | 'method' | 'params'>

type Note = (Passed | Refused | PolicyNote) & {
  readonly atMs: number
  readonly principal: string
  readonly method: string
  readonly tool?: string
}

interface Refused {
  readonly event: 'refused'
  readonly server: string
  readonly why: QuestionRefusal
}

interface PolicyNote extends Decided {
  readonly event: 'policy'
  readonly server: string
}

interface Passed {
  readonly event: 'asked' | 'answered' | 'undelivered' | 'unseen' | 'unattended'
  readonly server: string
  readonly key: string
  readonly kind: string
  readonly answered?: AnswerName
  /** Kept until the digest is computed, which happens after the caller has its reply. */
  readonly domain: DigestDomain
  readonly content: unknown
}

function recorded(noted: Note): JsonObject {
  if (noted.event === 'refused') return { ...noted }
  if (noted.event === 'policy') return { ...noted, policies: [...noted.policies] }
  const { domain, content, key, kind, ...note } = noted
  // Names from a server or client may contain lone surrogates, which the audit log cannot store.
  const names = { key: key.toWellFormed(), kind: kind.toWellFormed() }
  return { ...note, ...names, digest: digestOrNone(domain, content) }
}

/** Content without a canonical form is passed on anyway, and the entry records that there is no digest. */
function digestOrNone(domain: DigestDomain, value: unknown): string {
  try {
    return digestOf(domain, value)
  } catch (error) {
    if (isAssentError(error)) return 'none'
    throw error
  }
}
