// The kinds of value that only one setting has, such as the store's address, an issuer and a sealing key.

import { networkIn } from '../protocol/networks.ts'
import { url, type ValueKind } from './kinds.ts'
import { nearest } from './nearest.ts'

export type StoreAddress =
  | { readonly engine: 'postgres'; readonly url: string }
  | { readonly engine: 'sqlite'; readonly path: string }

const schemes = ['postgres://', 'postgresql://', 'sqlite:']

export const storeAddress: ValueKind<StoreAddress> = {
  words: '`postgres://user@host/database` or `sqlite:path/to/file.db`',
  schema: { type: 'string', pattern: '^(postgres(ql)?://|sqlite:|\\$\\{)' },
  read: (raw) => {
    const text = String(raw)
    const problem = 'must be postgres://user@host/database or sqlite:path'
    if (/^postgres(ql)?:\/\//.test(text)) {
      return URL.canParse(text) ? { ok: true, value: { engine: 'postgres', url: text } } : { ok: false, problem }
    }
    const path = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : ''
    if (path !== '') return { ok: true, value: { engine: 'sqlite', path } }
    const scheme = /^[a-z]+:(\/\/)?/i.exec(text)?.[0]
    const meant = scheme === undefined ? undefined : nearest(scheme, schemes)
    if (meant !== undefined && meant !== scheme) return { ok: false, problem, suggestion: `Did you mean ${meant}…?` }
    return scheme === undefined && text !== ''
      ? { ok: false, problem, suggestion: 'For a file, start it with sqlite:' }
      : { ok: false, problem }
  },
  show: (store) => (store.engine === 'sqlite' ? `sqlite:${store.path}` : 'postgres://…'),
}

const wakeProblem = 'must be postgres, postgres://user@host/database, or nats://host:4222'

/** Undefined for PostgreSQL's own notifications. */
export const wakeAddress: ValueKind<string | undefined> = {
  words:
    '`postgres`, the address of the same database without a connection pooler between (`postgres://user@host/database`), or the address of a NATS server: `nats://host:4222`, `tls://host:4222`; several with commas',
  schema: { type: 'string', pattern: '^(postgres$|postgres(ql)?://|nats://|tls://|\\$\\{)' },
  read: (raw) => {
    const text = String(raw)
    if (text === 'postgres') return { ok: true, value: undefined }
    if (/^postgres(ql)?:\/\//.test(text)) {
      return URL.canParse(text) ? { ok: true, value: text } : { ok: false, problem: wakeProblem }
    }
    const isAddress = text
      .split(',')
      .every((one) => /^(nats|tls):\/\/[^/]+$/.test(one.trim()) && URL.canParse(one.trim()))
    if (isAddress) return { ok: true, value: text }
    return /^[a-z0-9.-]+(:[0-9]+)?$/i.test(text)
      ? { ok: false, problem: wakeProblem, suggestion: `Did you mean nats://${text}?` }
      : { ok: false, problem: wakeProblem }
  },
  show: (wake) => {
    if (wake === undefined) return 'postgres'
    return wake.startsWith('postgres') ? 'postgres://…' : 'nats://…'
  },
}

/** Kept exactly as written: issuers are compared as strings, and `https://a` is not `https://a/`. */
export const issuerName: ValueKind<string> = {
  ...url(),
  read: (raw) => {
    const read = url().read(raw)
    if (!read.ok) return read
    if (read.value.search !== '' || read.value.hash !== '')
      return { ok: false, problem: 'must have no query and no fragment' }
    return { ok: true, value: String(raw) }
  },
  show: (issuer) => issuer,
}

const prefixPattern = /^[a-z][a-z0-9-]{0,31}$/
const prefixWords = 'lower-case letters, digits and "-", at most 32, beginning with a letter; or `false` for none'

export const namePrefix: ValueKind<string | false> = {
  words: prefixWords,
  schema: { anyOf: [{ type: 'string', pattern: prefixPattern.source }, { const: false }] },
  read: (raw) => {
    if (raw === false || raw === '') return { ok: true, value: false }
    if (typeof raw === 'string' && prefixPattern.test(raw)) return { ok: true, value: raw }
    const better = String(raw)
      .toLowerCase()
      .replaceAll(/[ _.+]+/g, '-')
      .replaceAll(/-+$/g, '')
    const problem = `must be ${prefixWords.replaceAll('`', '')}`
    return prefixPattern.test(better)
      ? { ok: false, problem, suggestion: `Did you mean ${better}?` }
      : { ok: false, problem }
  },
  show: String,
}

/** A network in CIDR notation. */
export const network: ValueKind<string> = {
  words: 'a network, such as `10.0.0.0/8` or `fd00::/8`',
  schema: { type: 'string', pattern: '/[0-9]{1,3}$' },
  read: (raw) => {
    const value = String(raw)
    if (networkIn(value) !== undefined) return { ok: true, value }
    return {
      ok: false,
      problem: 'must be a network, such as 10.0.0.0/8',
      suggestion: 'Write its first address, "/" and the number of fixed bits.',
    }
  },
  show: (value) => value,
}

const keyBytes = 32

export const sealSecret: ValueKind<Uint8Array> = {
  words: '32 random bytes in base64, as `assent config key` prints them',
  schema: { type: 'string', minLength: 1 },
  read: (raw) => {
    const text = String(raw).trim()
    const suggestion = 'Create one with: assent config key'
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return { ok: false, problem: 'is not base64', suggestion }
    const secret = Buffer.from(text, 'base64')
    return secret.length === keyBytes
      ? { ok: true, value: new Uint8Array(secret) }
      : { ok: false, problem: `has ${secret.length} bytes; a key has ${keyBytes}`, suggestion }
  },
  show: () => '…',
}
