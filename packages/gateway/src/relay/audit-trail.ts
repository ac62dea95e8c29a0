// The record of questions that only pass through: digests always, written many at a time and soon after.
//
// Nothing hangs on these entries, so nothing waits for them. Asks that a held call, a gate or the inbox hangs on are
// recorded by the store, in the step that changes them.

import { type DigestDomain, digestOf, isAssentError, type JsonObject } from '@assent/core'
import type { Audit } from '@assent/store'
import { relayLimits } from '../limits.ts'
import type { Call, Given, Wanted } from './exchange.ts'

export class AuditTrail {
  readonly #audit: Audit
  readonly #nowMs: () => number
  readonly #onTrouble: (error: unknown) => void
  readonly #waiting = new Map<string, Note[]>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(audit: Audit, nowMs: () => number, onTrouble: (error: unknown) => void) {
    this.#audit = audit
    this.#nowMs = nowMs
    this.#onTrouble = onTrouble
  }

  asked(call: Call, server: string, wanted: Readonly<Record<string, Wanted>>): void {
    for (const [key, { kind, params }] of Object.entries(wanted)) {
      this.#note(call, { event: 'asked', server, key, kind, domain: 'question v1', content: params })
    }
  }

  answered(call: Call, server: string, given: Readonly<Record<string, Given>>): void {
    for (const [key, answer] of Object.entries(given)) {
      const kind = 'result' in answer ? String(answer.result.action ?? 'answered') : 'error'
      this.#note(call, { event: 'answered', server, key, kind, domain: 'answer v1', content: answer })
    }
  }

  /** The client answered before anyone can have read the question. */
  unseen(call: Call, server: string, key: string): void {
    this.#note(call, { event: 'unseen', server, key, kind: 'answer', domain: 'answer v1', content: {} })
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#flush()
    await this.#writing
  }

  #note({ tenant, principal, method }: Call, about: Omit<Note, 'atMs' | 'principal' | 'method'>): void {
    const note = { atMs: this.#nowMs(), principal, method, ...about }
    const notes = this.#waiting.get(tenant)
    if (notes === undefined) this.#waiting.set(tenant, [note])
    else notes.push(note)
    this.#timer ??= setTimeout(() => this.#flush(), relayLimits.auditEveryMs)
  }

  /** One entry holds what was noted in one go: the chain moves once, however many there are. */
  #flush(): void {
    this.#timer = undefined
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    this.#writing = this.#writing.then(async () => {
      for (const [tenant, notes] of waiting) {
        for (let at = 0; at < notes.length; at += relayLimits.auditBatch) {
          const body = { passed: notes.slice(at, at + relayLimits.auditBatch).map(recorded) }
          await this.#audit.append(tenant, [{ subject: 'relay', body }]).catch(this.#onTrouble)
        }
      }
    })
  }
}

interface Note {
  readonly atMs: number
  readonly event: 'asked' | 'answered' | 'unseen'
  readonly principal: string
  readonly method: string
  readonly server: string
  readonly key: string
  readonly kind: string
  /** What passed, until its digest is taken: not while its caller waits. */
  readonly domain: DigestDomain
  readonly content: unknown
}

function recorded({ domain, content, key, kind, ...note }: Note): JsonObject {
  // Names that a server or client made up may hold half characters, which the record cannot.
  const names = { key: key.toWellFormed(), kind: kind.toWellFormed() }
  return { ...note, ...names, digest: digestOrNone(domain, content) }
}

/** What has no canonical form passes all the same where nothing hangs on it; the record says so. */
function digestOrNone(domain: DigestDomain, value: unknown): string {
  try {
    return digestOf(domain, value)
  } catch (error) {
    if (isAssentError(error)) return 'none'
    throw error
  }
}
