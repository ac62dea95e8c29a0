// Proofs that can be verified offline (c2sp.org/tlog-proof): a leaf's index, its inclusion proof, and a checkpoint.

import { logLimits } from '../limits.ts'
import { fromBase64, parseDecimal, strictText, toBase64 } from './encoding.ts'
import { hashBytes, verifyInclusion } from './merkle.ts'
import type { NoteKey } from './note-key.ts'
import { type OpenedCheckpoint, openCheckpoint } from './tree-head.ts'

export interface LogProof {
  readonly index: number
  readonly hashes: readonly Uint8Array[]
  /** With all its signatures, verbatim. */
  readonly checkpoint: string
  /** Not authenticated. */
  readonly extra?: Uint8Array
}

const firstLine = 'c2sp.org/tlog-proof@v1'
const proofBytes = logLimits.noteBytes + 2 * logLimits.proofExtraBytes + 8_192

export function formatLogProof({ index, hashes, checkpoint, extra }: LogProof): string {
  const lines = [firstLine, ...(extra === undefined ? [] : [`extra ${toBase64(extra)}`]), `index ${index}`]
  return [...lines, ...hashes.map(toBase64), '', checkpoint].join('\n')
}

/** Undefined if it is not a proof. The checkpoint is not verified yet. */
export function parseLogProof(source: string | Uint8Array): LogProof | undefined {
  const text = source.length > proofBytes ? undefined : strictText(source)
  const end = text?.indexOf('\n\n') ?? -1
  if (text === undefined || end < 0) return undefined
  const [first, ...lines] = text.slice(0, end).split('\n')
  if (first !== firstLine) return undefined
  const [, extraText] = /^extra (.*)$/s.exec(lines[0] ?? '') ?? []
  const extra = extraText === undefined ? null : fromBase64(extraText)
  const [indexLine = '', ...encoded] = extraText === undefined ? lines : lines.slice(1)
  const index = indexLine.startsWith('index ') ? parseDecimal(indexLine.slice('index '.length)) : undefined
  const hashes = encoded.map(fromBase64)
  if (index === undefined || extra === undefined || (extra?.length ?? 0) > logLimits.proofExtraBytes) return undefined
  if (hashes.length > logLimits.proofHashes || !hashes.every((one) => one?.length === hashBytes)) return undefined
  const proof = { index, hashes: hashes as Uint8Array[], checkpoint: text.slice(end + 2) }
  return extra === null ? proof : { ...proof, extra }
}

/** Verifies signature and inclusion: a proof without a valid checkpoint proves nothing. */
export function verifyLogProof(leaf: Uint8Array, proof: LogProof, logs: readonly NoteKey[]): OpenedCheckpoint {
  const opened = openCheckpoint(proof.checkpoint, logs)
  if (!opened.ok) return opened
  const { size, root } = opened.head
  if (verifyInclusion(leaf, proof.index, size, root, proof.hashes)) return opened
  return { ok: false, problem: `The proof does not show that entry ${proof.index} is in the log.` }
}
