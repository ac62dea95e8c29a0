// Several gateways on one PostgreSQL database, each with a store of its own as a process has, behind a balancer that hands
// every request to the next of them.

import { randomBytes } from 'node:crypto'
import { createServer, request as send } from 'node:http'
import { createKeyRing, type KeyRing } from '@assent/core'
import { openPostgres, type PostgresStoreOptions, type Store } from '@assent/store'
import pg from 'pg'
import { type Gateway, type GatewayOptions, startGateway } from '../index.ts'
import { listening } from './servers.suite.ts'
import { nobody, personHeader, putAwayLater } from './stage.suite.ts'

export const postgresUrl: string = process.env.ASSENT_TEST_POSTGRES ?? 'postgres://root@127.0.0.1:5432/test'

export interface Replica extends Gateway {
  readonly store: Store
}

export interface Fleet {
  readonly replicas: readonly [Replica, Replica, ...Replica[]]
  /** Where clients connect: the next request goes to the next replica. */
  readonly url: string
  /** Another gateway on the same database. */
  another(changes?: Partial<GatewayOptions>): Promise<Replica>
  /** The keys that all of them have. */
  readonly keys: KeyRing
  /** Runs SQL behind the stores' backs. */
  tamper(sql: string): Promise<unknown[]>
}

export interface FleetOptions {
  readonly replicas?: number
  /** Where the first of them finds the database, if not where all do. */
  readonly firstThrough?: (database: string) => string
  readonly store?: Partial<PostgresStoreOptions>
  readonly gateway?: Partial<GatewayOptions>
}

export async function aFleet(servers: GatewayOptions['servers'], options: FleetOptions = {}): Promise<Fleet> {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
  await admin.connect()
  putAwayLater(async () => {
    await admin.query(`drop schema if exists ${schema} cascade`)
    await admin.end()
  })
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const another: Fleet['another'] = async (changes = {}) => {
    const through = replicas.length === 0 ? options.firstThrough : undefined
    const store = await openPostgres(through?.(postgresUrl) ?? postgresUrl, {
      keys,
      schema,
      connections: 3,
      ...options.store,
    })
    putAwayLater(() => store.close())
    const gateway = await startGateway({
      listen: { host: '127.0.0.1', port: 0 },
      servers,
      store,
      keys,
      identify: ({ headers }) => {
        const principal = String(headers[personHeader] ?? 'ann')
        return principal === nobody ? undefined : { principal, groups: [] }
      },
      ...options.gateway,
      ...changes,
    })
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= gateway.close()
      return closing
    }
    putAwayLater(close)
    return { ...gateway, close, store }
  }
  const replicas: Replica[] = []
  for (let count = options.replicas ?? 2; count > 0; count--) replicas.push(await another())
  const url = await balanced(replicas.map((replica) => replica.url))
  return { replicas: replicas as never, url, another, keys, tamper: async (sql) => (await admin.query(sql)).rows }
}

/** One request here, the next one there: nothing is remembered about anyone. */
async function balanced(urls: readonly string[]): Promise<string> {
  let turn = 0
  const server = createServer((request, response) => {
    const target = new URL(urls[turn++ % urls.length] ?? '')
    const passed = send(target, { method: request.method ?? 'GET', headers: { ...request.headers, host: target.host } })
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  return `${(await listening(server)).url}/mcp`
}
