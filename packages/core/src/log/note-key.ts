// Keys of signed notes (c2sp.org/signed-note), their identifiers and their text form, and single signatures.
//
// All keys are Ed25519 keys (type 0x01). Keys of other types are refused.

import { Buffer } from 'node:buffer'
import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import { AssentError } from '../errors.ts'
import { logLimits } from '../limits.ts'
import { fromBase64, toBase64, toUtf8 } from './encoding.ts'

export interface NoteKey {
  readonly name: string
  /** Eight hexadecimal digits. It identifies the key and proves nothing. */
  readonly id: string
  /** The 32 bytes of RFC 8032. */
  readonly publicKey: Uint8Array
}

export interface NoteSigner {
  readonly key: NoteKey
  /** The private key that belongs to `key.publicKey`. */
  readonly privateKey: KeyObject
}

/** One line below a note. */
export interface NoteSignature {
  readonly name: string
  readonly keyId: string
  /** The bytes after the key id. */
  readonly bytes: Uint8Array
}

const typeByte = 1
const publicKeyBytes = 32
const signatureBytes = 64
const idBytes = 4

const notInNames = /\p{White_Space}|\p{Cc}|\p{Cs}|\+/u

export function isKeyName(name: string): boolean {
  return name.length > 0 && name.length <= logLimits.keyNameChars && !notInNames.test(name)
}

export function noteKey(name: string, publicKey: Uint8Array): NoteKey {
  if (!isKeyName(name)) throw misconfigured('The name of a note key is not empty and has no space and no plus sign.')
  if (publicKey.length !== publicKeyBytes) {
    throw misconfigured(`The public key of a note key has ${publicKeyBytes} bytes.`)
  }
  return { name, id: keyIdOf(name, publicKey), publicKey }
}

/** `name+id+base64`, as `assent audit key` prints it. */
export function verifierKey({ name, id, publicKey }: NoteKey): string {
  return `${name}+${id}+${toBase64(Buffer.concat([Uint8Array.of(typeByte), publicKey]))}`
}

/** Undefined for a malformed key, another id than the key's, and a type that Assent does not support. */
export function parseVerifierKey(text: string): NoteKey | undefined {
  const [, name, id, encoded] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(text) ?? []
  if (name === undefined || id === undefined || encoded === undefined || !isKeyName(name)) return undefined
  const bytes = fromBase64(encoded)
  if (bytes?.length !== 1 + publicKeyBytes || bytes[0] !== typeByte) return undefined
  const key = noteKey(name, bytes.subarray(1))
  return key.id === id ? key : undefined
}

/** Signs the text of a note. */
export function signText(text: string, { key, privateKey }: NoteSigner): NoteSignature {
  const signature = { name: key.name, keyId: key.id, bytes: sign(null, toUtf8(text), privateKey) }
  // A key pair whose halves do not belong together would publish a note that no verifier accepts.
  if (!isSignedBy(key, text, signature)) {
    throw misconfigured(`The private key of ${key.name} does not belong to its public key.`)
  }
  return signature
}

// SubjectPublicKeyInfo of an Ed25519 key (RFC 8410), without the key.
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** Whether this key signed exactly this text. */
export function isSignedBy({ publicKey }: NoteKey, text: string, { bytes }: NoteSignature): boolean {
  if (bytes.length !== signatureBytes) return false
  const key = createPublicKey({ key: Buffer.concat([spkiPrefix, publicKey]), format: 'der', type: 'spki' })
  return verify(null, toUtf8(text), key, bytes)
}

function keyIdOf(name: string, publicKey: Uint8Array): string {
  const id = hash('sha256', Buffer.concat([toUtf8(`${name}\n`), Uint8Array.of(typeByte), publicKey]), 'buffer')
  return Buffer.from(id.subarray(0, idBytes)).toString('hex')
}

function misconfigured(message: string): AssentError {
  return new AssentError('misconfigured', message)
}
