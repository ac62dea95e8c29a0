// A log as a sequencer would write it: entries of asks and notes, tiles, bundles and a signed checkpoint.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { appendLeaves, emptyEdge, rootOf } from '../../packages/core/src/log/append.ts'
import { encodeBundle } from '../../packages/core/src/log/bundle.ts'
import { encodeLeaf, saltedDigest } from '../../packages/core/src/log/leaf.ts'
import { leafHash } from '../../packages/core/src/log/merkle.ts'
import { formatNote } from '../../packages/core/src/log/note.ts'
import { type NoteSigner, noteKey, signText, verifierKey } from '../../packages/core/src/log/note-key.ts'
import { tilePath } from '../../packages/core/src/log/tile.ts'
import { treeHeadText } from '../../packages/core/src/log/tree-head.ts'

export type Files = Map<string, Uint8Array>

export const origin = 'assent.example/acme'
export const logSigner = signerFrom(7, origin)
export const otherLog = signerFrom(6, 'assent.example/other')
/** Both are trusted. */
export const keys = [logSigner, otherLog].map(({ key }) => `${verifierKey(key)}\n`).join('')

export function signerFrom(seedByte: number, name: string): NoteSigner {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seedByte)])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { key: noteKey(name, publicKey), privateKey }
}

/** Three entries per ask, of three asks at a time, and a note after every twenty. */
export function someEntries(count: number): Uint8Array[] {
  const entries: Uint8Array[] = []
  for (let group = 0; entries.length < count; group++) {
    for (const [at, kind] of (['ask.raised', 'ask.voted', 'ask.settled'] as const).entries()) {
      for (const ask of [0, 1, 2]) entries.push(entryOf(`ask_${group * 3 + ask}`, at + 1, kind))
    }
    entries.push(entryOf('relay', 0, 'note', String(group)), entryOf('relay', 0, 'note', `second ${group}`))
  }
  return entries.slice(0, count)
}

export function entryOf(
  subject: string,
  counter: number,
  kind: 'ask.raised' | 'ask.voted' | 'ask.settled' | 'note',
  body = '{}',
): Uint8Array {
  const bodyDigest = saltedDigest(Buffer.alloc(16, counter), `${subject} ${body}`)
  const leaf = { subject, counter, kind, atMs: 1_794_700_000_000 + counter, bodyDigest }
  return encodeLeaf(kind === 'ask.settled' ? { ...leaf, assertionDigest: bodyDigest } : leaf)
}

export function rootAbove(entries: readonly Uint8Array[]): Uint8Array {
  return rootOf(appendLeaves(emptyEdge, entries.map(leafHash)).edge)
}

/** Tiles and bundles of the log, without a checkpoint. */
export function tilesAbove(entries: readonly Uint8Array[]): Files {
  const files: Files = new Map()
  for (const tile of appendLeaves(emptyEdge, entries.map(leafHash)).tiles) files.set(tilePath(tile), tile.hashes)
  for (let index = 0; index * 256 < entries.length; index++) {
    const part = entries.slice(index * 256, index * 256 + 256)
    files.set(tilePath({ level: 'entries', index, width: part.length }), encodeBundle(part))
  }
  return files
}

export interface CheckpointOptions {
  readonly signer?: NoteSigner
  readonly origin?: string
  readonly size?: number
  readonly root?: Uint8Array
}

/** Signed by the log, unless stated otherwise. */
export function checkpointOf(entries: readonly Uint8Array[], options: CheckpointOptions = {}): string {
  const { size = entries.length, root = rootAbove(entries) } = options
  return signedText(treeHeadText({ origin: options.origin ?? origin, size, root }), options)
}

/** Any text, signed as a checkpoint is. */
export function signedText(text: string, { signer = logSigner }: Pick<CheckpointOptions, 'signer'> = {}): string {
  return formatNote({ text, signatures: [signText(text, signer)] })
}

export function exportOf(entries: readonly Uint8Array[], options: CheckpointOptions = {}): Files {
  return tilesAbove(entries).set('checkpoint', Buffer.from(checkpointOf(entries, options)))
}
