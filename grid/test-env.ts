// One topology of the grid as real processes: the server, the gateways in front of it, the client's entry point.
//
// Behind a gateway over HTTP both clients use the same processes. Over stdio every connection starts its own gateway,
// and every stdio server is started by its client.

import type { ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Address } from '../test-kit/mcp/address.ts'
import type { Topology } from './cells.ts'
import { commandOf, type Processes, type Program } from './processes.ts'
import {
  type AskWait,
  type GatewaySettings,
  inEnvironment,
  personHeader,
  type ServerSettings,
  waits,
} from './settings.ts'

export class TestEnv {
  readonly topology: Topology
  readonly #processes: Processes
  readonly #settings: Omit<ServerSettings, 'port'>
  readonly #program: Program
  readonly #served = new Map<string, { child: ChildProcess; url: string }>()
  readonly #started = new Set<ChildProcess>()
  readonly #entrances = new Map<AskWait, Promise<Address>>()
  readonly #servers: Record<string, Address> = {}

  constructor(topology: Topology, processes: Processes, journal: string) {
    this.topology = topology
    this.#processes = processes
    this.#program = topology.server === '2026' ? 'server-2026-07-28' : 'server-2025-11-25'
    this.#settings = {
      journal,
      transport: topology.back,
      asksOn: topology.server === '2025 session' ? 'session' : 'call',
      patienceMs: topology.route === 'direct' ? waits.serverAloneMs : waits.serverBehindGatewayMs,
      stateKey: randomBytes(32).toString('hex'),
    }
  }

  async open(): Promise<void> {
    const names = this.topology.route === 'two upstreams' ? ['red', 'blue'] : ['main']
    for (const name of names) this.#servers[name] = await this.#server(name)
  }

  /** Where a client connects. A gateway with a short ask timeout is a second one in front of the same servers. */
  async entrance(person: string, askWait: AskWait = 'long'): Promise<Address> {
    const standing = this.#entrances.get(askWait) ?? this.#enter(askWait)
    this.#entrances.set(askWait, standing)
    const address = await standing
    return 'url' in address ? { ...address, headers: { [personHeader]: person } } : address
  }

  async #enter(askWait: AskWait): Promise<Address> {
    const { route, front } = this.topology
    const { main } = this.#servers
    if (route === 'direct' && main !== undefined) return main
    if (route !== 'two gateways') return this.#gateway(front, this.#servers, askWait)
    return this.#gateway(front, { inner: await this.#gateway('http', this.#servers, askWait) }, askWait)
  }

  /** The names of the tools and prompts, as a client sees them. */
  names(): readonly string[] {
    return this.topology.route === 'two upstreams' ? ['red__release', 'blue__release'] : ['release']
  }

  /** Kills the process as a crash would. `revive` restarts an HTTP server at its address. */
  async kill(pid: number): Promise<void> {
    const served = [...this.#served.values()].find(({ child }) => child.pid === pid)
    if (served !== undefined) return this.#processes.end(served.child)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }

  async revive(): Promise<void> {
    for (const [name, { child, url }] of this.#served) {
      if (child.exitCode === null && child.signalCode === null) continue
      await this.#serve(name, Number(new URL(url).port))
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#started].map((child) => this.#processes.end(child)))
  }

  async #server(name: string): Promise<Address> {
    if (this.#settings.transport === 'http') return { url: await this.#serve(name, 0) }
    return commandOf(this.#program, inEnvironment({ ...this.#settings, port: 0 }), this.#processes.directory)
  }

  async #serve(name: string, port: number): Promise<string> {
    const served = await this.#processes.serve(this.#program, inEnvironment({ ...this.#settings, port }))
    this.#started.add(served.child)
    this.#served.set(name, served)
    return served.url
  }

  async #gateway(
    transport: GatewaySettings['transport'],
    servers: Record<string, Address>,
    askWait: AskWait,
  ): Promise<Address> {
    const database = join(this.#processes.directory, `${randomUUID()}.sqlite`)
    const env = inEnvironment({ transport, servers, database, askWaitMs: waits.askMs[askWait] })
    if (transport === 'stdio') return commandOf('gateway', env, this.#processes.directory)
    const { child, url } = await this.#processes.serve('gateway', env)
    this.#started.add(child)
    return { url }
  }
}
