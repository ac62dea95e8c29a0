// The cookie that carries a session.
//
// Over https it is `__Host-`: this host alone, and never unencrypted. Browsers do not agree on whether plain http on
// loopback may set such a cookie (Safari refuses), so there it goes without, under a name with the port: cookies do not
// tell ports apart, and two inboxes on one machine must not sign each other out.

import { inboxLimits } from '../limits.ts'

export class SessionCookie {
  readonly #name: string
  readonly #attributes: string

  constructor(base: URL) {
    const isHttps = base.protocol === 'https:'
    this.#name = isHttps ? '__Host-assent' : `assent-${base.port || '80'}`
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`
  }

  set(token: string): string {
    return `${this.#name}=${token}; Max-Age=${inboxLimits.sessionMs / 1_000}; ${this.#attributes}`
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
