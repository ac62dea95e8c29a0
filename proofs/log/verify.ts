// Exports the log and verifies it with the verifier in core and with the independent one in Python: the whole log, its continuation of
// older checkpoints, and proofs of single entries.

import { join } from 'node:path'
import {
  emptyEdge,
  exportLogFiles,
  formatLogProof,
  inclusionProof,
  leafHash,
  leafOf,
  type NoteKey,
  parseLogProof,
  rootOf,
  verifierKey,
  verifyLogProof,
} from '@assent/core'
import type { Store } from '@assent/store'
import { runPython, verdictOfCore, writeUnder } from '../../test/log/both-verifiers.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { tenant } from './writer.ts'

export interface Verified {
  /** Complete verifications by both, and proofs of single entries. */
  readonly logs: number
  readonly proofs: number
  readonly faults: readonly string[]
}

/** @param older checkpoints that the log has to continue */
export async function verifyExport(
  store: Store,
  folder: string,
  older: readonly string[],
  { proofs, random }: { readonly proofs: number; readonly random: SeededRandom },
): Promise<Verified> {
  const log = join(folder, 'log')
  const head = await store.audit.integrate(tenant)
  const written = await exportLogFiles({
    older: { size: 0, root: rootOf(emptyEdge) },
    head,
    tile: store.audit.tiles(tenant),
    leaves: (from) => leavesOf(store, from),
    write: async (path, bytes) => void writeUnder(log, path, bytes),
  })
  if (!written.ok) return { logs: 0, proofs: 0, faults: [`the log cannot be exported: ${written.problem}`] }
  writeUnder(log, 'checkpoint', head.checkpoint)
  const keys = await store.audit.keys(tenant)
  const keyFile = writeUnder(folder, 'keys', keys.map((key) => `${verifierKey(key)}\n`).join(''))
  const faults: string[] = []
  const expected = `verified: ${head.size} entries`

  const cases = [undefined, ...older]
  const batch = cases.map((note, at) => [
    ...['export', log, '--keys', keyFile],
    ...(note === undefined ? [] : ['--older', writeUnder(folder, `older-${at}`, note)]),
  ])
  for (const [at, python] of runPython(batch).entries()) {
    const core = await verdictOfCore(log, keyFile, cases[at])
    if (core !== expected || python !== expected) faults.push(`the export: ${core} | ${python}`)
  }
  const places = Array.from({ length: proofs }, () => random.int(head.size))
  for (const found of await proofFaults(store, folder, keyFile, keys, places, head)) faults.push(found)
  return { logs: cases.length, proofs: places.length, faults }
}

async function proofFaults(
  store: Store,
  folder: string,
  keyFile: string,
  keys: readonly NoteKey[],
  places: readonly number[],
  { size, checkpoint }: { readonly size: number; readonly checkpoint: string },
): Promise<string[]> {
  const faults: string[] = []
  const batch: string[][] = []
  for (const [at, index] of places.entries()) {
    const { value: leaf } = await leavesOf(store, index).next()
    const found = await inclusionProof(index, size, store.audit.tiles(tenant))
    if (leaf === undefined || !found.ok) return [`entry ${index + 1} of the log cannot be proven`]
    const text = formatLogProof({ index, hashes: found.hashes, checkpoint })
    const proof = parseLogProof(text)
    if (proof === undefined || !verifyLogProof(leafHash(leaf), proof, keys).ok)
      faults.push(`the proof of entry ${index + 1} is refused by core`)
    const files = [writeUnder(folder, `proofs/${at}.tlog-proof`, text), writeUnder(folder, `proofs/${at}.leaf`, leaf)]
    batch.push(['proof', files[0] ?? '', '--keys', keyFile, '--leaf', files[1] ?? ''])
  }
  const lines = batch.length === 0 ? [] : runPython(batch)
  for (const [at, line] of lines.entries())
    if (!line.startsWith('verified: ')) faults.push(`the proof of entry ${(places[at] ?? 0) + 1}: ${line}`)
  return faults
}

async function* leavesOf(store: Store, from: number): AsyncGenerator<Uint8Array | undefined> {
  for await (const entry of store.audit.entries(tenant, from)) yield leafOf(entry)
}
