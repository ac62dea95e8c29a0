// The cookies of the inbox: one for the session, and one for a login while the person is at the issuer.
//
// Over https they have the `__Host-` prefix: this host only, and never unencrypted. Browsers do not agree on whether
// plain http on loopback may set such a cookie (Safari refuses), so there they have no prefix and a name with the port:
// cookies are shared between ports, and two inboxes on one machine must not sign each other out.

import { inboxLimits } from './limits.ts'

export class Cookie {
  readonly #name: string
  readonly #seconds: number
  readonly #attributes: string

  private constructor(base: URL, suffix: string, sameSite: 'Strict' | 'Lax', lifeMs: number) {
    const isHttps = base.protocol === 'https:'
    this.#name = isHttps ? `__Host-assent${suffix}` : `assent${suffix}-${base.port || '80'}`
    this.#seconds = Math.floor(lifeMs / 1_000)
    this.#attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isHttps ? '; Secure' : ''}`
  }

  static ofSession(base: URL, sessionMs: number): Cookie {
    return new Cookie(base, '', 'Strict', sessionMs)
  }

  /** Lax, because the issuer redirects the person back: with Strict the browser would not send the cookie then. */
  static ofLogin(base: URL): Cookie {
    return new Cookie(base, '-login', 'Lax', inboxLimits.loginMs)
  }

  set(value: string): string {
    return `${this.#name}=${value}; Max-Age=${this.#seconds}; ${this.#attributes}`
  }

  clear(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`
  }

  read(header: string | null): string | undefined {
    for (const pair of (header ?? '').split(';')) {
      const [name = '', value = ''] = pair.trim().split('=', 2)
      if (name === this.#name && value !== '') return value
    }
    return undefined
  }
}
