// Applies a new configuration while the gateway runs.
//
// Owns: the configuration in force, and the secrets that are redacted from the log.
// I1  Nothing changes unless the whole new configuration is valid and its issuer, if it is another one, was reached.
// I2  Reloads run one at a time, and none starts after `close`.

import { createKeyRing } from '@assent/core'
import { reasonOf } from '../call/model.ts'
import type { Loaded } from '../config/load.ts'
import { problemText } from '../config/problem.ts'
import { type Redact, redactor, secretsOf } from '../config/redact.ts'
import type { Config } from '../config/settings.ts'
import type { Log } from '../telemetry/log.ts'
import { applyLimits } from './apply-limits.ts'
import type { Gateway } from './gateway.ts'
import type { ServedInbox } from './inbox.ts'
import type { IssuerInForce } from './issuer-in-force.ts'
import { policiesInForce } from './policies-in-force.ts'
import { inForceAfter, needRestart, reloadableOf, reloadProblem } from './reloadable.ts'
import { type KeysInForce, sealKeysFor } from './state.ts'
import { gatewayLog, startText } from './text/gateway.ts'

/** What a reload changes. */
export interface ReloadableState {
  config: Config
  redact: Redact
}

export interface ReloadOptions {
  readonly gateway: Pick<Gateway, 'reload'>
  readonly inbox: ServedInbox | undefined
  readonly issuer: IssuerInForce
  readonly keys: KeysInForce
  readonly live: ReloadableState
  readonly file: string
  readonly load: () => Loaded
  readonly variables: NodeJS.ProcessEnv
  readonly nowMs: () => number
  readonly log: Log
  /** Called with each configuration that was applied. */
  readonly onReloaded: (config: Config) => void
}

export class Reloads {
  readonly #options: ReloadOptions
  #last: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: ReloadOptions) {
    this.#options = options
  }

  /** Queues a reload of the configuration. */
  request(): void {
    this.#last = this.#last.then(() => (this.#isClosed ? undefined : this.#reload())).catch(this.#options.log.exception)
  }

  close(): void {
    this.#isClosed = true
  }

  async #reload(): Promise<void> {
    const { file, load, live, log } = this.#options
    const loaded = load()
    if (!loaded.ok) {
      const found =
        'unreadable' in loaded
          ? [`${file}: ${loaded.unreadable}`]
          : loaded.problems.map((one) => problemText(file, one))
      return this.#refuse(found)
    }
    const { config } = loaded
    const problem = reloadProblem(live.config, config)
    if (problem !== undefined) return this.#refuse([problem])
    const needingRestart = needRestart(live.config, config)
    const next = inForceAfter(live.config, config)
    try {
      await this.#use(next)
    } catch (error) {
      return this.#refuse([reasonOf(error)])
    }
    if (needingRestart.length > 0) {
      log.warn({ settings: needingRestart.join(' ') }, gatewayLog.needRestart)
    }
    log.info({ file, servers: Object.keys(next.servers).join(' ') }, gatewayLog.reloaded)
    this.#options.onReloaded(next)
  }

  /** Does everything that can fail before the first change. */
  async #use(config: Config): Promise<void> {
    const { gateway, inbox, issuer, keys, live, variables, nowMs, log } = this.#options
    const sealKeys = sealKeysFor(config, variables)
    const ring = createKeyRing(sealKeys)
    const policies = await policiesInForce(config)
    const issuerKeys = await issuer.prepare(live.config, config, policies?.excludesRequester)
    if (this.#isClosed) throw new Error(startText.shuttingDown)
    // Also redact the previous configuration's secrets: calls that started under it may still be running.
    live.redact = redactor([...secretsOf(live.config), ...secretsOf(config)])
    live.config = config
    log.level(config.log.level)
    applyLimits(config)
    keys.use(ring)
    issuer.use(config.identity, issuerKeys, policies?.excludesRequester)
    gateway.reload(reloadableOf(config, nowMs, log.exception, { issuerKeys, policies, origin: () => inbox?.origin }))
    inbox?.reload(config, sealKeys)
  }

  #refuse(reasons: readonly string[]): void {
    const { file, log } = this.#options
    for (const reason of reasons) log.error({ file }, reason)
    log.error({ file }, gatewayLog.reloadRefused)
  }
}
