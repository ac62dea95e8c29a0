// The pages where people hand secrets over, as the relay and the servers behind it meet them.
//
// A server opens a page and puts its link as a question. The page gets its person here, when that question passes: the one on
// whose behalf the call runs. So a page that was opened for somebody else, by another server, or never asked about, can be
// used by nobody.

import type { KeyRing } from '@assent/core'
import type { Store } from '@assent/store'
import { secretPageLimits } from '../limits.ts'
import type { Call, Wanted } from '../relay/exchange.ts'
import type { JudgedLinks, LinkJudge } from '../relay/judge-links.ts'
import type { ServerConfig } from '../upstream/open-upstream.ts'
import { Credentials } from './credentials.ts'
import { pageAddress, readLink } from './page-address.ts'

export interface SecretPagesOptions {
  readonly store: Store
  readonly tenant: string
  readonly keys: KeyRing
}

const notForServers =
  'This link leads into the inbox, where no server may send anyone; only a page of its own for a secret may be asked about.'
const notTheirs =
  'This link leads to a page for a secret that is not open for this server and this person. Nobody was asked.'
const lookalike = 'This link looks like a page for a secret and leads elsewhere. Nobody was asked.'

export class SecretPages implements LinkJudge {
  readonly #store: Store
  readonly #tenant: string
  readonly credentials: Credentials
  #base: URL | undefined
  #origin = ''

  constructor({ store, tenant, keys }: SecretPagesOptions) {
    this.#store = store
    this.#tenant = tenant
    this.credentials = new Credentials(keys)
  }

  /**
   * Now that it is known where everything is.
   * @param base where people reach the inbox
   * @param origin where servers on this machine reach the gateway
   */
  openAt(base: string, origin: string): void {
    this.#base = new URL(base)
    this.#origin = origin
  }

  use(servers: Readonly<Record<string, ServerConfig>>): void {
    this.credentials.use(servers)
  }

  /** What a server that is allowed secrets finds in its environment when it is started. */
  environmentOf(server: string): Record<string, string> {
    return { ASSENT_SECRETS_URL: this.#origin, ASSENT_SECRETS_TOKEN: this.credentials.tokenFor(server) }
  }

  /** The address of a new page. Undefined while too many are open. */
  async open(server: string, id: string, publicKey: string, decideWithinMs: number): Promise<string | undefined> {
    if (this.#base === undefined) throw new Error('The inbox is not open yet.')
    const { keepMs, perServer, inAll } = secretPageLimits
    const limits = { decideWithinMs, keepMs, perServer, inAll }
    const opened = await this.#store.secrets.open({ tenant: this.#tenant, id, server, publicKey, ...limits })
    return opened === undefined ? undefined : pageAddress(this.#base, id)
  }

  async judge(call: Call, server: string, wanted: Readonly<Record<string, Wanted>>): Promise<JudgedLinks> {
    const base = this.#base
    const entries = Object.entries(wanted)
    if (base === undefined || !entries.some(([, { kind }]) => kind === 'url')) return { wanted, refused: {} }
    const judged: [string, Wanted][] = []
    const refused: [string, string][] = []
    for (const [key, one] of entries) {
      const link = one.kind === 'url' ? readLink(base, one.url) : undefined
      if (link?.kind === 'ours') refused.push([key, notForServers])
      if (link?.kind === 'lookalike') refused.push([key, lookalike])
      if (one.kind !== 'url' || link?.kind !== 'page') {
        judged.push([key, one])
        continue
      }
      const page = { tenant: this.#tenant, id: link.id, server }
      const bound = call.tenant === this.#tenant ? await this.#store.secrets.bind(page, call.principal) : undefined
      if (bound === undefined) refused.push([key, notTheirs])
      else judged.push([key, { ...one, secret: { page: link.id, ...bound } }])
    }
    return { wanted: Object.fromEntries(judged), refused: Object.fromEntries(refused) }
  }
}
