// The identity issuer in force, across reloads.
//
// Owns: the keys of the issuer in force, and their first read.
// I1  Agents and the inbox use the keys of the same issuer at every moment.
// I2  A reload switches to another issuer only after its keys, and with an inbox its sign-in metadata, were read.

import { reasonOf } from '../call/model.ts'
import type { IdentitySettings } from '../config/identity-settings.ts'
import type { Config } from '../config/settings.ts'
import { issuerKeysOf, needsOneSubject } from '../http/identity/identify.ts'
import type { IssuerKeys } from '../http/identity/issuer-keys.ts'
import { Issuer } from '../inbox/issuer.ts'
import { identityLimits } from '../limits.ts'
import { sleep } from '../protocol/sleep.ts'
import type { Log } from '../telemetry/log.ts'
import { loginOf } from './inbox.ts'
import { gatewayLog, startText } from './text/gateway.ts'

export class IssuerInForce {
  readonly #log: Pick<Log, 'exception' | 'info' | 'warn'>
  #settings: IdentitySettings | undefined
  #excludesRequester: boolean
  #keys: IssuerKeys | undefined
  readonly #closing = new AbortController()

  /** @param excludesRequester whether the policies in force exclude the requester of a call */
  constructor(
    { identity }: Pick<Config, 'identity'>,
    log: Pick<Log, 'exception' | 'info' | 'warn'>,
    excludesRequester = false,
  ) {
    this.#log = log
    this.#settings = identity
    this.#excludesRequester = excludesRequester
    this.#keys = identity === undefined ? undefined : issuerKeysOf(identity, log.exception, excludesRequester)
  }

  /** Undefined without an issuer. */
  get keys(): IssuerKeys | undefined {
    return this.#keys
  }

  /** True without an issuer. */
  get areKeysRead(): boolean {
    return this.#keys?.areRead ?? true
  }

  /** Reads the keys, and retries until the first success. */
  async begin(): Promise<void> {
    let lastReason: string | undefined
    while (!this.areKeysRead && !this.#closing.signal.aborted) {
      try {
        await this.#keys?.read()
        if (lastReason !== undefined) this.#log.info({}, gatewayLog.issuerKeysRead)
      } catch (error) {
        const reason = reasonOf(error)
        if (reason !== lastReason) this.#log.warn({ reason }, gatewayLog.issuerKeysUnreadable)
        lastReason = reason
        await sleep(identityLimits.firstReadMs, this.#closing.signal)
      }
    }
  }

  /**
   * The keys for another configuration. Throws an error with an explanation if its issuer cannot be used; the issuer
   * that is already in force is not contacted again.
   */
  async prepare(before: Config, after: Config, excludesRequester = false): Promise<IssuerKeys | undefined> {
    const { identity } = after
    if (identity === undefined) return undefined
    const isSame =
      this.#settings !== undefined &&
      haveSameKeys(this.#settings, identity) &&
      needsOneSubject(this.#settings, this.#excludesRequester) === needsOneSubject(identity, excludesRequester)
    const inForce = isSame ? this.#keys : undefined
    const keys = inForce ?? issuerKeysOf(identity, this.#log.exception, excludesRequester)
    if (!isSame) await checkIssuer(keys)
    const { login } = loginOf(after)
    const isNewLogin = JSON.stringify(login) !== JSON.stringify(loginOf(before).login)
    if (login !== undefined && isNewLogin) await new Issuer(login).configuration()
    return keys
  }

  use(identity: IdentitySettings | undefined, keys: IssuerKeys | undefined, excludesRequester = false): void {
    this.#settings = identity
    this.#excludesRequester = excludesRequester
    this.#keys = keys
  }

  close(): void {
    this.#closing.abort()
  }
}

/** The number of keys. Throws if they cannot be read, or there are none. */
export async function checkIssuer(keys: IssuerKeys): Promise<number> {
  const count = await keys.read()
  if (count === 0) throw new Error(startText.noIssuerKey)
  return count
}

function haveSameKeys(one: IdentitySettings, other: IdentitySettings): boolean {
  return one.issuer === other.issuer && one.keys_fresh === other.keys_fresh && one.keys_kept === other.keys_kept
}
