// A token issuer on loopback. Tokens are signed by hand, so that anything can be wrong with them.
import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { type Listening, listen } from '../../test-kit/listen.ts'

interface Key {
  readonly id: string
  readonly secret: KeyObject
  readonly public: Record<string, unknown>
}

export class Issuer {
  readonly #key: Key = newKey()
  readonly #serve: RequestListener = (request, response) => {
    const keys = { keys: [this.#key.public] }
    const metadata = { issuer: this.url, jwks_uri: `${this.url}/keys` }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(request.url === '/keys' ? keys : metadata))
  }
  #server: Listening | undefined
  url = ''

  async start(): Promise<void> {
    this.#server = await listen(this.#serve)
    this.url = this.#server.origin
  }

  stop(): void {
    void this.#server?.close()
  }

  token(subject: string, audience: string, changes: object = {}, key: Key = this.#key): string {
    const nowS = Math.floor(Date.now() / 1_000)
    const claims = { iss: this.url, sub: subject, aud: audience, iat: nowS, exp: nowS + 3_600, ...changes }
    const head = encoded({ alg: 'ES256', typ: 'JWT', kid: key.id })
    const text = `${head}.${encoded(claims)}`
    return `${text}.${sign('sha256', Buffer.from(text), { key: key.secret, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
  }

  /** Invalid tokens for this audience, by what is wrong with them. */
  bad(subject: string, audience: string, other: Issuer): Record<string, string> {
    const good = this.token(subject, audience)
    const [head = '', claims = '', signature = ''] = good.split('.')
    const nowS = Math.floor(Date.now() / 1_000)
    const stranger = newKey(this.#key.id)
    const withHead = (header: object) => `${encoded(header)}.${claims}`
    const byPublicKey = withHead({ alg: 'HS256', typ: 'JWT', kid: this.#key.id })
    const mac = createHmac('sha256', JSON.stringify(this.#key.public)).update(byPublicKey).digest('base64url')
    return {
      expired: this.token(subject, audience, { exp: nowS - 3_600 }),
      'not valid yet': this.token(subject, audience, { nbf: nowS + 3_600 }),
      'without an end': this.token(subject, audience, { exp: undefined }),
      'without a subject': this.token(subject, audience, { sub: undefined }),
      'for another audience': this.token(subject, 'https://elsewhere.example/mcp'),
      'for another tenant': other.token(subject, audience),
      "another tenant's, with this one's name": other.token(subject, audience, { iss: this.url }),
      "by a stranger, under this issuer's key id": this.token(subject, audience, {}, stranger),
      unsigned: `${withHead({ alg: 'none' })}.`,
      'signed with the public key as a secret': `${byPublicKey}.${mac}`,
      'with other claims': `${head}.${encoded({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'ann' })}.${signature.slice(2)}aa`,
      'cut off': good.slice(0, -10),
      'with a key of its own': `${withHead({ alg: 'ES256', jwk: stranger.public })}.${signature}`,
      'that is none': 'x.y.z',
    }
  }
}

function newKey(id: string = randomUUID()): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  return { id, secret: privateKey, public: { ...jwk, kid: id, use: 'sig', alg: 'ES256' } }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
