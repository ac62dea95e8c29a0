// Signed notes (c2sp.org/signed-note): a text, an empty line, and one line per signature.
//
// Parsing is strict, and a note that parses is written again with the same bytes. A text is used only after `openNote`.

import { Buffer } from 'node:buffer'
import { logLimits } from '../limits.ts'
import { fromBase64, strictText, toBase64 } from './encoding.ts'
import { isKeyName, isSignedBy, type NoteKey, type NoteSignature } from './note-key.ts'

export interface SignedNote {
  /** With its final line feed. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export type OpenedNote =
  | { readonly ok: true; readonly text: string; readonly signedBy: readonly NoteKey[] }
  | { readonly ok: false; readonly problem: string }

const keyIdBytes = 4
// Control characters other than the line feed.
const forbidden = /[^\n\x20-\u{10ffff}]/u

/** Undefined if it is not a note. */
export function parseNote(note: string | Uint8Array): SignedNote | undefined {
  if (note.length > logLimits.noteBytes) return undefined
  const whole = strictText(note)
  if (whole === undefined || forbidden.test(whole) || !whole.endsWith('\n')) return undefined
  const split = whole.lastIndexOf('\n\n')
  if (split < 0) return undefined
  const lines = whole.slice(split + 2, -1).split('\n')
  if (lines.length > logLimits.noteSignatures) return undefined
  const signatures = lines.map(parseSignature)
  if (!signatures.every((one) => one !== undefined)) return undefined
  return { text: whole.slice(0, split + 1), signatures }
}

/** A text that can be signed: it ends with a line feed and has no other control characters. */
export function isNoteText(text: string): boolean {
  return text.endsWith('\n') && !forbidden.test(text) && text.isWellFormed()
}

export function formatNote({ text, signatures }: SignedNote): string {
  if (!isNoteText(text) || signatures.length === 0 || signatures.length > logLimits.noteSignatures) {
    throw new RangeError(`A note has a text and between 1 and ${logLimits.noteSignatures} signatures.`)
  }
  return `${text}\n${signatures.map(signatureLine).join('')}`
}

function signatureLine({ name, keyId, bytes }: NoteSignature): string {
  return `— ${name} ${toBase64(Buffer.concat([Buffer.from(keyId, 'hex'), bytes]))}\n`
}

/** Of a line without its line feed; undefined if it is malformed. */
function parseSignature(line: string): NoteSignature | undefined {
  const [dash, name = '', encoded = '', ...more] = line.split(' ')
  if (dash !== '—' || more.length > 0 || !isKeyName(name)) return undefined
  const bytes = fromBase64(encoded)
  if (bytes === undefined || bytes.length <= keyIdBytes) return undefined
  const keyId = Buffer.from(bytes.subarray(0, keyIdBytes)).toString('hex')
  return { name, keyId, bytes: bytes.subarray(keyIdBytes) }
}

/**
 * Verifies a note with the keys that the caller trusts. Signatures of other keys are ignored; one by a trusted key that
 * does not verify makes the whole note invalid. A key that signed twice is listed once.
 */
export function openNote(note: string | Uint8Array, keys: readonly NoteKey[]): OpenedNote {
  const parsed = parseNote(note)
  if (parsed === undefined) return { ok: false, problem: 'It is not a signed note.' }
  const signedBy: NoteKey[] = []
  for (const signature of parsed.signatures) {
    const known = keys.filter(({ name, id }) => name === signature.name && id === signature.keyId)
    if (known.length === 0) continue
    const verified = known.find((key) => isSignedBy(key, parsed.text, signature))
    if (verified === undefined) return { ok: false, problem: `The signature of ${signature.name} is not valid.` }
    if (!signedBy.includes(verified)) signedBy.push(verified)
  }
  if (signedBy.length === 0) return { ok: false, problem: 'It has no signature of a trusted key.' }
  return { ok: true, text: parsed.text, signedBy }
}
