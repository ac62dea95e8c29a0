// A minimal HTTP browser: keeps cookies, follows redirects one by one, and submits the OpenID provider's login and consent pages.
import { createHash, randomBytes } from 'node:crypto'
import { agentRedirect, audience } from './provider.ts'

export interface Sent {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

export type Reach = (address: URL, init: Sent & { readonly redirect: 'manual' }) => Promise<Response>

export class LoginBrowser {
  /** By host and port. Real browsers share cookies between ports; the servers here use different cookie names. */
  readonly cookies = new Map<string, Map<string, string>>()
  readonly #reach: Reach

  constructor(reach: Reach = (address, init) => fetch(address, init)) {
    this.#reach = reach
  }

  async request(address: URL | string, init: Sent = {}): Promise<Response> {
    const url = new URL(address)
    const cookie = [...(this.cookies.get(url.host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...init.headers, ...(cookie === '' ? {} : { cookie }) }
    const response = await this.#reach(url, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(url.host, line)
    return response
  }

  /** Signs in at the provider as this person and accepts its consent page. Returns the callback URL. */
  async logIn(authorization: URL | string, person: string): Promise<URL> {
    let at = new URL(authorization)
    const provider = at.origin
    for (let hop = 0; hop < 12; hop++) {
      if (at.origin !== provider) return at
      const response = await this.request(at)
      const next = response.headers.get('location')
      if (next !== null) {
        at = new URL(next, at)
        continue
      }
      const page = await response.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      const action = /action="([^"]+)"/.exec(page)?.[1]
      if (prompt === undefined || action === undefined)
        throw new Error(`The provider returned ${response.status}: ${page}`)
      const filled = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login: person, password: 'x' } : {}) })
      const sent = await this.request(new URL(action, at), {
        method: 'POST',
        body: filled.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      at = new URL(sent.headers.get('location') ?? '', at)
    }
    throw new Error('Too many redirects at the provider.')
  }

  #keep(host: string, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const at = pair.indexOf('=')
    const jar = this.cookies.get(host) ?? new Map<string, string>()
    this.cookies.set(host, jar)
    const isGone = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=Thu, 01 Jan 1970/i.test(one))
    if (isGone) jar.delete(pair.slice(0, at))
    else jar.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

/** A bearer token for the MCP endpoint, as this person's agent would get it: from the same provider, with its own client. */
export async function agentToken(issuer: string, person: string): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const search = new URLSearchParams({
    client_id: 'agent',
    response_type: 'code',
    redirect_uri: agentRedirect,
    scope: 'openid mcp:use',
    resource: audience,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const back = await new LoginBrowser().logIn(`${issuer}/auth?${search}`, person)
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'agent',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: agentRedirect,
      code_verifier: verifier,
      resource: audience,
    }),
  })
  const { access_token } = (await response.json()) as { access_token?: string }
  if (access_token === undefined) throw new Error(`The provider gave no token: ${response.status}`)
  return access_token
}
