// Signing in at an issuer: OpenID Connect, the authorization code with PKCE, state and nonce.
//
// Nothing is kept here while a person is away: one secret in their browser's cookie is what state, nonce and verifier are
// made from, so any replica can finish what another began, and nobody fills a table with logins that never come back.
// What the issuer says is believed by the same keys and rules as bearer tokens at the endpoint, so that a person is the
// same in both.

import { createHash, randomBytes } from 'node:crypto'
import type { Person } from '@assent/core'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import type { IdentitySettings } from '../config/settings.ts'
import { issuerKeysOf } from '../identity/identify.ts'
import { type IssuerKeys, IssuerUnavailable } from '../identity/issuer-keys.ts'
import { personIn } from '../identity/person.ts'
import { inboxLimits } from '../limits.ts'
import { Issuer } from './issuer.ts'

export interface LoginSettings {
  readonly identity: IdentitySettings
  readonly clientId: string
  /** Without one it is a public client. */
  readonly clientSecret?: string
  /** Beside `openid`. */
  readonly scopes: readonly string[]
  /** Of the issuer, where others use them too. */
  readonly keys?: IssuerKeys
}

export type LoginProblem = 'stale' | 'denied' | 'failed' | 'unavailable'

export type Returned =
  | { readonly ok: true; readonly person: Person; readonly name?: string; readonly login: string }
  | { readonly ok: false; readonly problem: LoginProblem }

export class Login {
  readonly #settings: LoginSettings
  readonly #callback: URL
  readonly #issuer: Issuer
  readonly #keys: IssuerKeys
  readonly #nowMs: () => number
  readonly #onTrouble: (error: unknown) => void

  constructor(settings: LoginSettings, base: URL, nowMs: () => number, onTrouble: (error: unknown) => void) {
    this.#settings = settings
    this.#callback = new URL('/sign-in/callback', base)
    this.#issuer = new Issuer(settings)
    this.#keys = settings.keys ?? issuerKeysOf(settings.identity, onTrouble)
    this.#nowMs = nowMs
    this.#onTrouble = onTrouble
  }

  /** What the person is told they sign in with. */
  get issuerHost(): string {
    return new URL(this.#settings.identity.issuer).host
  }

  /** Where to send a person, and the secret that their browser keeps meanwhile. Undefined while the issuer is away. */
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
      this.#onTrouble(error)
      return undefined
    }
  }

  /** What came back with a person, judged against the secret in their browser. */
  async finish(secret: string, search: string): Promise<Returned> {
    const { state, nonce, verifier } = partsOf(secret)
    const address = new URL(this.#callback)
    address.search = search
    if (!isAnswerTo(state, address.searchParams)) return { ok: false, problem: 'stale' }
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
        throw new Error('The id token names nobody in the claim that identity.subject_claim says.')
      const name = nameIn(claims)
      return { ok: true, person, ...(name === undefined ? {} : { name }), login: secret }
    } catch (error) {
      return { ok: false, problem: this.#problemOf(error) }
    }
  }

  /** Once more than openid-client does: by signature, and with the algorithms and the tolerance of the operator. */
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
    if (payload.nonce !== nonce) throw new errors.JWTClaimValidationFailed('The nonce is another.', payload, 'nonce')
    return payload
  }

  #problemOf(error: unknown): LoginProblem {
    // What anybody can cause with a made-up address is no news to the operator.
    if (error instanceof oidc.AuthorizationResponseError) return error.error === 'access_denied' ? 'denied' : 'failed'
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') return 'stale'
    if (isOfAddress(error)) return 'stale'
    this.#onTrouble(error)
    return error instanceof IssuerUnavailable || isAway(error) ? 'unavailable' : 'failed'
  }
}

/** Three values from one secret, of which none tells another. */
function partsOf(secret: string): { readonly state: string; readonly nonce: string; readonly verifier: string } {
  const part = (what: string) => createHash('sha256').update(`assent login ${what}\n${secret}`).digest('base64url')
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') }
}

/** Whether this is an answer to what this browser asked. What is not, the issuer never hears of. */
function isAnswerTo(state: string, search: URLSearchParams): boolean {
  const isClear = ['state', 'code', 'error', 'iss'].every((name) => search.getAll(name).length <= 1)
  // Asked for a code, an issuer sends nothing else.
  const isOurs = ['response', 'id_token', 'token'].every((name) => !search.has(name))
  return isClear && isOurs && search.get('state') === state && search.has('code') !== search.has('error')
}

/** openid-client keeps what it judged below the error: here the answer in the address, such as the name of its issuer. */
function isOfAddress(error: unknown): boolean {
  const cause = error instanceof oidc.ClientError && error.cause instanceof Error ? error.cause.cause : undefined
  return typeof cause === 'object' && cause !== null && 'parameters' in cause
}

function isAway(error: unknown): boolean {
  if (error instanceof oidc.ClientError)
    return error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM'
  return error instanceof TypeError && error.message === 'fetch failed'
}

/** What to call a person, as the issuer says it: made safe where it is shown. People choose it, so it decides nothing. */
function nameIn({ name, preferred_username, email }: JWTPayload): string | undefined {
  for (const one of [name, preferred_username, email]) {
    // PostgreSQL keeps no NUL in a text.
    const text = typeof one === 'string' ? one.trim().toWellFormed().replaceAll('\0', '\uFFFD') : ''
    if (text !== '') return Array.from(text).slice(0, inboxLimits.nameChars).join('')
  }
  return undefined
}
