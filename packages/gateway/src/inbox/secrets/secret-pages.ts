// The pages where people enter secrets, for the relay and the servers behind it.
//
// A server opens a page and sends its link as a question. When the relay passes that question on, the page is bound to
// the person on whose behalf the call runs. So a page that was opened for somebody else, by another server, or never
// asked about, cannot be used.

import type { KeyRing } from '@assent/core'
import type { Store } from '@assent/store'
import type { Call, InputRequest } from '../../call/model.ts'
import type { LinkScreen, ScreenedLinks } from '../../call/screen/screen-links.ts'
import type { ServerConfig } from '../../servers/open-upstream.ts'
import { secretPageLimits } from '../limits.ts'
import { secretPageRefusals } from '../text/requests.ts'
import { Credentials } from './credentials.ts'
import { pageAddress, readLink } from './page-address.ts'

export interface SecretPagesOptions {
  readonly store: Store
  readonly tenant: string
  readonly keys: KeyRing
}

const { notForServers, notTheirs, lookalike } = secretPageRefusals

export class SecretPages implements LinkScreen {
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
   * Called when the listening addresses are known.
   * @param base the address of the inbox for people
   * @param origin the address of the gateway for servers on this machine
   */
  openAt(base: string, origin: string): void {
    this.#base = new URL(base)
    this.#origin = origin
  }

  use(servers: Readonly<Record<string, ServerConfig>>): void {
    this.credentials.use(servers)
  }

  /** The environment variables for a server that may ask for secrets. */
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

  async judge(call: Call, server: string, wanted: Readonly<Record<string, InputRequest>>): Promise<ScreenedLinks> {
    const base = this.#base
    const entries = Object.entries(wanted)
    if (base === undefined || !entries.some(([, { kind }]) => kind === 'url')) return { wanted, refused: {} }
    const judged: [string, InputRequest][] = []
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
