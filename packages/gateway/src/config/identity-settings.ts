// The settings of the identity issuer, under `identity`.

import { choice, duration, text, url } from './kinds.ts'
import { list, optional, optionalGroup, required, type ValueOf, value } from './setting.ts'
import { issuerName } from './special-kinds.ts'
import { day, hour, minute } from './units.ts'

export const identitySettings = optionalGroup(
  'Authentication over HTTP. With `identity`, every request needs a bearer token of this issuer, and a person is identified by the issuer and the subject of the token. Without it, the gateway listens on loopback only, and every caller is the same local person.',
  {
    issuer: required(
      issuerName,
      'The issuer, exactly as in its metadata. Its keys are found through the metadata (OpenID Connect Discovery or RFC 8414).',
    ),
    audience: required(
      text('a text, preferably the address of this endpoint', /^\S+$/),
      'The required audience of tokens: the public address of this endpoint, such as `https://assent.example.com/mcp`.',
    ),
    resource: optional(
      url(),
      'The public address of this endpoint, if `audience` is something else. Clients request tokens for it.',
    ),
    scopes: list(
      text('a scope', /^[\x21\x23-\x5B\x5D-\x7E]+$/),
      [],
      'Scopes that a token must have. If one of them is missing, the request gets status 403.',
    ),
    algorithms: list(
      choice('RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'),
      ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'],
      'Accepted signature algorithms. Shared secrets (HS256) and unsigned tokens are never accepted.',
    ),
    token_type: value(
      choice('any', 'at+jwt'),
      'any',
      'With `at+jwt`, only tokens marked as access tokens (RFC 9068) are accepted; with `any`, also tokens without a type or with `JWT`. ID tokens and logout tokens are never accepted.',
    ),
    subject_claim: value(
      text('the name of a claim', /^\S+$/),
      'sub',
      'The claim that identifies a person. Change it only if the issuer gives a person a different `sub` in each client (Microsoft Entra ID: `oid`). Do not use a claim that can change or be reassigned, such as an email address.',
    ),
    groups_claim: optional(
      text('the name of a claim'),
      'The claim that lists the groups of a person, such as `groups`. Without it, people are in no group.',
    ),
    roles_claim: optional(
      text('the name of a claim'),
      'The claim that lists the roles of a person, for policies in Cedar (`principal.roles`): such as `roles`, or `realm_access.roles` for a member of an object. Without it, people have no roles.',
    ),
    clock_tolerance: value(
      duration(0, 5 * minute),
      30_000,
      'Tolerated difference between the clocks of issuer and gateway.',
    ),
    keys_fresh: value(
      duration(1_000, day),
      10 * minute,
      "How long the issuer's keys are cached before they are fetched again. An unknown key is fetched immediately.",
    ),
    keys_kept: value(
      duration(1_000, 7 * day),
      hour,
      'How long cached keys stay valid while the issuer cannot be reached. After that, requests are refused.',
    ),
  },
)

export type IdentitySettings = NonNullable<ValueOf<typeof identitySettings>>
