// A cluster for the bench: one server, replicas on one database, and a process with all users.

import { randomBytes } from 'node:crypto'
import { Processes, type Served } from '../relay/processes.ts'
import { inFreshSchema, type TestDb } from '../store/test-db.ts'
import { deployedNodeOptions } from './deployed.ts'
import type { LoadCommand } from './load.ts'
import { personNamed } from './open.ts'
import type { ReplicaSettings } from './replica.ts'

/** The timeout of the longest command to the load process. */
const crowdMs = 30 * 60_000

export class ClusterEnv {
  readonly testDb: TestDb
  readonly server: Served
  readonly crowd: Served
  /** The application name of all database connections of this cluster. */
  readonly application: string = `bench-${randomBytes(6).toString('hex')}`
  readonly #processes: Processes
  readonly #secret = randomBytes(32).toString('base64')

  private constructor(testDb: TestDb, processes: Processes, server: Served, crowd: Served) {
    this.testDb = testDb
    this.#processes = processes
    this.server = server
    this.crowd = crowd
  }

  /** @param database the address of a PostgreSQL server; by default that of the tests */
  static within<T>(work: (testEnv: ClusterEnv) => Promise<T>, database?: string): Promise<T> {
    return inFreshSchema(
      (testDb) =>
        Processes.within(async (processes) => {
          const server = await processes.serve('server', ['2026-07-28', 'http'])
          return work(new ClusterEnv(testDb, processes, server, await processes.serve('clusterLoad', [])))
        }),
      database,
    )
  }

  /** @param program the replica program of another checkout */
  async start(
    count: number,
    settings: Pick<ReplicaSettings, 'wake' | 'holdMs' | 'silentAfterMs'>,
    program?: string,
  ): Promise<Served[]> {
    const database = new URL(this.testDb.url)
    database.searchParams.set('application_name', this.application)
    const given: ReplicaSettings = {
      database: database.href,
      schema: this.testDb.schema,
      secret: this.#secret,
      server: this.server.url,
      ...settings,
    }
    const args = [JSON.stringify(given)]
    const start = () =>
      program === undefined
        ? this.#processes.serve('clusterReplica', args, deployedNodeOptions())
        : this.#processes.serveFile(program, args, deployedNodeOptions())
    return Promise.all(Array.from({ length: count }, start))
  }

  /** Signs this many people in as the users of the cluster. */
  async invite(replica: Served, people: number): Promise<void> {
    const invited: { name: string; link: string }[] = []
    for (let n = 0; n < people; n++) {
      const name = personNamed(n)
      const { link } = await replica.ask<{ link?: string }>({ invite: name })
      if (link === undefined) throw new Error('Too many people were invited.')
      invited.push({ name, link })
    }
    await this.do({ kind: 'arrive', url: replica.url, invited })
  }

  do<T>(command: LoadCommand): Promise<T> {
    return this.crowd.ask<T>(command, crowdMs)
  }
}
