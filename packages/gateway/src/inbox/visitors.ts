// Authenticates requests to the API: by a session cookie, or by a session and the browser's key.
//
// Over https the cookie is for this host only (`__Host-`). Over plain http, which is loopback, browsers send cookies to
// every port and so to any local program, so a session is bound to a non-extractable key in the browser.

import type { KeyObject } from 'node:crypto'
import type { NonceView } from '@assent/core'
import type { InboxSession } from '@assent/store'
import { readBytes, tooLarge } from './body.ts'
import type { Cookie } from './cookie.ts'
import { inboxLimits } from './limits.ts'
import { challengePattern, portOf, proofForBrowser } from './listener-proof.ts'
import { Nonces } from './nonces.ts'
import { notFound, problem } from './problem.ts'
import type { SignIn } from './sign-in.ts'
import { bodyDigest, isSignedBy, proofHeader, readProof, readPublicKey } from './signed-request.ts'
import { signInRefusals as words } from './text/sign-in.ts'

export type Visitor =
  | { readonly ok: true; readonly token: string; readonly session: InboxSession; readonly request: Request }
  | { readonly ok: false; readonly response: Response }

export interface Visitors {
  identify(request: Request): Promise<Visitor>
  /** `GET /api/nonce`: proves the listener's identity to a signed-in browser, and returns the next nonce. */
  nonce(request: Request): Promise<Response>
}

const signedOut = () => ({ ok: false, response: problem('signed-out', words.signInFirst) }) as const

export function byCookie(signIn: SignIn, cookie: Cookie): Visitors {
  return {
    identify: async (request) => {
      const token = cookie.read(request.headers.get('cookie'))
      const session = token === undefined ? undefined : await signIn.whoLately(token)
      // A session bound to a key is not accepted from a cookie.
      if (token === undefined || session === undefined || session.browser !== undefined) return signedOut()
      return { ok: true, token, session, request }
    },
    nonce: async () => notFound(),
  }
}

const sessionHeader = 'assent-session'

export class ByKey implements Visitors {
  readonly #signIn: SignIn
  readonly #port: string
  readonly #nonces = new Nonces()
  /** Parsed keys by their text; parsing costs more than verifying a signature. */
  readonly #keys = new Map<string, KeyObject>()

  constructor(signIn: SignIn, base: URL) {
    this.#signIn = signIn
    this.#port = portOf(base)
  }

  async identify(request: Request): Promise<Visitor> {
    const proof = readProof(request.headers.get(proofHeader))
    const session = proof === undefined ? undefined : await this.#sessionOf(proof.session)
    const key = session === undefined ? undefined : this.#keyOf(session.browser.publicKey)
    if (proof === undefined || session === undefined || key === undefined) return signedOut()
    if (!isSignedBy(key, request, proof)) return unverified(words.otherKey)
    if (!this.#nonces.use(proof.nonce, proof.requestId)) return unverified(words.staleNonce)
    const sent = await withBody(request, proof.bodyDigest)
    return sent instanceof Request
      ? { ok: true, token: proof.session, session, request: sent }
      : { ok: false, response: sent }
  }

  async nonce(request: Request): Promise<Response> {
    const challenge = new URL(request.url).searchParams.get('challenge') ?? ''
    if (!challengePattern.test(challenge)) return problem('malformed', words.challenge)
    const session = await this.#sessionOf(request.headers.get(sessionHeader) ?? '')
    if (session === undefined) return signedOut().response
    const nonce = this.#nonces.current()
    const proof = proofForBrowser(session.browser.listenerSecret, challenge, this.#port, nonce)
    const view: NonceView = { nonce, proof }
    return Response.json(view)
  }

  /** Valid only at the port where the session was created, and only if it is bound to a key. */
  async #sessionOf(token: string): Promise<(InboxSession & Required<Pick<InboxSession, 'browser'>>) | undefined> {
    if (!/^[\w-]{43}$/.test(token)) return undefined
    const session = await this.#signIn.who(token)
    const { browser } = session ?? {}
    if (session === undefined || browser === undefined || String(browser.port) !== this.#port) return undefined
    return { ...session, browser }
  }

  #keyOf(text: string): KeyObject | undefined {
    const known = this.#keys.get(text)
    if (known !== undefined) return known
    const key = readPublicKey(text)
    if (this.#keys.size >= inboxLimits.browserKeys) this.#keys.clear()
    if (key !== undefined) this.#keys.set(text, key)
    return key
  }
}

/** The request with its signed body, or the refusal if the body does not match the signature. */
async function withBody(request: Request, digest: string): Promise<Request | Response> {
  if (request.body === null)
    return digest === bodyDigest(new Uint8Array()) ? request : unverified(words.otherBody).response
  const bytes = await readBytes(request, inboxLimits.bodyBytes)
  if (bytes === undefined) return tooLarge(inboxLimits.bodyBytes)
  if (bodyDigest(bytes) !== digest) return unverified(words.otherBody).response
  const { url, method, headers } = request
  return new Request(url, { method, headers, body: new Uint8Array(bytes) })
}

function unverified(message: string): { readonly ok: false; readonly response: Response } {
  return { ok: false, response: problem('unverified', message) }
}
