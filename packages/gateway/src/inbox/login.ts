// Signing in at an issuer: OpenID Connect authorization code flow with PKCE, state and nonce.
//
// Nothing is stored while a person is at the issuer: state, nonce and verifier are derived from one secret in the
// browser's cookie. So any replica can finish a login that another one started, and abandoned logins use no storage.
// ID tokens are verified with the same keys and rules as bearer tokens at the endpoint, so that a person has the same
// principal in both.

import { createHash, randomBytes } from 'node:crypto'
import type { Person } from '@assent/core'
import { compact } from '@assent/core'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { issuerKeysOf } from '../http/identity/identify.ts'
import { type IssuerKeys, IssuerUnavailable } from '../http/identity/issuer-keys.ts'
import { groupsOmitted, omitsGroups, personIn } from '../http/identity/person.ts'
import { Issuer } from './issuer.ts'
import { inboxLimits } from './limits.ts'
import type { LoginSettings } from './login-settings.ts'

export type LoginProblem = 'stale' | 'denied' | 'failed' | 'unavailable'

export type Returned =
  | { readonly ok: true; readonly person: Person; readonly name?: string; readonly login: string }
  /** `isPending`: this was no response to the login, which can still be finished. */
  | { readonly ok: false; readonly problem: LoginProblem; readonly isPending?: true }

export class Login {
  readonly #settings: LoginSettings
  readonly #callback: URL
  readonly #issuer: Issuer
  readonly #keys: IssuerKeys
  readonly #nowMs: () => number
  readonly #onError: (error: unknown) => void

  constructor(settings: LoginSettings, base: URL, nowMs: () => number, onError: (error: unknown) => void) {
    this.#settings = settings
    this.#callback = new URL('/sign-in/callback', base)
    this.#issuer = new Issuer(settings)
    this.#keys = settings.keys ?? issuerKeysOf(settings.identity, onError)
    this.#nowMs = nowMs
    this.#onError = onError
  }

  /** Shown on the sign-in page. */
  get issuerHost(): string {
    return new URL(this.#settings.identity.issuer).host
  }

  /** The issuer's address, and the secret for the browser's cookie. Undefined while the issuer is unavailable. */
  async start(): Promise<{ readonly url: URL; readonly secret: string } | undefined> {
    const secret = randomBytes(32).toString('base64url')
    const { state, nonce, verifier } = partsOf(secret)
    try {
      const url = oidc.buildAuthorizationUrl(await this.#issuer.configuration(), {
        redirect_uri: this.#callback.href,
        scope: [...new Set(['openid', ...this.#settings.scopes])].join(' '),
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url, secret }
    } catch (error) {
      if (!(error instanceof IssuerUnavailable)) throw error
      this.#onError(error)
      return undefined
    }
  }

  /** Verifies the issuer's redirect against the secret in the browser's cookie. */
  async finish(secret: string, search: string): Promise<Returned> {
    const { state, nonce, verifier } = partsOf(secret)
    const address = new URL(this.#callback)
    address.search = search
    // Of another tab, which has started another login since, or of any site that opened this address.
    if (!address.searchParams.getAll('state').includes(state)) return { ok: false, problem: 'stale', isPending: true }
    if (!isWellFormed(address.searchParams)) return { ok: false, problem: 'stale' }
    try {
      const tokens = await oidc.authorizationCodeGrant(await this.#issuer.configuration(), address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = await this.#verified(tokens.id_token ?? '', nonce)
      const person = personIn(claims, this.#settings.identity)
      if (person === undefined)
        throw new Error('The ID token has no subject in the claim set by identity.subject_claim.')
      if (omitsGroups(claims, this.#settings.identity)) throw new Error(groupsOmitted)
      const name = nameIn(claims)
      return { ok: true, person, ...compact({ name }), login: secret }
    } catch (error) {
      return { ok: false, problem: this.#problemOf(error) }
    }
  }

  /** In addition to openid-client's checks: the signature, with the operator's algorithms and clock tolerance. */
  async #verified(idToken: string, nonce: string): Promise<JWTPayload> {
    const { identity, clientId } = this.#settings
    const { payload } = await jwtVerify(idToken, this.#keys.find, {
      issuer: identity.issuer,
      audience: clientId,
      algorithms: [...identity.algorithms],
      clockTolerance: identity.clock_tolerance / 1_000,
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
      currentDate: new Date(this.#nowMs()),
    })
    if (payload.nonce !== nonce)
      throw new errors.JWTClaimValidationFailed('The nonce does not match.', payload, 'nonce')
    return payload
  }

  #problemOf(error: unknown): LoginProblem {
    // Not logged: anyone can cause these errors with a made-up address.
    if (error instanceof oidc.AuthorizationResponseError) return error.error === 'access_denied' ? 'denied' : 'failed'
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') return 'stale'
    if (isAboutRedirect(error)) return 'stale'
    this.#onError(error)
    return error instanceof IssuerUnavailable || isUnreachable(error) ? 'unavailable' : 'failed'
  }
}

/** Three values derived from one secret; none reveals another. */
function partsOf(secret: string): { readonly state: string; readonly nonce: string; readonly verifier: string } {
  const part = (what: string) => createHash('sha256').update(`assent login ${what}\n${secret}`).digest('base64url')
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') }
}

/** Whether this is one response of the authorization code flow. If not, no request is sent to the issuer. */
function isWellFormed(search: URLSearchParams): boolean {
  const hasNoDuplicates = ['state', 'code', 'error', 'iss'].every((name) => search.getAll(name).length <= 1)
  // The authorization code flow returns none of these.
  const isCodeFlow = ['response', 'id_token', 'token'].every((name) => !search.has(name))
  const isOneResult = search.has('code') !== search.has('error')
  return hasNoDuplicates && isCodeFlow && isOneResult
}

/** openid-client puts the checked value into the error's cause: here the parameters of the redirect, such as `iss`. */
function isAboutRedirect(error: unknown): boolean {
  const cause = error instanceof oidc.ClientError && error.cause instanceof Error ? error.cause.cause : undefined
  return typeof cause === 'object' && cause !== null && 'parameters' in cause
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof oidc.ClientError)
    return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM'
  return error instanceof TypeError && error.message === 'fetch failed'
}

/** A display name from the issuer. People choose it, so no decision depends on it; it is escaped where it is shown. */
function nameIn({ name, preferred_username, email }: JWTPayload): string | undefined {
  for (const one of [name, preferred_username, email]) {
    // PostgreSQL text cannot contain NUL.
    const text = typeof one === 'string' ? one.trim().toWellFormed().replaceAll('\0', '\uFFFD') : ''
    if (text !== '') return Array.from(text).slice(0, inboxLimits.nameChars).join('')
  }
  return undefined
}
