// Verifies the entries of a log one by one, in order, from the first: contents, leaves and the tree above them.
//
// It keeps the right edge of the tree in memory, however long the log is. With the tree heads of checkpoints whose
// signatures were verified, it finds a log that was cut off or rewritten, and names the entry if its tiles are given.

import { Buffer } from 'node:buffer'
import { appendLeaves, emptyEdge, type HashTile, type RightEdge, rootOf } from '../log/append.ts'
import { hashBytes, isSameHash, type TreeState } from '../log/merkle.ts'
import { tileWidth } from '../log/tile.ts'
import { type AuditEntry, entryProblem, isErased } from './entry.ts'
import { Erasures } from './erasure.ts'

export type EntriesVerdict =
  /** `lastHash` is the root of the tree: hexadecimal. */
  | {
      readonly ok: true
      readonly lastSeq: number
      readonly lastHash: string
      /** How many entries have no text any more, as the log records. */
      readonly erased: number
    }
  | { readonly ok: false; readonly seq: number; readonly problem: string }

export class LogVerifier {
  readonly #tenant: string
  readonly #heads: readonly TreeState[]
  readonly #erasures: Erasures
  #erased = 0
  #edge: RightEdge = emptyEdge
  #waiting: Uint8Array[] = []
  #tiles: HashTile[] = []
  #problem: { readonly seq: number; readonly problem: string } | undefined

  /** @param erasures that the log is said to contain: reading it has to confirm them */
  constructor(tenant: string, heads: readonly TreeState[] = [], erasures: Erasures = new Erasures()) {
    this.#tenant = tenant
    this.#heads = heads
    this.#erasures = erasures
  }

  get size(): number {
    return this.#edge.size + this.#waiting.length
  }

  /** False from the first invalid entry on; later entries are not read. */
  add(entry: AuditEntry): boolean {
    if (this.#problem !== undefined) return false
    const seq = this.size + 1
    const problem = this.#problemOf(entry, seq)
    if (problem !== undefined) return this.#fail(seq, problem)
    if (isErased(entry)) this.#erased += 1
    this.#erasures.confirm(entry)
    this.#waiting.push(Buffer.from(entry.hash, 'hex'))
    const isChecked = this.#heads.some(({ size }) => size === seq)
    return isChecked || this.#waiting.length === tileWidth ? this.#append(seq, isChecked) : true
  }

  /** The tiles that were completed since the last call, and the partial ones of the current size. */
  takeTiles(): readonly HashTile[] {
    this.#flush()
    const tiles = this.#tiles
    this.#tiles = []
    return tiles
  }

  /** Compares a stored tile, which may have grown since, with one that was taken. */
  compareTile({ level, index, hashes }: HashTile, stored: Uint8Array): boolean {
    if (isSameHash(hashes, stored.subarray(0, hashes.length))) return true
    const at = level === 0 ? firstDifference(hashes, stored) : 0
    const seq = (index * tileWidth + at) * tileWidth ** level + 1
    return this.#fail(seq, `Entry ${seq} is not the one that was added to the log, or a tile was changed.`)
  }

  verdict(): EntriesVerdict {
    this.#flush()
    if (this.#problem !== undefined) return { ok: false, ...this.#problem }
    const lastSeq = this.#edge.size
    const proven = Math.max(0, ...this.#heads.map(({ size }) => size))
    if (proven > lastSeq) {
      const problem = `The log ends at entry ${lastSeq}, but a checkpoint shows that it had reached entry ${proven}.`
      return { ok: false, seq: lastSeq + 1, problem }
    }
    const { unconfirmed } = this.#erasures
    if (unconfirmed !== undefined) {
      return {
        ok: false,
        seq: unconfirmed,
        problem: `Entry ${unconfirmed} is not the one that was read as an erasure.`,
      }
    }
    return { ok: true, erased: this.#erased, lastSeq, lastHash: Buffer.from(rootOf(this.#edge)).toString('hex') }
  }

  #append(seq: number, isChecked: boolean): boolean {
    this.#flush()
    if (!isChecked) return true
    const root = rootOf(this.#edge)
    const isSigned = this.#heads.every((head) => head.size !== seq || isSameHash(head.root, root))
    return (
      isSigned ||
      this.#fail(seq, `The first ${seq} entries are not those that were signed: the log was rewritten up to here.`)
    )
  }

  #flush(): void {
    const { edge, tiles } = appendLeaves(this.#edge, this.#waiting)
    this.#edge = edge
    this.#tiles.push(...tiles)
    this.#waiting = []
  }

  #fail(seq: number, problem: string): false {
    this.#problem = { seq, problem }
    return false
  }

  #problemOf(entry: AuditEntry, expected: number): string | undefined {
    if (entry.tenant !== this.#tenant) return `Entry ${expected} belongs to another tenant.`
    if (entry.seq !== expected) return `Entry ${expected} is missing: the next one found is ${entry.seq}.`
    // The store returns an entry that was deleted without its contents.
    if (entry.digest === '') return `Entry ${expected} is missing.`
    const problem = entryProblem(entry)
    if (problem !== undefined || !isErased(entry) || this.#erasures.allow(entry)) return problem
    return `The text of entry ${expected} was erased, and no entry of the log allows that.`
  }
}

/** The number of the first hash that differs. */
function firstDifference(one: Uint8Array, other: Uint8Array): number {
  return Math.floor(one.findIndex((byte, at) => byte !== other[at]) / hashBytes)
}
