// Puts a new configuration in force while the gateway runs.
//
// Owns: the configuration in force, and what secrets the log leaves out.
// I1  Nothing changes unless the whole new configuration is sound and its issuer, if it is another one, was reached.
// I2  Reloads run one after the other, and none begins after `close`.

import { createKeyRing } from '@assent/core'
import { applyLimits } from '../config/apply-limits.ts'
import type { Loaded } from '../config/load.ts'
import { tell } from '../config/problem.ts'
import { inForceAfter, needRestart, reloadableOf, reloadProblem } from '../config/reloadable.ts'
import type { Config } from '../config/settings.ts'
import { type KeysInForce, sealKeysFor } from '../config/state.ts'
import type { Gateway } from '../gateway.ts'
import { reasonOf } from '../relay/exchange.ts'
import type { Log } from '../watch/log.ts'
import { type Scrub, scrubber, secretsOf } from '../watch/scrub.ts'
import type { ServedInbox } from './inbox.ts'
import type { IssuerInForce } from './issuer-in-force.ts'

/** What a reload changes. */
export interface Live {
  config: Config
  scrub: Scrub
}

export interface ReloadOptions {
  readonly gateway: Pick<Gateway, 'reload'>
  readonly inbox: ServedInbox | undefined
  readonly issuer: IssuerInForce
  readonly keys: KeysInForce
  readonly live: Live
  readonly file: string
  readonly load: () => Loaded
  readonly variables: NodeJS.ProcessEnv
  readonly nowMs: () => number
  readonly log: Log
  /** Called with each configuration that came into force. */
  readonly onReloaded: (config: Config) => void
}

export class Reloads {
  readonly #options: ReloadOptions
  #last: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: ReloadOptions) {
    this.#options = options
  }

  /** Reads the configuration again, after the reloads before it. */
  request(): void {
    this.#last = this.#last.then(() => (this.#isClosed ? undefined : this.#reload())).catch(this.#options.log.trouble)
  }

  close(): void {
    this.#isClosed = true
  }

  async #reload(): Promise<void> {
    const { file, load, live, log } = this.#options
    const loaded = load()
    if (!loaded.ok) {
      const found =
        'unreadable' in loaded ? [`${file}: ${loaded.unreadable}`] : loaded.problems.map((one) => tell(file, one))
      return this.#refuse(found)
    }
    const { config } = loaded
    const problem = reloadProblem(live.config, config)
    if (problem !== undefined) return this.#refuse([problem])
    const waiting = needRestart(live.config, config)
    const next = inForceAfter(live.config, config)
    try {
      await this.#use(next)
    } catch (error) {
      return this.#refuse([reasonOf(error)])
    }
    if (waiting.length > 0) log.warn({ settings: waiting.join(' ') }, 'These take effect after a restart.')
    log.info({ file, servers: Object.keys(next.servers).join(' ') }, 'The new configuration is in force.')
    this.#options.onReloaded(next)
  }

  /** Everything that can fail comes first. */
  async #use(config: Config): Promise<void> {
    const { gateway, inbox, issuer, keys, live, variables, nowMs, log } = this.#options
    const sealKeys = sealKeysFor(config, variables)
    const ring = createKeyRing(sealKeys)
    const issuerKeys = await issuer.prepare(live.config, config)
    if (this.#isClosed) throw new Error('The gateway was told to stop meanwhile.')
    // Also the secrets of the one before: calls that began under it are still under way.
    live.scrub = scrubber([...secretsOf(live.config), ...secretsOf(config)])
    live.config = config
    log.level(config.log.level)
    applyLimits(config)
    keys.use(ring)
    issuer.use(config.identity, issuerKeys)
    gateway.reload(reloadableOf(config, nowMs, log.trouble, { issuerKeys, origin: () => inbox?.origin }))
    inbox?.reload(config, sealKeys)
  }

  #refuse(reasons: readonly string[]): void {
    const { file, log } = this.#options
    for (const reason of reasons) log.error({ file }, reason)
    log.error({ file }, 'The new configuration is refused; the one before stays in force.')
  }
}
