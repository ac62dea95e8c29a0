// A browser without a screen that signs in by link and signs its requests as the web app does: for tests, proofs and
// benches. Each brings its own function to send requests; the signing is the same.

import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { signedText } from '../../packages/gateway/src/inbox/signed-request.ts'

export interface Sent {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
}

/** Sends one request to a path of the inbox. */
export type Send = (path: string, init: Sent) => Promise<Response>

const nonceFreshMs = 10_000

export class SigningBrowser {
  readonly origin: string
  readonly session: string
  readonly #send: Send
  readonly #key: KeyObject
  readonly #listenerSecret: string
  #nonce: { readonly text: string; readonly atMs: number } | undefined

  private constructor(origin: string, send: Send, key: KeyObject, session: string, listenerSecret: string) {
    this.origin = origin
    this.#send = send
    this.#key = key
    this.session = session
    this.#listenerSecret = listenerSecret
  }

  /** @param link as `assent inbox link` prints it */
  static async signIn(link: string, send: Send = overHttp(new URL(link).origin)): Promise<SigningBrowser> {
    const { response, key } = await redeem(link, send)
    if (response.status !== 200) throw new Error(`Signing in: ${response.status} ${await response.text()}`)
    const { session, listenerSecret } = (await response.json()) as { session: string; listenerSecret: string }
    return new SigningBrowser(new URL(link).origin, send, key, session, listenerSecret)
  }

  /** The same browser at another listener, such as the one that took over. */
  at(send: Send): SigningBrowser {
    return new SigningBrowser(this.origin, send, this.#key, this.session, this.#listenerSecret)
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.request('GET', path, headers)
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.request('POST', path, { ...fromOurPage(this.origin), ...headers }, textOf(body))
  }

  /** With a nonce of the listener; repeats once if the nonce was stale. */
  async request(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Response> {
    const attempt = async () =>
      this.#send(path, {
        method,
        headers: { 'assent-proof': await this.proof(method, path, body), ...headers },
        ...(body === undefined ? {} : { body }),
      })
    const response = await attempt()
    if (response.status !== 401 || !(await response.clone().text()).includes('"unverified"')) return response
    this.#nonce = undefined
    return attempt()
  }

  /** The value of the header `assent-proof`. */
  async proof(method: string, path: string, body = '', nonce?: string): Promise<string> {
    const { pathname, search } = new URL(path, this.origin)
    const parts = {
      session: this.session,
      nonce: nonce ?? (await this.nonce()),
      requestId: randomBytes(16).toString('base64url'),
      bodyDigest: createHash('sha256').update(body).digest('base64url'),
    }
    const text = Buffer.from(signedText(method, pathname + search, parts))
    const signature = sign('sha256', text, { key: this.#key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
    return [parts.session, parts.nonce, parts.requestId, parts.bodyDigest, signature].join('.')
  }

  /** Throws unless the listener proves that it is the one this browser signed in at. */
  async nonce(): Promise<string> {
    if (this.#nonce !== undefined && performance.now() - this.#nonce.atMs < nonceFreshMs) return this.#nonce.text
    const challenge = randomBytes(32).toString('base64url')
    const headers = { 'assent-session': this.session }
    const response = await this.#send(`/api/nonce?challenge=${challenge}`, { method: 'GET', headers })
    // Signed out: requests signed with an empty nonce are refused with the reason.
    if (response.status === 401) return 'x'.repeat(22)
    const { nonce, proof } = (await response.json()) as { nonce: string; proof: string }
    const port = new URL(this.origin).port || '80'
    const text = ['assent listener for a browser v1', challenge, port, nonce].join('\n')
    const expected = createHmac('sha256', Buffer.from(this.#listenerSecret, 'base64url'))
      .update(text)
      .digest('base64url')
    if (proof !== expected) throw new Error('The listener could not prove that it is the inbox.')
    this.#nonce = { text: nonce, atMs: performance.now() }
    return nonce
  }
}

/** Sends the code of a link with a new key. */
export async function redeem(link: string, send: Send): Promise<{ response: Response; key: KeyObject }> {
  const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code')
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = JSON.stringify({ code, publicKey: pointOf(publicKey) })
  const response = await send('/api/sign-in', { method: 'POST', headers: fromOurPage(new URL(link).origin), body })
  return { response, key: privateKey }
}

/** A public key as a browser sends it. */
export function aPublicKey(): string {
  return pointOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)
}

export function fromOurPage(origin: string): Record<string, string> {
  return { origin, 'assent-inbox': '1', 'content-type': 'application/json' }
}

export function overHttp(origin: string): Send {
  return (path, init) => fetch(new URL(path, origin), init)
}

function pointOf(key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' }) as { x?: string; y?: string }
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString(
    'base64url',
  )
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
