// One place of the grid, built of real processes: the server, the gateways in front of it, the way in.
//
// Behind a gateway over HTTP both clients visit the same processes. Over stdio every connection brings its own gateway,
// and every stdio server is started by whoever talks to it.

import type { ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Place } from './cells.ts'
import { commandOf, type Processes, type Program } from './processes.ts'
import {
  type Address,
  type GatewaySettings,
  inEnvironment,
  type Pace,
  personHeader,
  type ServerSettings,
  waits,
} from './settings.ts'

export class Stage {
  readonly place: Place
  readonly #processes: Processes
  readonly #settings: Omit<ServerSettings, 'port'>
  readonly #program: Program
  readonly #served = new Map<string, { child: ChildProcess; url: string }>()
  readonly #started = new Set<ChildProcess>()
  readonly #entrances = new Map<Pace, Promise<Address>>()
  readonly #servers: Record<string, Address> = {}

  constructor(place: Place, processes: Processes, journal: string) {
    this.place = place
    this.#processes = processes
    this.#program = place.server === '2026' ? 'server-2026-07-28' : 'server-2025-11-25'
    this.#settings = {
      journal,
      transport: place.back,
      asksOn: place.server === '2025 session' ? 'session' : 'call',
      patienceMs: place.route === 'direct' ? waits.serverAloneMs : waits.serverBehindGatewayMs,
      stateKey: randomBytes(32).toString('hex'),
    }
  }

  async open(): Promise<void> {
    const names = this.place.route === 'two upstreams' ? ['red', 'blue'] : ['main']
    for (const name of names) this.#servers[name] = await this.#server(name)
  }

  /** Where a client of this place connects. A hasty gateway is another one in front of the same servers. */
  async entrance(person: string, pace: Pace = 'patient'): Promise<Address> {
    const standing = this.#entrances.get(pace) ?? this.#enter(pace)
    this.#entrances.set(pace, standing)
    const address = await standing
    return 'url' in address ? { ...address, headers: { [personHeader]: person } } : address
  }

  async #enter(pace: Pace): Promise<Address> {
    const { route, front } = this.place
    const { main } = this.#servers
    if (route === 'direct' && main !== undefined) return main
    if (route !== 'two gateways') return this.#gateway(front, this.#servers, pace)
    return this.#gateway(front, { inner: await this.#gateway('http', this.#servers, pace) }, pace)
  }

  /** The tools and prompts of the place, as a client sees their names. */
  names(): readonly string[] {
    return this.place.route === 'two upstreams' ? ['red__release', 'blue__release'] : ['release']
  }

  /** Kills the process as a crash would. An HTTP server is put back at its address by `revive`. */
  async kill(pid: number): Promise<void> {
    const served = [...this.#served.values()].find(({ child }) => child.pid === pid)
    if (served !== undefined) return this.#processes.end(served.child)
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It is gone already, which is all that is wanted.
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
    pace: Pace,
  ): Promise<Address> {
    const database = join(this.#processes.directory, `${randomUUID()}.sqlite`)
    const env = inEnvironment({ transport, servers, database, askWaitMs: waits.askMs[pace] })
    if (transport === 'stdio') return commandOf('gateway', env, this.#processes.directory)
    const { child, url } = await this.#processes.serve('gateway', env)
    this.#started.add(child)
    return { url }
  }
}
