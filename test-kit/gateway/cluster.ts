// Several gateways on one PostgreSQL database, each with its own store as in a separate process, behind a balancer that
// sends every request to the next one.

import { randomBytes } from 'node:crypto'
import { createKeyRing, type KeyRing } from '@assent/core'
import { openPostgres, type PostgresStoreOptions, type Store } from '@assent/store'
import { type Gateway, type GatewayOptions, startGateway } from 'assent'
import { ranked } from '../../packages/gateway/src/cluster/peers.ts'
import { compoundKey } from '../../packages/gateway/src/protocol/compound-key.ts'
import { Balancer } from '../balancer.ts'
import { closeAfterTest } from '../close-after-test.ts'
import { newSchema } from '../postgres.ts'
import { closedOnce, identifyByHeader } from './test-env.ts'

export interface Replica extends Gateway {
  readonly store: Store
  /** The client of a 2026-07-28 program of Ann whose calls to a server that keeps state are served by this replica. */
  program(): Promise<{ readonly meta: object }>
}

export interface TestCluster {
  readonly replicas: readonly [Replica, Replica, ...Replica[]]
  /** Where clients connect: the next request goes to the next replica. */
  readonly url: string
  /**
   * Makes a replica count as dead while it runs, like a process that was paused or cut off from the database. `name` is
   * a name that it created, such as the id of a question.
   */
  isolate(name: unknown): Promise<void>
  /** Another gateway on the same database. */
  another(changes?: Partial<GatewayOptions>): Promise<Replica>
  /** The keys that all of them have. */
  readonly keys: KeyRing
  /** Runs SQL without going through the stores. */
  tamper(sql: string): Promise<unknown[]>
}

export interface ClusterOptions {
  readonly replicas?: number
  /** The database of all of them, if not the one of the tests. */
  readonly database?: string
  /** The database address of the first replica, if it differs. */
  readonly firstThrough?: (database: string) => string
  readonly store?: Partial<PostgresStoreOptions>
  readonly gateway?: Partial<GatewayOptions>
}

export async function openCluster(
  servers: GatewayOptions['servers'],
  options: ClusterOptions = {},
): Promise<TestCluster> {
  const { url: database, schema, query, drop } = await newSchema(undefined, options.database)
  closeAfterTest(drop)
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const another: TestCluster['another'] = async (changes = {}) => {
    const through = replicas.length === 0 ? options.firstThrough : undefined
    const store = await openPostgres(through?.(database) ?? database, {
      keys,
      schema,
      connections: 3,
      ...options.store,
    })
    closeAfterTest(() => store.close())
    const gateway = await startGateway({
      listen: { host: '127.0.0.1', port: 0 },
      cluster: { listen: { host: '127.0.0.1', port: 0 } },
      servers,
      store,
      keys,
      identify: identifyByHeader,
      ...options.gateway,
      ...changes,
    })
    const program = async () => {
      const live = await store.replicas.live()
      const isHere = (name: string) =>
        ranked(live, compoundKey('default', 'ann', `name ${name}`))[0]?.id === gateway.replica
      const name = Array.from({ length: 1_000 }, (_, number) => `program-${number}`).find(isHere)
      return { meta: { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } } }
    }
    return { ...closedOnce(gateway), store, program }
  }
  const isolate: TestCluster['isolate'] = async (name) => {
    const id = String(name).split('.')[1]
    await query(`create or replace function refuse() returns trigger language plpgsql as 'begin return null; end'`)
    await query(
      `create trigger "isolate ${id}" before insert or update on replicas for each row when (new.id = '${id}') execute function refuse()`,
    )
    await query(`delete from replicas where id = '${id}'`)
    // The other replicas use their copy of the list for a second.
    await new Promise((resolve) => setTimeout(resolve, 1_200))
  }
  const replicas: Replica[] = []
  for (let count = options.replicas ?? 2; count > 0; count--) replicas.push(await another())
  const backends = replicas.map(({ url }) => ({ url, isReady: true }))
  const balancer = new Balancer(() => backends)
  closeAfterTest(() => balancer.stop())
  return { replicas: replicas as never, url: await balancer.start(), isolate, another, keys, tamper: query }
}
