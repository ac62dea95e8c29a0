// Who sends a request, by the bearer token it carries. Every request is verified anew; nothing is remembered of a caller.
//
// The token stays here: nothing behind the door sees it, and no server is ever sent it.

import type { IncomingMessage } from 'node:http'
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import type { IdentitySettings } from '../config/settings.ts'
import type { Identified, Identify } from '../door/door.ts'
import { header } from '../wire/http.ts'
import { type Resource, requestInvalid, scopeMissing, tokenInvalid, tokenNeeded } from './challenge.ts'
import { IssuerKeys, IssuerUnavailable } from './issuer-keys.ts'
import { personIn } from './person.ts'

export function resourceOf({ audience, resource, issuer, scopes }: IdentitySettings): Resource {
  return { address: resource ?? new URL(audience), issuer, scopes }
}

export function issuerKeysOf(settings: IdentitySettings, onTrouble: (error: unknown) => void): IssuerKeys {
  const times = { freshMs: settings.keys_fresh, keptMs: settings.keys_kept }
  return new IssuerKeys(settings.issuer, times, onTrouble)
}

/**
 * @param nowMs what tokens are judged by: the time that all replicas share, where there is one
 * @param keys of the issuer of these settings
 */
export function identifyBy(
  settings: IdentitySettings,
  onTrouble: (error: unknown) => void,
  nowMs: () => number = Date.now,
  keys: IssuerKeys = issuerKeysOf(settings, onTrouble),
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
      return { refusal: refusalFor(error, resource, onTrouble) }
    }
  }
}

/** The token of a request, or why it is refused before any token is looked at. */
function tokenIn(request: IncomingMessage, resource: Resource): string | Identified {
  // RFC 6750, 5.3: addresses are written down in many places. One that holds a token is refused even beside a good header.
  if (/[?&]access_token=/i.test(request.url ?? '')) {
    return { refusal: requestInvalid(resource, 'A token is sent in the Authorization header, never in the address.') }
  }
  const authorization = header(request, 'authorization')
  if (authorization === undefined) return { refusal: tokenNeeded(resource) }
  const [, token] = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization) ?? []
  return token ?? { refusal: tokenInvalid(resource, 'The Authorization header holds no bearer token.') }
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

/** RFC 8693 spells them as one text; some issuers send a list under a name of their own. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  if (typeof scope === 'string') return scope.split(' ')
  return Array.isArray(scp) ? scp.filter((one) => typeof one === 'string') : []
}

const invalid = 'The token is not valid here.'

function refusalFor(error: unknown, resource: Resource, onTrouble: (error: unknown) => void) {
  if (error instanceof IssuerUnavailable) {
    onTrouble(error)
    const message = 'Tokens cannot be verified now, because their issuer cannot be reached. Try again later.'
    return { status: 503, message, headers: { 'retry-after': '5' } } as const
  }
  if (error instanceof errors.JWTExpired) return tokenInvalid(resource, 'The token has expired.')
  if (error instanceof errors.JOSEError || error instanceof TypeError) return tokenInvalid(resource, invalid)
  throw error
}
