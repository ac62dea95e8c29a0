// A real OpenID provider on loopback with people who have accounts: its own login pages, codes, id tokens, and access
// tokens for the MCP endpoint. Its id tokens can be changed, as by a careless or compromised issuer.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import { freePort, listen } from '../listen.ts'

export const audience = 'https://assent.example.com/mcp'
export const inboxClient = { id: 'assent-inbox', secret: 'secret-of-the-inbox' }
export const agentRedirect = 'http://127.0.0.1:9/agent'

/** Changes the id token that the provider would issue. */
export type Forge = (claims: JWTPayload, sign: Sign) => Promise<string>
type Sign = (claims: JWTPayload, header?: Record<string, unknown>, key?: JWK) => Promise<string>

export interface TestIssuer {
  readonly url: string
  /** While set, it changes every id token. */
  forge: Forge | undefined
  /** The number of requests to the token endpoint. */
  readonly exchanges: number
  stop(): Promise<void>
}

export interface Account {
  readonly name?: unknown
  readonly groups?: readonly string[]
}

const people: Readonly<Record<string, Account>> = {
  ann: { name: 'Ann Lee', groups: ['ops'] },
  ben: { name: 'Ben Okafor', groups: ['dev'] },
  mallory: { name: 'Ann Lee', groups: [] },
  trickster: { name: '\u202Eeel nnA\u0007\n<b>', groups: ['ops', 'a\nb'] },
}

export function newKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), kid: randomUUID(), use: 'sig', alg: 'ES256' }
}

/** @param accounts by subject */
export async function anIssuer(
  redirects: readonly string[],
  accounts: Readonly<Record<string, Account>> = people,
): Promise<TestIssuer> {
  const key = newKey()
  let exchanges = 0
  // Not a port that another server may get once this one has stopped.
  const port = await freePort()
  const { origin: url, close } = await listen((request, response) => void provider.callback()(request, response), port)
  const provider = new Provider(url, configuration(key, redirects, accounts))
  const issuer: TestIssuer = {
    url,
    forge: undefined,
    get exchanges() {
      return exchanges
    },
    stop: close,
  }
  provider.use(async (context, next) => {
    if (context.path === '/token') exchanges++
    await next()
    const body = context.body as { id_token?: string } | undefined
    if (issuer.forge === undefined || typeof body?.id_token !== 'string') return
    const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1] ?? '', 'base64url').toString()) as JWTPayload
    const sign: Sign = async (payload, header = {}, by = key) =>
      new SignJWT(payload)
        .setProtectedHeader({ alg: 'ES256', ...(key.kid === undefined ? {} : { kid: key.kid }), ...header })
        .sign(await importJWK(by, 'ES256'))
    context.body = { ...body, id_token: await issuer.forge(claims, sign) }
  })
  return issuer
}

function configuration(
  key: JWK,
  redirects: readonly string[],
  accounts: Readonly<Record<string, Account>>,
): Configuration {
  const client = {
    grant_types: ['authorization_code'],
    response_types: ['code'],
    id_token_signed_response_alg: 'ES256',
  }
  return {
    jwks: { keys: [key as never] },
    clients: [
      { ...client, client_id: inboxClient.id, client_secret: inboxClient.secret, redirect_uris: [...redirects] },
      { ...client, client_id: 'agent', token_endpoint_auth_method: 'none', redirect_uris: [agentRedirect] },
    ] as never,
    cookies: { keys: [randomUUID()] },
    ttl: { Interaction: 3_600, Session: 3_600, Grant: 3_600, AccessToken: 3_600, IdToken: 3_600 },
    scopes: ['openid', 'profile', 'groups'],
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    // As most issuers do: requested claims are in the id token.
    conformIdTokenClaims: false,
    findAccount: async (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...accounts[id] }) as never,
    }),
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_context, resource) => ({
          scope: 'mcp:use',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  }
}
