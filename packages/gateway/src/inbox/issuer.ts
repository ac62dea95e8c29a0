// The metadata of the login issuer, fetched when it is first needed and refreshed when it is no longer fresh.
//
// The issuer in the metadata must equal the configured one exactly. Requests use https, except to this machine, and
// responses have a size limit.

import * as oidc from 'openid-client'
import { fetchReason, IssuerUnavailable, isSafe, textWithin } from '../http/identity/issuer-keys.ts'
import { identityLimits } from '../limits.ts'
import type { LoginSettings } from './login-settings.ts'

interface Found {
  readonly configuration: oidc.Configuration
  readonly atMs: number
}

export class Issuer {
  readonly #settings: LoginSettings
  #found: Found | undefined
  #finding: Promise<Found> | undefined
  #failed: { readonly error: IssuerUnavailable; readonly atMs: number } | undefined

  constructor(settings: LoginSettings) {
    this.#settings = settings
  }

  /** Throws `IssuerUnavailable` when the metadata cannot be fetched and none recent enough is cached. */
  async configuration(): Promise<oidc.Configuration> {
    const { keys_fresh, keys_kept } = this.#settings.identity
    const ageMs = this.#found === undefined ? Number.POSITIVE_INFINITY : performance.now() - this.#found.atMs
    if (this.#found !== undefined && ageMs <= keys_fresh) return this.#found.configuration
    try {
      return (await this.#find()).configuration
    } catch (error) {
      if (this.#found !== undefined && ageMs <= keys_kept) return this.#found.configuration
      throw error
    }
  }

  #find(): Promise<Found> {
    // At most one attempt per interval, or anyone could make us send requests to an unavailable issuer.
    const failed = this.#failed
    if (failed !== undefined && performance.now() - failed.atMs < identityLimits.lookAgainMs)
      return Promise.reject(failed.error)
    this.#finding ??= this.#discover()
      .then((configuration) => {
        this.#found = { configuration, atMs: performance.now() }
        return this.#found
      })
      .catch((cause: unknown) => {
        const { issuer } = this.#settings.identity
        const error = new IssuerUnavailable(`Sign-in at ${issuer} is unavailable. ${fetchReason(cause)}`, { cause })
        this.#failed = { error, atMs: performance.now() }
        throw error
      })
      .finally(() => {
        this.#finding = undefined
      })
    return this.#finding
  }

  async #discover(): Promise<oidc.Configuration> {
    const { identity, clientId, clientSecret } = this.#settings
    const issuer = new URL(identity.issuer)
    const metadata = { [oidc.clockTolerance]: identity.clock_tolerance / 1_000 }
    const found = await oidc.discovery(issuer, clientId, metadata, authentication(clientSecret), {
      timeout: identityLimits.fetchMs / 1_000,
      [oidc.customFetch]: carefulFetch,
      execute: issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
    })
    const server = found.serverMetadata()
    if (server.issuer !== identity.issuer) throw new Error('Its metadata names another issuer.')
    if (server.authorization_endpoint === undefined || !isSafe(new URL(server.authorization_endpoint))) {
      throw new Error('Its metadata has no https address for sign-in.')
    }
    return found
  }
}

/** The method that the issuer supports; RFC 8414: client_secret_basic when the metadata does not list any. */
function authentication(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None()
  const [inHeader, inBody] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)]
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: supported = ['client_secret_basic'] } = server
    const use =
      !supported.includes('client_secret_basic') && supported.includes('client_secret_post') ? inBody : inHeader
    return use(server, client, body, headers)
  }
}

/** For addresses from the issuer's metadata: https only (except loopback), with a size limit. */
const carefulFetch: oidc.CustomFetch = async (address, options) => {
  if (!isSafe(new URL(address))) throw new Error('It is not served over https.')
  const response = await fetch(address, options as RequestInit)
  const text = await textWithin(response, identityLimits.documentBytes)
  const { status, headers } = response
  return new Response([204, 205, 304].includes(status) ? null : text, { status, headers })
}
