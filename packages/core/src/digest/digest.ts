// Digests: SHA-256 over the canonical form of a JSON value.
//
// Every digest is made for one domain, and the domain is hashed first, so a digest of one kind of value is never valid
// for another kind. Anyone can check one with a shell: printf 'assent action v1\n{…}' | sha256sum.

import { hash } from 'node:crypto'
import { AssentError } from '../errors.ts'
import { canonicalJson, type JsonSize } from './canonical.ts'

/** The kind of value and the version of its shape, for example `action v1`. */
export type DigestDomain = `${string} v${number}`

// No line feed: it ends the domain in what is hashed, and must not occur inside it.
const domainPattern = /^[a-z]+(?: [a-z]+)* v[1-9]\d*$/
const digestPattern = /^sha256:[0-9a-f]{64}$/

/** `sha256:` and 64 hexadecimal digits. */
export function digestOf(domain: DigestDomain, value: unknown, size?: JsonSize): string {
  if (!domainPattern.test(domain)) {
    throw new AssentError('misconfigured', 'A digest domain is lower-case words and a version, such as "action v1".')
  }
  return `sha256:${hash('sha256', `assent ${domain}\n${canonicalJson(value, size)}`, 'hex')}`
}

export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && digestPattern.test(value)
}
