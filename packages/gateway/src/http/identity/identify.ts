// Authenticates a request by its bearer token. Every request is verified; no state is kept per caller.
//
// The token does not leave this module: it is not passed on within the gateway or to any server.

import type { IncomingMessage } from 'node:http'
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import type { IdentitySettings } from '../../config/identity-settings.ts'
import { header } from '../../protocol/http.ts'
import type { Identified, Identify } from '../server.ts'
import { type Resource, requestInvalid, scopeMissing, tokenInvalid, tokenNeeded } from './challenge.ts'
import { IssuerKeys, IssuerUnavailable } from './issuer-keys.ts'
import { personIn } from './person.ts'

export function resourceOf({ audience, resource, issuer, scopes }: IdentitySettings): Resource {
  return { address: resource ?? new URL(audience), issuer, scopes }
}

export function issuerKeysOf(settings: IdentitySettings, onError: (error: unknown) => void): IssuerKeys {
  const times = { freshMs: settings.keys_fresh, keptMs: settings.keys_kept }
  return new IssuerKeys(settings.issuer, times, onError)
}

/**
 * @param nowMs the clock for token expiry; shared by all replicas where possible
 * @param keys the keys of the issuer in these settings
 */
export function identifyBy(
  settings: IdentitySettings,
  onError: (error: unknown) => void,
  nowMs: () => number = Date.now,
  keys: IssuerKeys = issuerKeysOf(settings, onError),
): Identify {
  const resource = resourceOf(settings)
  const options = {
    issuer: settings.issuer,
    audience: settings.audience,
    algorithms: [...settings.algorithms],
    clockTolerance: settings.clock_tolerance / 1_000,
    requiredClaims: ['exp', settings.subject_claim],
  }
  return async (request) => {
    const token = tokenIn(request, resource)
    if (typeof token !== 'string') return token
    try {
      const currentDate = new Date(nowMs())
      const { payload, protectedHeader } = await jwtVerify(token, keys.find, { ...options, currentDate })
      const problem = accessTokenProblem(protectedHeader, payload, settings.token_type)
      if (problem !== undefined) return { refusal: tokenInvalid(resource, problem) }
      return admitted(payload, settings, resource)
    } catch (error) {
      return { refusal: refusalFor(error, resource, onError) }
    }
  }
}

/** The token of a request, or the refusal if there is none or it is in the wrong place. */
function tokenIn(request: IncomingMessage, resource: Resource): string | Identified {
  // RFC 6750, 5.3: URLs are logged in many places. A URL with a token is refused even with a valid header.
  if (/[?&]access_token=/i.test(request.url ?? '')) {
    return { refusal: requestInvalid(resource, 'Send the token in the Authorization header, not in the URL.') }
  }
  const authorization = header(request, 'authorization')
  if (authorization === undefined) return { refusal: tokenNeeded(resource) }
  const [, token] = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization) ?? []
  return token ?? { refusal: tokenInvalid(resource, 'The Authorization header has no bearer token.') }
}

/**
 * Why a signed token of the issuer is not an access token. An issuer signs other tokens with the same keys: ID tokens
 * (`nonce`, `at_hash`, `c_hash`) and logout tokens (`events`). RFC 9068 marks access tokens with `typ: at+jwt`.
 */
function accessTokenProblem(
  { typ }: JWTHeaderParameters,
  payload: JWTPayload,
  required: IdentitySettings['token_type'],
): string | undefined {
  const type = typ?.toLowerCase().replace(/^application\//, '')
  if (type === 'at+jwt') return undefined
  if (required === 'at+jwt') return 'Only access tokens of type at+jwt are accepted.'
  if (type !== undefined && type !== 'jwt') return 'The token is not an access token.'
  const ofOthers = ['nonce', 'at_hash', 'c_hash', 'events']
  return ofOthers.some((claim) => Object.hasOwn(payload, claim)) ? 'The token is not an access token.' : undefined
}

function admitted(payload: JWTPayload, settings: IdentitySettings, resource: Resource): Identified {
  const person = personIn(payload, settings)
  if (person === undefined) return { refusal: tokenInvalid(resource, invalid) }
  const granted = scopesOf(payload)
  if (!settings.scopes.every((scope) => granted.includes(scope))) return { refusal: scopeMissing(resource) }
  const client = clientOf(payload)
  return client === undefined ? person : { ...person, client }
}

/** RFC 9068 names it `client_id`, OpenID Connect `azp`. */
function clientOf({ azp, client_id }: JWTPayload): string | undefined {
  return [azp, client_id].find((one) => typeof one === 'string') as string | undefined
}

/** RFC 8693: one string separated by spaces; some issuers send a list as `scp`. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  if (typeof scope === 'string') return scope.split(' ')
  return Array.isArray(scp) ? scp.filter((one) => typeof one === 'string') : []
}

const invalid = 'The token is not valid here.'

function refusalFor(error: unknown, resource: Resource, onError: (error: unknown) => void) {
  if (error instanceof IssuerUnavailable) {
    onError(error)
    const message = 'Tokens cannot be verified now, because their issuer cannot be reached. Try again later.'
    return { status: 503, message, headers: { 'retry-after': '5' } } as const
  }
  if (error instanceof errors.JWTExpired) return tokenInvalid(resource, 'The token has expired.')
  if (error instanceof errors.JOSEError || error instanceof TypeError) return tokenInvalid(resource, invalid)
  throw error
}
