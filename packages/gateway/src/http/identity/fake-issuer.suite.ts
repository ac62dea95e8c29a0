// An issuer on loopback whose documents a test can change, and which records the requests for them.

import type { IncomingHttpHeaders } from 'node:http'
import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import { listening } from '../../../../../test-kit/close-after-test.ts'
import { audience, newKey } from '../../../../../test-kit/oidc/provider.ts'

export interface FakeIssuer {
  readonly issuer: string
  readonly origin: string
  /** The key it signs with now. */
  key: JWK
  /** By path: a JSON document, or a function that responds itself. */
  documents: Record<string, unknown>
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  /** Replaces its only key. */
  rotate(): void
  /** A token with these claims, signed with its key. */
  sign(claims?: JWTPayload, header?: Record<string, unknown>): Promise<string>
}

/** @param path the path of the issuer's address */
export async function aFakeIssuer(path = ''): Promise<FakeIssuer> {
  const { url: origin } = await listening((request, response) => {
    const { url = '', headers } = request
    fake.requests.push({ path: url, headers })
    const document = fake.documents[url]
    if (typeof document === 'function') return void document(response)
    response.writeHead(document === undefined ? 404 : 200).end(JSON.stringify(document ?? {}))
  })
  const issuer = `${origin}${path}`
  const key = newKey()
  const fake: FakeIssuer = {
    issuer,
    origin,
    key,
    documents: {
      [`${path.replace(/\/$/, '')}/.well-known/openid-configuration`]: { issuer, jwks_uri: `${origin}/keys` },
      '/keys': { keys: [publicOf(key)] },
    },
    requests: [],
    rotate: () => {
      fake.key = newKey()
      fake.documents['/keys'] = { keys: [publicOf(fake.key)] }
    },
    sign: async (claims = {}, header = {}) => {
      const signing = new SignJWT({ iss: issuer, aud: audience, sub: 'ann', ...claims })
      if (!('exp' in claims)) signing.setExpirationTime('10m')
      return signing
        .setProtectedHeader({ alg: 'ES256', ...(fake.key.kid === undefined ? {} : { kid: fake.key.kid }), ...header })
        .sign(await importJWK(fake.key, 'ES256'))
    },
  }
  return fake
}

export function publicOf({ d: _private, ...key }: JWK): JWK {
  return key
}
