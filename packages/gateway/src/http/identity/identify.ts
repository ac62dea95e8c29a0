// Authenticates a request by its bearer token. A token is verified once and then recognised (`verified-tokens.ts`).
//
// The token does not leave this module: it is not passed on within the gateway or to any server.

import type { IncomingMessage } from 'node:http'
import { compact } from '@assent/core'
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'
import type { Identity } from '../../call/local-person.ts'
import type { IdentitySettings } from '../../config/identity-settings.ts'
import { header } from '../../protocol/http.ts'
import type { Identified, Identify, Refusal } from '../server.ts'
import { type Resource, requestInvalid, scopeMissing, tokenInvalid, tokenNeeded } from './challenge.ts'
import { IssuerKeys, IssuerUnavailable } from './issuer-keys.ts'
import { groupsOmitted, omitsGroups, personIn, rolesIn } from './person.ts'
import { VerifiedTokens } from './verified-tokens.ts'

export function resourceOf({ audience, resource, issuer, scopes }: IdentitySettings): Resource {
  return { address: resource ?? new URL(audience), issuer, scopes }
}

/** @param excludesRequester whether policies have to recognise the requester of a call among its approvers */
export function issuerKeysOf(
  settings: IdentitySettings,
  onError: (error: unknown) => void,
  excludesRequester = false,
): IssuerKeys {
  const times = { freshMs: settings.keys_fresh, keptMs: settings.keys_kept }
  const refusesPairwise = needsOneSubject(settings, excludesRequester)
  return new IssuerKeys(settings.issuer, { ...times, refusesPairwise }, onError)
}

/** Whether `sub` has to be the same in all applications of the issuer. */
export function needsOneSubject({ subject_claim }: IdentitySettings, excludesRequester: boolean): boolean {
  return excludesRequester && subject_claim === 'sub'
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
  const verified = new VerifiedTokens(settings.clock_tolerance)
  return async (request) => {
    const token = tokenIn(request, resource)
    if (typeof token !== 'string') return token
    const now = nowMs()
    const known = verified.find(token, keys.inForce, now)
    if (known !== undefined) return known
    try {
      const keysBefore = keys.inForce
      const currentDate = new Date(now)
      const { payload, protectedHeader } = await jwtVerify(token, keys.find, { ...options, currentDate })
      const problem = accessTokenProblem(protectedHeader, payload, settings.token_type)
      if (problem !== undefined) return { refusal: tokenInvalid(resource, problem) }
      const identified = admitted(payload, settings, resource)
      // Keys that were fetched meanwhile may not contain the one that verified this token.
      if (!('refusal' in identified) && keysBefore !== undefined && keysBefore === keys.inForce) {
        verified.add(token, identified, { keys: keysBefore, expSeconds: payload.exp ?? 0, nowMs: now })
      }
      return identified
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

function admitted(
  payload: JWTPayload,
  settings: IdentitySettings,
  resource: Resource,
): Identity | { readonly refusal: Refusal } {
  const person = personIn(payload, settings)
  if (person === undefined) return { refusal: tokenInvalid(resource, invalid) }
  if (omitsGroups(payload, settings)) return { refusal: tokenInvalid(resource, groupsOmitted) }
  const granted = scopesOf(payload)
  if (!settings.scopes.every((scope) => granted.includes(scope))) return { refusal: scopeMissing(resource) }
  const client = clientOf(payload)
  const roles = settings.roles_claim === undefined ? undefined : rolesIn(payload, settings.roles_claim)
  return { ...person, ...compact({ client, roles }) }
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
