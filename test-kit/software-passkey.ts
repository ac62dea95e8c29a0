// A passkey in software: answers the requests of WebAuthn as a browser with an authenticator does.
//
// Each part of an answer can be changed, so that tests can forge them.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

export interface PasskeyChanges {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  /** User present (1) and user verified (4). */
  readonly flags?: number
  readonly counter?: number
  readonly crossOrigin?: boolean
}

interface RequestJson {
  readonly challenge: string
  readonly rpId: string
}

const coseIds = { ES256: -7, EdDSA: -8, RS256: -257 } as const

export class SoftwarePasskey {
  readonly id: string = randomBytes(16).toString('base64url')
  readonly algorithm: Algorithm
  readonly #publicKey: KeyObject
  readonly #privateKey: KeyObject
  /** Starts at 1, so that a copy is found; 0 stays 0, as for synchronised passkeys. */
  counter: number

  constructor({ algorithm = 'ES256', counter = 1 }: { algorithm?: Algorithm; counter?: number } = {}) {
    const pair = keyPair(algorithm)
    this.algorithm = algorithm
    this.#publicKey = pair.publicKey
    this.#privateKey = pair.privateKey
    this.counter = counter
  }

  /** SubjectPublicKeyInfo in DER, in base64url. */
  get publicKey(): string {
    return this.#publicKey.export({ type: 'spki', format: 'der' }).toString('base64url')
  }

  /** The public key as authenticators encode it. */
  get coseKey(): Uint8Array {
    return cbor(this.#coseKey())
  }

  /** The answer to `navigator.credentials.create`. */
  create(options: object, origin: string, changes: PasskeyChanges = {}): Record<string, unknown> {
    const { challenge, rp } = options as { challenge: string; rp: { id: string } }
    const clientData = clientDataOf({ type: 'webauthn.create', challenge, origin, ...changes })
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const head = authenticatorData({ rpId: rp.id, flags: 0x45, counter: this.counter, ...changes })
    const authData = Buffer.concat([head, Buffer.alloc(16), length, id, this.coseKey])
    const attestation = cbor(
      new Map<unknown, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    const response = {
      clientDataJSON: text(clientData),
      attestationObject: text(attestation),
      transports: ['internal'],
    }
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response }
  }

  /** The answer to `navigator.credentials.get`. */
  get({ challenge, rpId }: RequestJson, origin: string, changes: PasskeyChanges = {}): Record<string, unknown> {
    if (this.counter > 0) this.counter += 1
    const clientData = clientDataOf({ type: 'webauthn.get', challenge, origin, ...changes })
    const authData = authenticatorData({ rpId, flags: 0x05, counter: this.counter, ...changes })
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()])
    const signature = sign(this.algorithm === 'EdDSA' ? null : 'sha256', signed, this.#privateKey)
    const response = { clientDataJSON: text(clientData), authenticatorData: text(authData), signature: text(signature) }
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #coseKey(): Map<unknown, unknown> {
    const jwk = this.#publicKey.export({ format: 'jwk' })
    const bytes = (member: string | undefined) => Buffer.from(member ?? '', 'base64url')
    const alg = [3, coseIds[this.algorithm]] as const
    if (this.algorithm === 'RS256')
      return new Map<unknown, unknown>([[1, 3], alg, [-1, bytes(jwk.n)], [-2, bytes(jwk.e)]])
    if (this.algorithm === 'EdDSA') return new Map<unknown, unknown>([[1, 1], alg, [-1, 6], [-2, bytes(jwk.x)]])
    return new Map<unknown, unknown>([[1, 2], alg, [-1, 1], [-2, bytes(jwk.x)], [-3, bytes(jwk.y)]])
  }
}

function keyPair(algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return algorithm === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function clientDataOf({ type, challenge, origin, crossOrigin = false }: PasskeyChanges): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))
}

function authenticatorData({ rpId = '', flags = 0, counter = 0 }: PasskeyChanges): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.of(flags), count])
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

/** The part of CBOR (RFC 8949) that these objects need: integers, texts, bytes and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (!(value instanceof Map)) throw new TypeError('Not a value that this encoder supports.')
  const parts = [...value].flatMap(([name, one]) => [cbor(name), cbor(one)])
  return Buffer.concat([head(5, value.size), ...parts])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.of((major << 5) | length)
  if (length < 256) return Buffer.of((major << 5) | 24, length)
  return Buffer.of((major << 5) | 25, length >> 8, length & 255)
}
