// The servers behind the gateway, as the configuration names them now.

import type { Call, Upstream } from '../relay/exchange.ts'
import { checkServerNames } from '../relay/names.ts'
import { Naming } from '../relay/naming.ts'
import type { StrayCaller } from '../upstream/2025-11-25/upstream.ts'
import { BackOff } from '../upstream/back-off.ts'
import { ForwardedHeaders } from '../upstream/forwarded-headers.ts'
import { openUpstream, type ServerConfig } from '../upstream/open-upstream.ts'
import type { Found } from '../upstream/opening.ts'
import { ProcessCount } from '../upstream/process-count.ts'
import { timeoutsOf } from '../upstream/timeouts.ts'
import { WithForwardedHeaders } from '../upstream/with-forwarded-headers.ts'
import { WithoutTasks, withoutTasks } from '../upstream/without-tasks.ts'
import type { Watch } from '../watch/watch.ts'
import { Generations, type Open } from './generations.ts'

export type ServerConfigs = Readonly<Record<string, ServerConfig>>

export interface ServersOptions {
  readonly watch: Watch
  readonly onServerLog: (server: string, line: string) => void
  /** Called when a server asks a question while none of the caller's calls is in progress. */
  readonly onStray?: (server: string, caller: StrayCaller) => void
  /** Called with how a server speaks, each time that is known. */
  readonly onFound?: (server: string, found: Found) => void
  /** What a server that may ask for secrets is told when it is started. */
  readonly secretsOf?: (server: string) => Readonly<Record<string, string>>
}

export class Servers {
  readonly #options: ServersOptions
  readonly #byName = new Map<string, { readonly generations: Generations; readonly written: string }>()
  /** Of servers that were taken out, while calls of theirs may still be under way. */
  readonly #leaving = new Map<string, Generations>()
  readonly #names: string[] = []
  readonly #processes = new ProcessCount()
  /** What clients call the servers' things. */
  readonly naming: Naming
  #passing = ''
  #forwarded: readonly string[] = []

  constructor(options: ServersOptions) {
    this.#options = options
    this.naming = new Naming({}, (server, name, why) => options.watch.nameConflict(server, name, why))
  }

  /** Headers of clients' requests that some server gets, in lower case. */
  get forwardedHeaders(): readonly string[] {
    return this.#forwarded
  }

  /** In the order of the configuration. The list itself changes with it. */
  get names(): readonly string[] {
    return this.#names
  }

  readonly find = async (name: string): Promise<Upstream> => {
    const found = this.#byName.get(name)?.generations ?? this.#leaving.get(name)
    if (found === undefined) throw new Error(`No server is called ${name}.`)
    return found
  }

  /** What stayed as it was is not touched: its connections and sessions go on. */
  use(configs: ServerConfigs, askWaitMs: number): void {
    checkServerNames(Object.keys(configs))
    for (const [name, { generations }] of this.#byName) {
      if (Object.hasOwn(configs, name)) continue
      this.#byName.delete(name)
      this.#leaving.set(name, generations)
      generations.end()
    }
    const changed = Object.entries(configs).filter(([name, config]) => this.#use(name, config, askWaitMs))
    // What changes without opening anything again.
    const passing = JSON.stringify(Object.entries(configs).map(([name, { prefix, tools }]) => [name, prefix, tools]))
    const isSame = changed.length === 0 && this.#passing === passing
    this.#passing = passing
    this.naming.use(configs)
    this.#forwarded = forwardedBy(configs)
    this.#names.splice(0, this.#names.length, ...Object.keys(configs))
    if (!isSame) for (const { generations } of this.#byName.values()) generations.announce()
  }

  async close(): Promise<void> {
    const all = [...this.#byName.values()].map(({ generations }) => generations)
    await Promise.all([...all, ...this.#leaving.values()].map((one) => one.close()))
  }

  /** True when something changed. */
  #use(name: string, config: ServerConfig, askWaitMs: number): boolean {
    const { prefix: _prefix, tools: _tools, ...opened } = config
    const written = JSON.stringify([opened, askWaitMs])
    const before = this.#byName.get(name)
    if (before?.written === written) return false
    const backOff = new BackOff()
    const timeouts = timeoutsOf(config.timeouts)
    const { forwardHeaders = [] } = config
    const forwarded = forwardHeaders.length === 0 ? undefined : new ForwardedHeaders(forwardHeaders)
    const open: Open = async (call, closing) => {
      const onLog = (line: string) => this.#options.onServerLog(name, line)
      const { secretsOf = () => ({}) } = this.#options
      const environment = () => (config.secrets === undefined ? {} : secretsOf(name))
      const { watch, onStray = () => undefined, onFound = () => undefined } = this.#options
      const opening = {
        askWaitMs,
        onLog,
        environment,
        backOff,
        processes: this.#processes,
        closing,
        onFound: (found: Found) => onFound(name, found),
        onStray: (caller: StrayCaller) => onStray(name, caller),
        timeouts,
        ...(forwarded === undefined ? {} : { forwarded }),
      }
      const openIt = () => openUpstream(name, config, withoutTasks(onNobodysBehalf(call)), opening)
      const upstream = new WithoutTasks(
        // A server that wants such a header may want it with the first request too.
        await (forwarded === undefined ? openIt() : forwarded.during(call, openIt)),
        (tool) => watch.toolLeftOut(name, tool),
      )
      return forwarded === undefined ? upstream : new WithForwardedHeaders(upstream, forwarded)
    }
    before?.generations.replace(open, timeouts)
    const generations =
      before?.generations ?? this.#leaving.get(name) ?? new Generations(name, open, this.#options.watch, timeouts)
    if (this.#leaving.delete(name)) generations.replace(open, timeouts)
    this.#byName.set(name, { generations, written })
    return true
  }
}

function forwardedBy(configs: ServerConfigs): readonly string[] {
  const all = Object.values(configs).flatMap(({ forwardHeaders = [] }) =>
    forwardHeaders.map((name) => name.toLowerCase()),
  )
  return [...new Set(all)]
}

/** Whoever happens to come first must not decide what the others find. */
function onNobodysBehalf(call: Call): Call {
  return { ...call, notify: () => undefined, signal: new AbortController().signal }
}
