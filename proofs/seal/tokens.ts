// Valid tokens, and every known way to make an invalid one from them.
//
// A forgery is a token, a key ring and a time at which it must be refused. If a specific check has to refuse it, the
// forgery names it, which shows that the token reached that check.

import {
  createKeyRing,
  type JsonValue,
  type KeyRing,
  requestDigest,
  type SealBinding,
  type SealKey,
  type SealRefusal,
  seal,
} from '@assent/core'
import type { SeededRandom } from '../../test-kit/random.ts'
import { randomObject, randomText, randomValue } from './values.ts'

type Expected = SealBinding & { readonly nowMs: number }

export interface GoodToken {
  readonly token: string
  readonly payload: JsonValue
  readonly ring: KeyRing
  readonly request: { readonly method: string; readonly target: string; readonly arguments: Record<string, JsonValue> }
  readonly expected: Expected
  readonly expiresAtMs: number
}

export interface Forgery {
  readonly token: string
  readonly ring: KeyRing
  readonly expected: Expected
  readonly caughtAs?: SealRefusal
}

/** The keys of one cluster. `current` and `twin` have the same secret, so that only the id distinguishes them. */
export interface Cluster {
  readonly ring: KeyRing
  /** Replicas in the middle of a rotation: each can open what `ring` seals. */
  readonly replicas: readonly KeyRing[]
  readonly retired: KeyRing
  readonly impostor: KeyRing
}

export function createCluster(random: SeededRandom): Cluster {
  const key = (id: string): SealKey => ({ id, secret: random.bytes(32) })
  const [current, older, next] = [key('current'), key('older'), key('next')]
  const twin = { id: 'twin', secret: current.secret }
  return {
    ring: createKeyRing([current, older, twin]),
    replicas: [
      createKeyRing([current, older, twin]),
      createKeyRing([older, current]),
      createKeyRing([current, next]),
      createKeyRing([next, current]),
    ],
    retired: createKeyRing([next, older]),
    impostor: createKeyRing([key('current'), older, key('twin')]),
  }
}

export function goodToken(cluster: Cluster, random: SeededRandom, nowMs: number): GoodToken {
  const request = { method: 'tools/call', target: `tool-${random.int(50)}`, arguments: { ...randomObject(random, 1) } }
  const binding = {
    principal: `https://id.example#user-${random.int(1_000)}`,
    purpose: random.pick(['resume', 'await', 'consent']),
    requestDigest: requestDigest(request),
  }
  const ttlMs = 1 + random.int(3_600_000)
  const halves = String.fromCharCode(0xd800 + random.int(0x800))
  const upstream = randomText(random) + halves
  const payload = { journal: { asks: 1, '"': 2 }, upstream, more: randomValue(random, 2) }
  const token = seal(cluster.ring, { ...binding, ttlMs }, payload, { nowMs, random: random.bytes })
  const lastMoment = nowMs + ttlMs - 1
  return {
    token,
    payload,
    ring: cluster.ring,
    request,
    expected: { ...binding, nowMs: random.pick([nowMs, lastMoment]) },
    expiresAtMs: nowMs + ttlMs,
  }
}

type Forge = (good: GoodToken, other: GoodToken, cluster: Cluster, random: SeededRandom) => Forgery

const headOf = (token: string) => token.slice(0, token.lastIndexOf('.') + 1)
const bytesOf = (token: string) => Buffer.from(token.slice(headOf(token).length), 'base64url')
const withBytes = (good: GoodToken, bytes: Uint8Array) => headOf(good.token) + Buffer.from(bytes).toString('base64url')

/** Forges by changing the token itself. A random change may leave it equal; the caller then tries again. */
const tampering: Readonly<Record<string, (good: GoodToken, other: GoodToken, random: SeededRandom) => string>> = {
  'one bit flipped': (good, _, random) => {
    const bytes = bytesOf(good.token)
    const at = random.int(bytes.length)
    return withBytes(good, bytes.with(at, (bytes[at] as number) ^ (1 << random.int(8))))
  },
  'bytes overwritten': (good, _, random) => {
    const bytes = bytesOf(good.token)
    bytes.set(random.bytes(1 + random.int(8)), random.int(bytes.length - 8))
    return withBytes(good, bytes)
  },
  'one character changed': (good, _, random) => {
    const at = random.int(good.token.length)
    return good.token.slice(0, at) + String.fromCharCode(33 + random.int(94)) + good.token.slice(at + 1)
  },
  'cut short': (good, _, random) => {
    const bytes = bytesOf(good.token)
    const at = random.int(bytes.length)
    const holed = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.int(16))])
    const cut = random.pick([bytes.subarray(0, at), bytes.subarray(at + 1), holed])
    return random.int(4) === 0 ? good.token.slice(0, at) : withBytes(good, cut)
  },
  extended: (good, _, random) => {
    const extra = random.bytes(1 + random.int(20))
    const bytes = [bytesOf(good.token), extra]
    return random.int(4) === 0
      ? good.token + random.pick(['A', 'AA', '=', '.', '\n', ' ', '\0', `.${good.token}`])
      : withBytes(good, Buffer.concat(random.int(2) === 0 ? bytes : bytes.reverse()))
  },
  'spliced from two': (good, other, random) => {
    const [one, two] = [bytesOf(good.token), bytesOf(other.token)]
    // At the boundaries of salt, nonce, ciphertext and tag, and at random positions.
    const at = random.pick([16, 28, one.length - 16, random.int(one.length)])
    const tail = at === one.length - 16 ? two.subarray(-16) : two.subarray(at)
    return withBytes(good, Buffer.concat([one.subarray(0, at), tail]))
  },
  'another spelling of the same bytes': (good, _, random) => otherSpelling(good.token, random),
  'another version': (good, _, random) =>
    good.token.replace('assent1', random.pick(['assent2', 'assent0', 'assent', 'Assent1', 'assent1 ', '', 'assent01'])),
  'made up': (good, _, random) => withBytes(good, random.bytes(1 + random.int(200))),
}

function otherSpelling(token: string, random: SeededRandom): string {
  const head = headOf(token)
  const body = token.slice(head.length)
  const at = random.int(body.length)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const spelled = random.pick([
    body.slice(0, -1) + random.pick([...alphabet]),
    bytesOf(token).toString('base64'),
    body.replaceAll('-', '+').replaceAll('_', '/'),
    `${body}=`,
    `${body.slice(0, at)}${random.pick(['\n', ' ', '%', '.'])}${body.slice(at)}`,
  ])
  // Used only if a lenient decoder would read the same bytes: only then it is another spelling.
  return Buffer.from(spelled, 'base64url').equals(bytesOf(token)) ? head + spelled : token
}

function tampered(change: (typeof tampering)[string]): Forge {
  return (good, other, _, random) => {
    for (;;) {
      const token = change(good, other, random)
      if (token !== good.token && token !== other.token) return { token, ring: good.ring, expected: good.expected }
    }
  }
}

function transplanted(caughtAs: SealRefusal, change: (good: GoodToken, random: SeededRandom) => object): Forge {
  return (good, _other, _cluster, random) => {
    const expected = { ...good.expected, ...change(good, random) }
    return { token: good.token, ring: good.ring, expected, caughtAs }
  }
}

function rekeyed(caughtAs: SealRefusal, change: (good: GoodToken, cluster: Cluster) => object): Forge {
  return (good, _other, cluster) => ({ ...good, ...change(good, cluster), caughtAs })
}

const forRequest = (good: GoodToken, change: object) => ({
  requestDigest: requestDigest({ ...good.request, ...change }),
})

export const forgeries: Readonly<Record<string, Forge>> = {
  ...Object.fromEntries(Object.entries(tampering).map(([name, change]) => [name, tampered(change)])),
  'another principal': transplanted('other-principal', ({ expected }, random) => ({
    principal: random.pick([`${expected.principal}0`, expected.principal.toUpperCase(), '', expected.purpose]),
  })),
  'another purpose': transplanted('other-purpose', ({ expected }) => ({ purpose: `${expected.purpose}s` })),
  'another method': transplanted('other-request', (good) => forRequest(good, { method: 'prompts/get' })),
  'another target': transplanted('other-request', (good) => forRequest(good, { target: `${good.request.target}0` })),
  'other arguments': transplanted('other-request', (good, random) =>
    forRequest(good, { arguments: { ...good.request.arguments, [`added ${random.int(1_000)}`]: null } }),
  ),
  expired: transplanted('expired', (good, random) => ({
    nowMs: good.expiresAtMs + random.pick([0, 1, random.int(2 ** 31), Number.NaN, Number.POSITIVE_INFINITY]),
  })),
  'an unknown key': rekeyed('unknown-key', ({ token }) => ({ token: token.replace('.current.', '.curren.') })),
  'a retired key': rekeyed('unknown-key', (_, { retired }) => ({ ring: retired })),
  'another key of the ring': rekeyed('tampered', ({ token }) => ({ token: token.replace('.current.', '.older.') })),
  'the same secret under another id': rekeyed('tampered', ({ token }) => ({
    token: token.replace('.current.', '.twin.'),
  })),
  'another secret under the same id': rekeyed('tampered', (_, { impostor }) => ({ ring: impostor })),
}
