// A fleet for the bench: one server, replicas on one database, and a process with everybody who uses them.

import { randomBytes } from 'node:crypto'
import { deployedNodeOptions } from './fleet-deployed.part.ts'
import type { LoadCommand } from './fleet-load.part.ts'
import { personNamed } from './fleet-open.part.ts'
import type { ReplicaSettings } from './fleet-replica.part.ts'
import { Processes, type Served } from './relay-processes.part.ts'
import { inFreshSchema, type Place } from './store-place.part.ts'

/** The longest of what the crowd is told to do. */
const crowdMs = 30 * 60_000

export class FleetStage {
  readonly place: Place
  readonly server: Served
  readonly crowd: Served
  /** The name under which all connections of this fleet are known to the database. */
  readonly application: string = `bench-${randomBytes(6).toString('hex')}`
  readonly #processes: Processes
  readonly #secret = randomBytes(32).toString('base64')

  private constructor(place: Place, processes: Processes, server: Served, crowd: Served) {
    this.place = place
    this.#processes = processes
    this.server = server
    this.crowd = crowd
  }

  static within<T>(work: (stage: FleetStage) => Promise<T>): Promise<T> {
    return inFreshSchema((place) =>
      Processes.within(async (processes) => {
        const server = await processes.serve('server', ['2026-07-28', 'http'])
        return work(new FleetStage(place, processes, server, await processes.serve('fleetLoad', [])))
      }),
    )
  }

  async start(count: number, settings: Pick<ReplicaSettings, 'wake' | 'holdMs' | 'silentAfterMs'>): Promise<Served[]> {
    const database = new URL(this.place.url)
    database.searchParams.set('application_name', this.application)
    const given: ReplicaSettings = {
      database: database.href,
      schema: this.place.schema,
      secret: this.#secret,
      server: this.server.url,
      ...settings,
    }
    const start = () => this.#processes.serve('fleetReplica', [JSON.stringify(given)], deployedNodeOptions())
    return Promise.all(Array.from({ length: count }, start))
  }

  /** So many people sign in; from now on they are the crowd. */
  async invite(replica: Served, people: number): Promise<void> {
    const invited: { name: string; link: string }[] = []
    for (let n = 0; n < people; n++) {
      const name = personNamed(n)
      const { link } = await replica.ask<{ link?: string }>({ invite: name })
      if (link === undefined) throw new Error('Too many were invited.')
      invited.push({ name, link })
    }
    await this.do({ kind: 'arrive', url: replica.url, invited })
  }

  do<T>(command: LoadCommand): Promise<T> {
    return this.crowd.ask<T>(command, crowdMs)
  }
}
