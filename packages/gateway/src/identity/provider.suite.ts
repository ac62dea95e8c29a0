// A real OpenID provider on loopback, whose keys a test may change and which it may switch off.

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { putAwayLater } from '../contract/stage.suite.ts'

export const audience = 'https://assent.example.com/mcp'
const people = ['ann', 'bob']

export interface TestProvider {
  readonly issuer: string
  /** The key it signs with now. */
  readonly key: JWK
  /** A token it gives to one of the people, as they would get it. */
  token(request?: { person?: string; resource?: string; scope?: string }): Promise<string>
  /** A token under its own key, with whatever is in it: what a careless or captured issuer might make. */
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>
  stop(): Promise<void>
  /** Comes back at the same address, with these keys or the ones before. */
  start(key?: JWK): Promise<void>
}

export function newKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), kid: randomUUID(), use: 'sig', alg: 'ES256' }
}

export async function aProvider({ tokenSeconds = 60 } = {}): Promise<TestProvider> {
  let key = newKey()
  let server: Server | undefined
  let port = 0
  const stop = async () => {
    const stopping = server
    server = undefined
    if (stopping === undefined) return
    stopping.closeAllConnections()
    await new Promise((resolve) => stopping.close(resolve))
  }
  const start = async (next: JWK = key) => {
    await stop()
    key = next
    const begun = createServer((request, response) => void provider.callback()(request, response))
    await new Promise<void>((resolve) => begun.listen(port, '127.0.0.1', resolve))
    port = (begun.address() as AddressInfo).port
    const provider = new Provider(`http://127.0.0.1:${port}`, configuration(key, tokenSeconds))
    server = begun
  }
  await start()
  putAwayLater(stop)
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
        // It may be restarted before the next one, and would then not know the connection.
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
      const exp = 'exp' in claims ? undefined : '1m'
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
