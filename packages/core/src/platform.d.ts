// The parts of the platform that core may use, declared by hand: computation, never I/O.
//
// Core is compiled with no Node and no DOM types, so `fetch`, `process`, timers and files do not exist for it.
// The functions below only compute values. Adding a line here is a design decision.

declare module 'node:crypto' {
  type Bytes = Uint8Array
  interface Gcm {
    setAAD(data: Bytes): this
    update(data: string | Bytes, encoding?: 'utf8'): Bytes
    final(): Bytes
  }
  interface GcmCipher extends Gcm {
    getAuthTag(): Bytes
  }
  interface GcmDecipher extends Gcm {
    setAuthTag(tag: Bytes): this
  }
  /** A key object of the platform; core never reads its bytes. */
  interface KeyObject {
    readonly type: 'secret' | 'public' | 'private'
    /** Of a public or private key, for example `ec`. */
    readonly asymmetricKeyType?: string | undefined
  }
  export function hash(algorithm: 'sha256', data: string | Bytes, encoding: 'hex'): string
  export function hash(algorithm: 'sha256', data: string | Bytes, encoding: 'buffer'): Bytes
  export function createSecretKey(key: Bytes): KeyObject
  export function createCipheriv(algorithm: 'aes-256-gcm', key: KeyObject, nonce: Bytes): GcmCipher
  export function createDecipheriv(
    algorithm: 'aes-256-gcm',
    key: KeyObject,
    nonce: Bytes,
    options: { authTagLength: number },
  ): GcmDecipher
  export function sign(algorithm: null, data: Bytes, key: KeyObject): Bytes
  export function verify(algorithm: 'sha256' | null, data: Bytes, key: KeyObject, signature: Bytes): boolean
  /** Throws for bytes that are not a key. */
  export function createPublicKey(key: { key: Bytes; format: 'der'; type: 'spki' }): KeyObject
}

declare module 'node:buffer' {
  // `base64`, the alphabet with + and /, is for the transparency log (log/): signed notes prescribe it. Node ignores
  // characters outside the alphabet, so whatever decodes it compares the encoding of the result with the input.
  export class Buffer extends Uint8Array {
    static from(data: string, encoding: 'utf8' | 'base64' | 'base64url' | 'hex'): Buffer
    static from(data: Uint8Array): Buffer
    static byteLength(data: string, encoding: 'utf8'): number
    static concat(parts: readonly Uint8Array[]): Buffer
    toString(encoding?: 'utf8' | 'base64' | 'base64url' | 'hex'): string
  }
}

/** The WHATWG URL parser. It parses; it fetches nothing. */
declare class URL {
  constructor(url: string)
  static canParse(url: string): boolean
  readonly href: string
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly hostname: string
  readonly host: string
  readonly port: string
}
