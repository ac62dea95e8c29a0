// Checkpoints of a log (c2sp.org/tlog-checkpoint): a signed note with the origin, the size and the root of the tree.
//
// Our logs write no extension lines: monitors cannot check them. Those of other logs are ignored.

import { fromBase64, parseDecimal, toBase64 } from './encoding.ts'
import { emptyRoot, hashBytes, isSameHash, type TreeState } from './merkle.ts'
import { formatNote, isNoteText, openNote } from './note.ts'
import { type NoteKey, type NoteSigner, signText } from './note-key.ts'

export interface TreeHead extends TreeState {
  /** The identity of the log: a host and a path, without scheme. The name of the log's key is the same. */
  readonly origin: string
}

export type OpenedCheckpoint =
  | { readonly ok: true; readonly head: TreeHead }
  | { readonly ok: false; readonly problem: string }

export function treeHeadText({ origin, size, root }: TreeHead): string {
  const text = [origin, size, toBase64(root)].map((line) => `${line}\n`).join('')
  if (!isNoteText(text) || parseTreeHead(text) === undefined) throw new RangeError('It is not a valid tree head.')
  return text
}

/** Of the text of a note; undefined if it is not one of a checkpoint. */
export function parseTreeHead(text: string): TreeHead | undefined {
  const [origin = '', sizeText = '', rootText = '', ...extensions] = text.split('\n')
  // The text ends with a line feed: the last part is empty, and no other is.
  if (extensions.pop() !== '' || origin === '' || extensions.includes('')) return undefined
  const size = parseDecimal(sizeText)
  const root = fromBase64(rootText)
  if (size === undefined || root?.length !== hashBytes) return undefined
  if (size === 0 && !isSameHash(root, emptyRoot)) return undefined
  return { origin, size, root }
}

/** The note of a log, with a signature of each of its keys. The caller ensures that they sign no size with two roots. */
export function signTreeHead(head: TreeHead, ...signers: readonly NoteSigner[]): string {
  const text = treeHeadText(head)
  return formatNote({ text, signatures: signers.map((signer) => signText(text, signer)) })
}

/** Verifies a checkpoint: signed by one of these logs under its own origin. */
export function openCheckpoint(note: string | Uint8Array, logs: readonly NoteKey[]): OpenedCheckpoint {
  const opened = openNote(note, logs)
  if (!opened.ok) return opened
  const head = parseTreeHead(opened.text)
  if (head === undefined) return { ok: false, problem: 'The note is not a checkpoint.' }
  if (!opened.signedBy.some(({ name }) => name === head.origin)) {
    return { ok: false, problem: `The checkpoint has no signature of the log ${head.origin}.` }
  }
  return { ok: true, head }
}
