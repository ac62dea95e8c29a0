// A real OpenID provider that is reached through a link, and tokens of it that must let nobody in.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importJWK, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import Provider from 'oidc-provider'
import { newKey } from '../scripts/inbox/issuer.ts'
import { Link, type LinkOptions } from '../test/fleet/link.ts'

export const audience = 'https://assent.example.com/mcp'
const subject = 'ann'
const dayS = 24 * 60 * 60

export class LinkedIssuer {
  readonly #server: Server
  readonly #key: JWK
  readonly link: Link
  /** Its name, which is where it is reached: through the link. */
  readonly url: string

  private constructor(server: Server, key: JWK, link: Link, url: string) {
    this.#server = server
    this.#key = key
    this.link = link
    this.url = url
  }

  static async start(options: LinkOptions): Promise<LinkedIssuer> {
    const key = newKey()
    const server = createServer((request, response) => void provider.callback()(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const link = await Link.to(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 80, options)
    const url = `http://127.0.0.1:${link.port}`
    const features = { devInteractions: { enabled: false } }
    const provider = new Provider(url, { jwks: { keys: [key as never] }, features })
    return new LinkedIssuer(server, key, link, url)
  }

  get principal(): string {
    return `${this.url}#${subject}`
  }

  good(): Promise<string> {
    return this.#signed({})
  }

  /** Tokens that let nobody in, by what is wrong with them. */
  async bad(): Promise<Record<string, string>> {
    const nowS = Math.floor(Date.now() / 1_000)
    const stranger = newKey()
    return {
      expired: await this.#signed({ exp: nowS - 5 }),
      'of an issuer that is a day behind': await this.#signed({ iat: nowS - dayS, exp: nowS - dayS + 600 }),
      'of an issuer that is a day ahead': await this.#signed({
        iat: nowS + dayS,
        nbf: nowS + dayS,
        exp: nowS + 2 * dayS,
      }),
      'for somebody else': await this.#signed({ aud: 'https://elsewhere.example/mcp' }),
      'by a key that nobody knows': await this.#signed({}, stranger),
      'by a stranger under a known name': await this.#signed({}, { ...stranger, kid: this.#key.kid ?? '' }),
      unsigned: new UnsecuredJWT(this.#claims({})).encode(),
    }
  }

  async stop(): Promise<void> {
    await this.link.close()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #claims(changes: JWTPayload): JWTPayload {
    const nowS = Math.floor(Date.now() / 1_000)
    return { iss: this.url, aud: audience, sub: subject, iat: nowS, exp: nowS + 600, ...changes }
  }

  async #signed(changes: JWTPayload, key: JWK = this.#key): Promise<string> {
    return new SignJWT(this.#claims(changes))
      .setProtectedHeader({ alg: 'ES256', kid: key.kid ?? '' })
      .sign(await importJWK(key, 'ES256'))
  }
}
