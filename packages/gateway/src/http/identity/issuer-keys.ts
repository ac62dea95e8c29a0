// The public keys of one issuer, found through its metadata and cached.
//
// While the issuer is unreachable, cached keys stay valid for `keptMs`. After that, and for unknown keys, verification
// fails with `IssuerUnavailable`; a token is never accepted unverified.

import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { reasonOf } from '../../call/model.ts'
import { identityLimits } from '../../limits.ts'
import { isLoopback } from '../../protocol/loopback.ts'

export interface KeyRules {
  readonly freshMs: number
  readonly keptMs: number
  /** Without keys of an issuer that gives a person another `sub` in each application, no token of it is accepted. */
  readonly refusesPairwise?: boolean
}

/** The issuer cannot be reached, and nothing recent enough is cached; or its key cannot be used. */
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
  readonly #rules: KeyRules
  readonly #onError: (error: unknown) => void
  readonly #now: () => number
  #fetched: Fetched | undefined
  #fetching: { readonly keys: Promise<Fetched>; readonly sinceMs: number } | undefined
  #triedMs = Number.NEGATIVE_INFINITY
  /** Number of successful and failed fetches. */
  readonly reads = { ok: 0, failed: 0 }

  /** @param now a monotonic clock: setting the system clock back must not extend the validity of cached keys */
  constructor(
    issuer: string,
    rules: KeyRules,
    onError: (error: unknown) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#issuer = issuer
    this.#rules = rules
    this.#onError = onError
    this.#now = now
  }

  /** Whether the keys were fetched at least once. */
  get areRead(): boolean {
    return this.#fetched !== undefined
  }

  /** Time since the last fetch; undefined before the first. */
  get ageMs(): number | undefined {
    return this.#fetched === undefined ? undefined : this.#now() - this.#fetched.atMs
  }

  /**
   * Identifies the keys that are valid now: another object after each fetch, undefined if there are none or they are too
   * old. Refreshes old ones in the background.
   */
  get inForce(): object | undefined {
    const fetched = this.#fetched
    if (fetched === undefined || this.#now() - fetched.atMs > this.#rules.keptMs) return undefined
    this.#refreshIfOld(fetched)
    return fetched
  }

  /** Fetches the keys now, even if the cached ones are fresh, and returns their number. Throws `IssuerUnavailable`. */
  async read(): Promise<number> {
    return (await this.#fetch()).count
  }

  /** In the form that jose expects. Fetches again if a key is unknown or damaged, because issuers rotate keys. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const known = await this.#current()
    try {
      return await this.#keyIn(known, header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey || error instanceof IssuerUnavailable)) throw error
      // At most one fetch per interval, because callers can send any number of unknown key ids.
      if (this.#now() - this.#triedMs < identityLimits.lookAgainMs) throw error
      return this.#keyIn(await this.#fetchWithTimeout(), header, token)
    }
  }

  /** A key that cannot be imported says nothing about the token: the issuer's document may have been damaged on its way. */
  async #keyIn({ find }: Fetched, ...wanted: Parameters<JWTVerifyGetKey>): ReturnType<Fetched['find']> {
    try {
      return await find(...wanted)
    } catch (error) {
      if (!(error instanceof DOMException)) throw error
      throw new IssuerUnavailable(`A key of ${this.#issuer} cannot be used. ${reasonOf(error)}`, { cause: error })
    }
  }

  async #current(): Promise<Fetched> {
    const fetched = this.#fetched
    if (fetched === undefined || this.#now() - fetched.atMs > this.#rules.keptMs) return this.#fetchWithTimeout()
    this.#refreshIfOld(fetched)
    return fetched
  }

  /** Refreshes in the background: the cached keys are valid until then. */
  #refreshIfOld({ atMs }: Fetched): void {
    const now = this.#now()
    if (now - atMs <= this.#rules.freshMs || now - this.#triedMs < identityLimits.lookAgainMs) return
    this.#fetch().catch(this.#onError)
  }

  /** Waits at most `waitMs` for the keys, so that a slow issuer does not block requests. */
  async #fetchWithTimeout(): Promise<Fetched> {
    const fetching = this.#fetch()
    const leftMs = (this.#fetching?.sinceMs ?? this.#now()) + identityLimits.waitMs - this.#now()
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(new IssuerUnavailable(`${this.#issuer} has not responded yet.`)),
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
    // RFC 8414, 3.3: metadata that names another issuer must be rejected.
    if (metadata.issuer !== this.#issuer) throw new Error('Its metadata names another issuer.')
    if (this.#rules.refusesPairwise === true && isPairwise(metadata)) throw new Error(pairwise)
    const address = typeof metadata.jwks_uri === 'string' ? metadata.jwks_uri : ''
    if (!URL.canParse(address)) throw new Error('Its metadata has no valid jwks_uri.')
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

/** OpenID Connect Discovery requires this member; RFC 8414 does not have it. */
function isPairwise({ subject_types_supported: types }: Record<string, unknown>): boolean {
  return Array.isArray(types) && types.includes('pairwise') && !types.includes('public')
}

const pairwise =
  'It gives a person another sub in each application (subject_types_supported), so policies that exclude the requester would not recognise them in the inbox. Set identity.subject_claim to a claim that is the same in all applications, such as oid for Microsoft Entra ID.'

/** The reason of a failed `fetch` is in its cause. */
export function fetchReason(error: unknown): string {
  return reasonOf(error instanceof TypeError && error.cause !== undefined ? error.cause : error)
}

/** OpenID Connect Discovery appends its suffix to the path, RFC 8414 inserts it before the path. */
function metadataAddresses(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/$/, '')
  const places = [
    `${path}/.well-known/openid-configuration`,
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
  ]
  return [...new Set(places)].map((place) => new URL(place, issuer))
}

/** An issuer must use https, except on this machine. */
export function isSafe(address: URL): boolean {
  return address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address.hostname))
}

async function fetchJson(address: URL): Promise<object> {
  if (!isSafe(address)) throw new Error('It is not served over https.')
  const response = await fetch(address, {
    // No keep-alive: the next fetch is minutes away, and a connection that died meanwhile would look like an issuer
    // failure.
    headers: { accept: 'application/json', connection: 'close' },
    // A redirect could lead to any address, including this machine.
    redirect: 'error',
    signal: AbortSignal.timeout(identityLimits.fetchMs),
  })
  if (response.status !== 200) throw new Error(`It answered with HTTP status ${response.status}.`)
  const parsed: unknown = JSON.parse(await textWithin(response, identityLimits.documentBytes))
  if (typeof parsed !== 'object' || parsed === null) throw new Error('It did not return a JSON object.')
  return parsed
}

export async function textWithin(response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > most) throw new Error('Its response is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
