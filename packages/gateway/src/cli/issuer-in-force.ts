// The issuer by which people are known, across reloads.
//
// Owns: the keys of the issuer in force, and reading them for the first time.
// I1  Agents and the inbox use the keys of the same issuer at every moment.
// I2  A reload brings another issuer into force only after its keys, and with an inbox its metadata for signing in, were
//     read.

import type { Config, IdentitySettings } from '../config/settings.ts'
import { issuerKeysOf } from '../identity/identify.ts'
import type { IssuerKeys } from '../identity/issuer-keys.ts'
import { Issuer } from '../inbox/issuer.ts'
import { identityLimits } from '../limits.ts'
import { reasonOf } from '../relay/exchange.ts'
import type { Log } from '../watch/log.ts'
import { loginOf } from './inbox.ts'

export class IssuerInForce {
  readonly #log: Pick<Log, 'trouble' | 'info' | 'warn'>
  #settings: IdentitySettings | undefined
  #keys: IssuerKeys | undefined
  #isClosed = false

  constructor({ identity }: Pick<Config, 'identity'>, log: Pick<Log, 'trouble' | 'info' | 'warn'>) {
    this.#log = log
    this.#settings = identity
    this.#keys = identity === undefined ? undefined : issuerKeysOf(identity, log.trouble)
  }

  /** Undefined without an issuer. */
  get keys(): IssuerKeys | undefined {
    return this.#keys
  }

  /** True without an issuer. */
  get areKeysRead(): boolean {
    return this.#keys?.areRead ?? true
  }

  /** Reads the keys, and tries again until it has them once. */
  async begin(): Promise<void> {
    let lastReason: string | undefined
    while (!this.areKeysRead && !this.#isClosed) {
      try {
        await this.#keys?.read()
        if (lastReason !== undefined) this.#log.info({}, 'The keys of the issuer were read.')
      } catch (error) {
        const reason = reasonOf(error)
        if (reason !== lastReason) this.#log.warn({ reason }, 'Not ready: the keys of the issuer cannot be read.')
        lastReason = reason
        await new Promise((resolve) => setTimeout(resolve, identityLimits.firstReadMs).unref())
      }
    }
  }

  /**
   * The keys for another configuration. Throws, in words, when its issuer cannot be used; the issuer that is in force
   * already is not asked again.
   */
  async prepare(before: Config, after: Config): Promise<IssuerKeys | undefined> {
    const { identity } = after
    if (identity === undefined) return undefined
    const isSame = this.#keys !== undefined && this.#settings !== undefined && haveSameKeys(this.#settings, identity)
    const keys = isSame && this.#keys !== undefined ? this.#keys : issuerKeysOf(identity, this.#log.trouble)
    if (!isSame) await checkIssuer(keys)
    const { login } = loginOf(after)
    const isNewLogin = JSON.stringify(login) !== JSON.stringify(loginOf(before).login)
    if (login !== undefined && isNewLogin) await new Issuer(login).configuration()
    return keys
  }

  use(identity: IdentitySettings | undefined, keys: IssuerKeys | undefined): void {
    this.#settings = identity
    this.#keys = keys
  }

  close(): void {
    this.#isClosed = true
  }
}

/** How many keys it has. Throws when they cannot be read, or there is none. */
export async function checkIssuer(keys: IssuerKeys): Promise<number> {
  const count = await keys.read()
  if (count === 0) throw new Error('The issuer has published no key, so no token could be verified.')
  return count
}

function haveSameKeys(one: IdentitySettings, other: IdentitySettings): boolean {
  return one.issuer === other.issuer && one.keys_fresh === other.keys_fresh && one.keys_kept === other.keys_kept
}
