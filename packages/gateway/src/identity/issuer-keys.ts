// The public keys of one issuer, found through its metadata and kept for a while.
//
// While the issuer cannot be reached, keys that were fetched not too long ago stay good; after that, and for keys nobody has
// seen, the answer is that nobody can be verified. It is never that somebody passes.

import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { isLoopback } from '../config/kinds.ts'
import { identityLimits } from '../limits.ts'
import { reasonOf } from '../relay/exchange.ts'

export interface KeyTimes {
  readonly freshMs: number
  readonly keptMs: number
}

/** The issuer cannot be reached, and nothing that is known of it is recent enough. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable'
}

interface Fetched {
  readonly find: ReturnType<typeof createLocalJWKSet>
  readonly count: number
  readonly atMs: number
}

export class IssuerKeys {
  readonly #issuer: string
  readonly #times: KeyTimes
  readonly #onTrouble: (error: unknown) => void
  readonly #now: () => number
  #fetched: Fetched | undefined
  #fetching: { readonly keys: Promise<Fetched>; readonly sinceMs: number } | undefined
  #triedMs = Number.NEGATIVE_INFINITY
  /** How often they were read, and how often that failed. */
  readonly reads = { ok: 0, failed: 0 }

  /** @param now runs forward only: a clock that was set back must not keep old keys good for as long */
  constructor(
    issuer: string,
    times: KeyTimes,
    onTrouble: (error: unknown) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#issuer = issuer
    this.#times = times
    this.#onTrouble = onTrouble
    this.#now = now
  }

  /** Whether its keys were read at least once. */
  get areRead(): boolean {
    return this.#fetched !== undefined
  }

  /** Since they were last read; undefined before that. */
  get ageMs(): number | undefined {
    return this.#fetched === undefined ? undefined : this.#now() - this.#fetched.atMs
  }

  /** Reads the keys now, however recent those at hand are, and returns how many there are. Throws `IssuerUnavailable`. */
  async read(): Promise<number> {
    return (await this.#fetch()).count
  }

  /** As jose wants it. A key that is not there is looked for once more, because issuers rotate them. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const known = await this.#current()
    try {
      return await known.find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      // Not more often than this, or anybody could make us ask the issuer with made-up key ids.
      if (this.#now() - this.#triedMs < identityLimits.lookAgainMs) throw error
      return (await this.#soon()).find(header, token)
    }
  }

  async #current(): Promise<Fetched> {
    const fetched = this.#fetched
    const ageMs = fetched === undefined ? Number.POSITIVE_INFINITY : this.#now() - fetched.atMs
    if (fetched === undefined || ageMs > this.#times.keptMs) return this.#soon()
    if (ageMs > this.#times.freshMs && this.#now() - this.#triedMs >= identityLimits.lookAgainMs) {
      // Nobody waits for this one: what is known is good enough until it is there.
      this.#fetch().catch(this.#onTrouble)
    }
    return fetched
  }

  /** For somebody who wants to come in: an issuer that takes its time, or never answers, does not hold them up for long. */
  async #soon(): Promise<Fetched> {
    const fetching = this.#fetch()
    const leftMs = (this.#fetching?.sinceMs ?? this.#now()) + identityLimits.waitMs - this.#now()
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(new IssuerUnavailable(`${this.#issuer} has not answered yet.`)),
      Math.max(0, leftMs),
    )
    try {
      return await Promise.race([fetching, late])
    } finally {
      clearTimeout(timer)
    }
  }

  #fetch(): Promise<Fetched> {
    this.#triedMs = this.#now()
    this.#fetching ??= { keys: this.#fetchOnce(), sinceMs: this.#now() }
    return this.#fetching.keys
  }

  #fetchOnce(): Promise<Fetched> {
    return this.#fetchKeys()
      .then((keys) => {
        this.#fetched = { find: createLocalJWKSet(keys), count: keys.keys.length, atMs: this.#now() }
        this.reads.ok += 1
        return this.#fetched
      })
      .catch((error: unknown) => {
        this.reads.failed += 1
        throw new IssuerUnavailable(`The keys of ${this.#issuer} cannot be read. ${fetchReason(error)}`, {
          cause: error,
        })
      })
      .finally(() => {
        this.#fetching = undefined
      })
  }

  async #fetchKeys(): Promise<JSONWebKeySet> {
    const metadata = await this.#metadata()
    // RFC 8414, 3.3: what calls itself something else is not the issuer, whoever serves it.
    if (metadata.issuer !== this.#issuer) throw new Error('Its metadata names another issuer.')
    const address = typeof metadata.jwks_uri === 'string' ? metadata.jwks_uri : ''
    if (!URL.canParse(address)) throw new Error('Its metadata names no keys.')
    return (await fetchJson(new URL(address))) as JSONWebKeySet & object
  }

  async #metadata(): Promise<Record<string, unknown>> {
    let reason: unknown
    for (const address of metadataAddresses(new URL(this.#issuer))) {
      try {
        return (await fetchJson(address)) as Record<string, unknown>
      } catch (error) {
        reason = error
      }
    }
    throw reason
  }
}

/** `fetch` says only that it failed; why is in its cause. */
export function fetchReason(error: unknown): string {
  return reasonOf(error instanceof TypeError && error.cause !== undefined ? error.cause : error)
}

/** OpenID Connect Discovery appends to the path, RFC 8414 puts itself before it. */
function metadataAddresses(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/$/, '')
  const places = [
    `${path}/.well-known/openid-configuration`,
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
  ]
  return [...new Set(places)].map((place) => new URL(place, issuer))
}

/** Secrets and keys of an issuer travel encrypted, but for what stays on this machine. */
export function isSafe(address: URL): boolean {
  return address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address.hostname))
}

async function fetchJson(address: URL): Promise<object> {
  if (!isSafe(address)) throw new Error('It is not served over https.')
  const response = await fetch(address, {
    // Not kept alive: the next fetch is minutes away, and a connection that died meanwhile would look like an issuer away.
    headers: { accept: 'application/json', connection: 'close' },
    // Where it leads could be anywhere, this machine too.
    redirect: 'error',
    signal: AbortSignal.timeout(identityLimits.fetchMs),
  })
  if (response.status !== 200) throw new Error(`It answered with HTTP status ${response.status}.`)
  const parsed: unknown = JSON.parse(await textWithin(response, identityLimits.documentBytes))
  if (typeof parsed !== 'object' || parsed === null) throw new Error('It answered with something else than an object.')
  return parsed
}

export async function textWithin(response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > most) throw new Error('It answered with too much.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
