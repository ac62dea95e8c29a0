// A real OpenID provider behind a faulty link, and invalid tokens.

import { importJWK, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import Provider from 'oidc-provider'
import { Link, type LinkOptions } from '../../test-kit/faulty-link.ts'
import { type Listening, listen } from '../../test-kit/listen.ts'
import { newKey } from '../../test-kit/oidc/provider.ts'

export const audience = 'https://assent.example.com/mcp'
const subject = 'ann'
const dayS = 24 * 60 * 60

export class LinkedIssuer {
  readonly #server: Listening
  readonly #key: JWK
  readonly link: Link
  /** The issuer URL, which leads through the link. */
  readonly url: string

  private constructor(server: Listening, key: JWK, link: Link, url: string) {
    this.#server = server
    this.#key = key
    this.link = link
    this.url = url
  }

  static async start(options: LinkOptions): Promise<LinkedIssuer> {
    const key = newKey()
    const server = await listen((request, response) => void provider.callback()(request, response))
    const link = await Link.to(server.origin, 80, options)
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

  /** Invalid tokens, by what is wrong with them. */
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
      'for another audience': await this.#signed({ aud: 'https://elsewhere.example/mcp' }),
      'by an unknown key': await this.#signed({}, stranger),
      'by an unknown key with a known key id': await this.#signed({}, { ...stranger, kid: this.#key.kid ?? '' }),
      unsigned: new UnsecuredJWT(this.#claims({})).encode(),
    }
  }

  async stop(): Promise<void> {
    await this.link.close()
    await this.#server.close()
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
