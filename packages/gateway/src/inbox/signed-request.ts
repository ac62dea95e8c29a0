// A request signed with the browser's key: its format in a header, and the text that is signed.
//
// The key is ECDSA on P-256, which every browser can store as non-extractable. The web app implements the same in
// packages/inbox-web/src/api/browser-key.ts; tests sign with test-kit/gateway/signing-browser.ts.

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

export const proofHeader = 'assent-proof'

export interface RequestProof {
  /** The session token. Useless without the browser's key. */
  readonly session: string
  readonly nonce: string
  readonly requestId: string
  /** SHA-256 of the body, in base64url; of an empty body if there is none. */
  readonly bodyDigest: string
  readonly signature: string
}

const shape = /^([\w-]{43})\.([\w-]{22})\.([\w-]{22})\.([\w-]{43})\.([\w-]{86})$/

export function readProof(header: string | null): RequestProof | undefined {
  const [, session, nonce, requestId, bodyDigest, signature] = shape.exec(header ?? '') ?? []
  if (session === undefined || nonce === undefined || requestId === undefined) return undefined
  return bodyDigest === undefined || signature === undefined
    ? undefined
    : { session, nonce, requestId, bodyDigest, signature }
}

/** @param target path and query, as a URL parser spells them */
export function signedText(method: string, target: string, proof: Omit<RequestProof, 'signature'>): string {
  const { session, nonce, requestId, bodyDigest } = proof
  return ['assent inbox request v1', method, target, bodyDigest, session, nonce, requestId].join('\n')
}

export function isSignedBy(key: KeyObject, request: Request, proof: RequestProof): boolean {
  const { pathname, search } = new URL(request.url)
  const text = Buffer.from(signedText(request.method, pathname + search, proof))
  return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(proof.signature, 'base64url'))
}

/** The key that a browser sends at sign-in: an uncompressed point, in base64url. Undefined when it is invalid. */
export function readPublicKey(text: unknown): KeyObject | undefined {
  if (typeof text !== 'string' || !/^[\w-]{87}$/.test(text)) return undefined
  const point = Buffer.from(text, 'base64url')
  if (point[0] !== 0x04) return undefined
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    // Not a point on the curve.
    return undefined
  }
}

export function bodyDigest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url')
}
