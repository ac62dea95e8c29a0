// A real OpenID provider on loopback, whose keys a test may change and which it may switch off.

import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { closeAfterTest } from '../close-after-test.ts'
import { freePort, type Listening, listen } from '../listen.ts'
import { audience, newKey } from './provider.ts'

const people = ['ann', 'bob']

export interface TestProvider {
  readonly issuer: string
  /** The key it signs with now. */
  readonly key: JWK
  /** A token for one of the people, issued in the usual way. */
  token(request?: { person?: string; resource?: string; scope?: string }): Promise<string>
  /** A token with arbitrary claims, signed with its own key, as from a careless or compromised issuer. */
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>
  stop(): Promise<void>
  /** Restarts at the same address, with these keys or the previous ones. */
  start(key?: JWK): Promise<void>
}

export async function aProvider({ tokenSeconds = 600 } = {}): Promise<TestProvider> {
  let key = newKey()
  let server: Listening | undefined
  const stop = async () => {
    const stopping = server
    server = undefined
    await stopping?.close()
  }
  const port = await freePort()
  const start = async (next: JWK = key) => {
    await stop()
    key = next
    server = await listen((request, response) => void provider.callback()(request, response), port)
    const provider = new Provider(server.origin, configuration(key, tokenSeconds))
  }
  await start()
  closeAfterTest(stop)
  const issuer = `http://127.0.0.1:${port}`
  return {
    issuer,
    get key() {
      return key
    },
    stop,
    start,
    token: async ({ person = 'ann', resource = audience, scope = 'mcp:use' } = {}) => {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        // It may be restarted before the next request, which would then fail on the old connection.
        headers: {
          connection: 'close',
          authorization: `Basic ${Buffer.from(`${person}:secret-of-${person}`).toString('base64')}`,
        },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
      })
      const { access_token } = (await response.json()) as { access_token?: string }
      if (access_token === undefined) throw new Error(`The provider gave no token: ${response.status}`)
      return access_token
    },
    sign: async (claims, header = {}) => {
      const signing = new SignJWT({ iss: issuer, aud: audience, sub: 'ann', scope: 'mcp:use', ...claims })
      const exp = 'exp' in claims ? undefined : '10m'
      if (exp !== undefined) signing.setExpirationTime(exp)
      return signing
        .setProtectedHeader({ alg: 'ES256', ...(key.kid === undefined ? {} : { kid: key.kid }), ...header })
        .sign(await importJWK(key, 'ES256'))
    },
  }
}

function configuration(key: JWK, tokenSeconds: number): Configuration {
  return {
    jwks: { keys: [key as never] },
    clients: people.map((person) => ({
      client_id: person,
      client_secret: `secret-of-${person}`,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: 'ES256',
    })),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_context, resource) => ({
          scope: 'mcp:use other',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: tokenSeconds,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  }
}
