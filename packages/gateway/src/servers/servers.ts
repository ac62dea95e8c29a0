// The configured servers. `use` applies a new configuration.

import { type Call, detached, type Upstream } from '../call/model.ts'
import { checkServerNames } from '../call/names.ts'
import { Naming } from '../call/naming.ts'
import type { Telemetry } from '../call/telemetry-port.ts'
import { serverLimits } from '../limits.ts'
import { revision as newestRevision } from '../protocol/names-2026-07-28.ts'
import { within } from '../protocol/within.ts'
import type { StrayCaller } from './2025-11-25/upstream.ts'
import { BackOff } from './back-off.ts'
import { ForwardedHeaders } from './forwarded-headers.ts'
import { openUpstream, type ServerConfig } from './open-upstream.ts'
import type { DetectedServer } from './opening.ts'
import { ProcessCount } from './process-count.ts'
import { type Open, ServerVersions } from './server-versions.ts'
import { timeoutsOf } from './timeouts.ts'
import { WithForwardedHeaders } from './with-forwarded-headers.ts'
import { WithoutTasks, withoutTasks } from './without-tasks.ts'

export type ServerConfigs = Readonly<Record<string, ServerConfig>>

export interface ServersOptions {
  readonly watch: Telemetry
  readonly onServerLog: (server: string, line: string) => void
  /** Called when a server asks a question while none of the caller's calls is in progress. */
  readonly onStray?: (server: string, caller: StrayCaller) => void
  /** Called when a session-based server announces that its tools changed, also if no client listens. */
  readonly onToolsChanged?: (server: string) => void
  /** Called with a server's transport and revision, each time they are found. */
  readonly onFound?: (server: string, found: DetectedServer) => void
  /** Environment variables for a started server that may ask for secrets. */
  readonly secretsOf?: (server: string) => Readonly<Record<string, string>>
}

interface Known {
  readonly versions: ServerVersions
  readonly serialized: string
  /** Whether it runs in processes of this gateway, or inside the gateway. */
  readonly isProcess: boolean
  readonly isInner: boolean
}

export class Servers {
  readonly #options: ServersOptions
  readonly #byName = new Map<string, Known>()
  /** Whether a server at an address has sessions, as far as that is known. */
  readonly #sessionful = new Map<string, boolean>()
  /** Servers removed from the configuration; their calls may still be running. */
  readonly #removed = new Map<string, ServerVersions>()
  readonly #names: string[] = []
  readonly #processes = new ProcessCount()
  /** The names under which clients see the tools, prompts and resources of the servers. */
  readonly naming: Naming
  /** The naming rules in use, serialized. They change without reopening a server. */
  #rules = ''
  #forwarded: readonly string[] = []

  constructor(options: ServersOptions) {
    this.#options = options
    this.naming = new Naming({}, (server, name, why) => options.watch.nameConflict(server, name, why))
  }

  /** Headers of client requests that are forwarded to some server, in lower case. */
  get forwardedHeaders(): readonly string[] {
    return this.#forwarded
  }

  /**
   * Whether a call needs the process or session that its client used before: then its server keeps state per client.
   * For a request to all servers: whether one of them is known to.
   */
  readonly keepsState = async (call: Call): Promise<boolean> => {
    const target = this.naming.find(call.method, call.params)?.server
    const all = target === undefined ? this.#names : [target]
    for (const name of all) {
      const known = this.#byName.get(name)
      if (known === undefined || known.isInner) continue
      if (known.isProcess) return true
      // Its revision is known only once it was opened. The call waits for the same opening, and fails if it does.
      if (target !== undefined && !this.#sessionful.has(name))
        await within(
          serverLimits.listDelayMs,
          known.versions.open(call).catch(() => undefined),
        )
      // One that takes long to open, and whose revision is unknown, may keep state.
      if (this.#sessionful.get(name) ?? target !== undefined) return true
    }
    return false
  }

  /** In configuration order. The same array is updated by `use`. */
  get names(): readonly string[] {
    return this.#names
  }

  readonly find = async (name: string): Promise<Upstream> => {
    const found = this.#byName.get(name)?.versions ?? this.#removed.get(name)
    if (found === undefined) throw new Error(`No server is called ${name}.`)
    return found
  }

  /** Applies a configuration. Unchanged servers keep their connections and sessions. */
  use(configs: ServerConfigs, askWaitMs: number): void {
    checkServerNames(Object.keys(configs))
    for (const [name, { versions }] of this.#byName) {
      if (Object.hasOwn(configs, name)) continue
      this.#byName.delete(name)
      this.#removed.set(name, versions)
      versions.end()
    }
    const changed = Object.entries(configs).filter(([name, config]) => this.#use(name, config, askWaitMs))
    const rules = JSON.stringify(Object.entries(configs).map(([name, { prefix, tools }]) => [name, prefix, tools]))
    const isSame = changed.length === 0 && this.#rules === rules
    this.#rules = rules
    this.naming.use(configs)
    this.#forwarded = forwardedBy(configs)
    this.#names.splice(0, this.#names.length, ...Object.keys(configs))
    if (!isSame) for (const { versions } of this.#byName.values()) versions.announce()
  }

  async close(): Promise<void> {
    const all = [...this.#byName.values()].map(({ versions }) => versions)
    await Promise.all([...all, ...this.#removed.values()].map((one) => one.close()))
  }

  /** True when the server's configuration changed. */
  #use(name: string, config: ServerConfig, askWaitMs: number): boolean {
    const { prefix: _prefix, tools: _tools, ...opened } = config
    const serialized = JSON.stringify([opened, askWaitMs])
    const before = this.#byName.get(name)
    if (before?.serialized === serialized) return false
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
        onFound: (found: DetectedServer) => {
          this.#sessionful.set(name, found.revision !== newestRevision)
          onFound(name, found)
        },
        onStray: (caller: StrayCaller) => onStray(name, caller),
        onToolsChanged: () => this.#options.onToolsChanged?.(name),
        timeouts,
        ...(forwarded === undefined ? {} : { forwarded }),
      }
      // The opening must not end with this caller: later callers use it.
      const openIt = () => openUpstream(name, config, withoutTasks(detached(call)), opening)
      const upstream = new WithoutTasks(
        // A server that requires such a header may require it in the first request too.
        await (forwarded === undefined ? openIt() : forwarded.during(call, openIt)),
        (tool) => watch.toolLeftOut(name, tool),
      )
      return forwarded === undefined ? upstream : new WithForwardedHeaders(upstream, forwarded)
    }
    before?.versions.replace(open, timeouts)
    const versions =
      before?.versions ?? this.#removed.get(name) ?? new ServerVersions(name, open, this.#options.watch, timeouts)
    if (this.#removed.delete(name)) versions.replace(open, timeouts)
    this.#sessionful.delete(name)
    this.#byName.set(name, { versions, serialized, isProcess: 'command' in config, isInner: 'connect' in config })
    return true
  }
}

function forwardedBy(configs: ServerConfigs): readonly string[] {
  const all = Object.values(configs).flatMap(({ forwardHeaders = [] }) =>
    forwardHeaders.map((name) => name.toLowerCase()),
  )
  return [...new Set(all)]
}
