// Compares the bodies of entries, which `audit export` prints, with the leaves of an exported log that was verified before.
//
// A body that was erased is counted, not compared: its leaf stays in the log. From the bodies that are there it also checks what they say
// about asks and grants: an ask ends once, and an approval is used at most once, for its action and its principal.

import { hash } from 'node:crypto'
import { isPlainObject } from '../json.ts'
import { CountsByHash } from '../log/counts-by-hash.ts'
import { fromHex } from '../log/encoding.ts'
import { type AuditLeaf, assertionDigest, isBodyOf, parseLeaf } from '../log/leaf.ts'
import { assertionIn, entryBody } from './entry.ts'

const ends = ['ask.settled', 'ask.expired', 'ask.withdrawn']

interface OpenAsk {
  /** What an approval of it allows; undefined for another question, or if the body was erased. */
  readonly action?: string
}

export class ExportedBodies {
  #entries = 0
  #erased = 0
  /** By id. */
  readonly #open = new Map<string, OpenAsk>()
  /** By the hash of the id. */
  readonly #ended = new CountsByHash()
  /** One more than there are unused approvals, by the hash of action and principal. */
  readonly #approvals = new CountsByHash()
  /** An approval may be unknown because a body of its ask was erased. */
  #isPartial = false

  get entries(): number {
    return this.#entries
  }

  get erased(): number {
    return this.#erased
  }

  /** The next line of the export, and the leaf with its number. Returns what is wrong; undefined if they match. */
  add(line: unknown, leafBytes: Uint8Array): string | undefined {
    const expected = this.#entries + 1
    if (!isPlainObject(line) || line.seq !== expected) return `Entry ${expected} is missing in the export of entries.`
    const leaf = parseLeaf(leafBytes)
    if (leaf === undefined) return `Entry ${expected} of the log is not an audit entry.`
    this.#entries = expected
    const { at, kind, subject, counter, salt = null, text = null } = line
    const isAbout = subject === leaf.subject && kind === leaf.kind && counter === leaf.counter
    if (!isAbout || typeof at !== 'string' || Date.parse(at) !== leaf.atMs)
      return `Entry ${expected} is not the one in the log.`
    if (text === null && salt === null) {
      this.#erased += 1
    } else if (typeof text !== 'string' || typeof salt !== 'string' || !isTextOf(leaf, salt, text)) {
      return `The text of entry ${expected} is not the one in the log.`
    }
    const problem = this.#follow(leaf, text === null ? undefined : entryBody({ body: String(text) }))
    return problem === undefined ? undefined : `Entry ${expected}: ${problem}.`
  }

  #follow({ subject, kind }: AuditLeaf, body: Readonly<Record<string, unknown>> | undefined): string | undefined {
    if (body === undefined && (kind === 'ask.raised' || kind === 'ask.settled')) this.#isPartial = true
    if (kind === 'ask.raised') {
      const isApproval = typeof body?.actionDigest === 'string'
      this.#open.set(subject, isApproval ? { action: `${body.actionDigest} ${body.principal}` } : {})
    }
    if (ends.includes(kind) || kind === 'ask.voted') {
      const ask = this.#open.get(subject)
      if (ask === undefined) {
        const hasEnded = this.#ended.get(hashOf(subject)) > 0
        return hasEnded ? `the ask ${subject} had ended` : `the ask ${subject} was not raised`
      }
      if (kind === 'ask.voted') return undefined
      this.#open.delete(subject)
      this.#ended.set(hashOf(subject), 1)
      const isAccepted = kind === 'ask.settled' && isPlainObject(body?.answer) && body.answer.action === 'accept'
      if (isAccepted && ask.action !== undefined) this.#setUnused(ask.action, this.#unused(ask.action) + 1)
    }
    if (kind !== 'grant.used' || body === undefined) return undefined
    const action = `${body.digest} ${body.principal}`
    const unused = this.#unused(action)
    if (unused === 0)
      return this.#isPartial ? undefined : `the grant ${subject} was used without an approval of its action`
    this.#setUnused(action, unused - 1)
    return undefined
  }

  #unused(action: string): number {
    return Math.max(0, this.#approvals.get(hashOf(action)) - 1)
  }

  #setUnused(action: string, count: number): void {
    this.#approvals.set(hashOf(action), count + 1)
  }
}

function hashOf(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}

function isTextOf(leaf: AuditLeaf, saltText: string, text: string): boolean {
  const salt = fromHex(saltText)
  if (salt === undefined || !isBodyOf(leaf, salt, text)) return false
  const assertion = assertionIn(entryBody({ body: text }))
  return (assertion === undefined ? undefined : assertionDigest(assertion)) === leaf.assertionDigest
}
