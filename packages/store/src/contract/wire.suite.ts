// A store whose way to PostgreSQL breaks when told.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { openPostgres, type Store } from '../index.ts'
import { testKeys } from './drafts.suite.ts'
import { postgresUrl } from './engines.suite.ts'

/** Between the store and PostgreSQL: passes bytes on until told to break. */
export interface Wire {
  readonly url: string
  /** The next time the store sends this text, let it through to the server but lose everything that comes back. */
  loseReplyTo(text: string): void
  /** The next time the store sends this text, or the next few times, break before the server sees it. */
  loseRequest(text: string, times?: number): void
  /** The next time the store sends this text, break; the server sees it when told, which resolves once it has done it. */
  delayRequest(text: string): { arrive(): Promise<void> }
  /** Whether something was broken since it was last told to. */
  readonly hasBroken: boolean
  refuseConnections(refuse: boolean): void
  /** From now on, changes this text in what the store sends to another of the same length. */
  replace(text: string, by: string): void
  /** How many connections are open. */
  readonly open: number
  close(): Promise<void>
}

export async function aWire(): Promise<Wire> {
  const target = new URL(postgresUrl)
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  let breakAt:
    | { text: string; passOn: boolean; times: number; onDelayed?: (arrive: () => Promise<void>) => void }
    | undefined
  let isRefusing = false
  let replaced: readonly [text: string, by: string] | undefined
  const changed = (bytes: Buffer) =>
    replaced === undefined ? bytes : Buffer.from(bytes.toString('latin1').replaceAll(...replaced), 'latin1')
  const server: Server = createServer((client) => {
    if (isRefusing) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port || 5432), target.hostname)
    clients.add(client)
    client.on('close', () => clients.delete(client))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    upstream.on('data', (bytes) => client.write(bytes)).on('end', () => client.end())
    client.on('end', () => upstream.end())
    client.on('data', (bytes) => {
      if (breakAt === undefined || !bytes.includes(breakAt.text)) return upstream.write(changed(bytes))
      const { passOn, times, onDelayed } = breakAt
      breakAt = times > 1 ? { ...breakAt, times: times - 1 } : undefined
      upstream.removeAllListeners('data')
      const arrive = async () => {
        upstream.write(bytes)
        // The server answers, so it has committed; the store never hears of it.
        await once(upstream, 'data')
        upstream.end()
        client.destroy()
      }
      if (passOn) return arrive()
      client.destroy()
      if (onDelayed === undefined) return upstream.destroy()
      return onDelayed(arrive)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: Object.assign(new URL(postgresUrl), { host: `127.0.0.1:${port}` }).href,
    loseReplyTo: (text) => {
      breakAt = { text, passOn: true, times: 1 }
    },
    loseRequest: (text, times = 1) => {
      breakAt = { text, passOn: false, times }
    },
    delayRequest: (text) => {
      let arrive = () => Promise.reject(new Error('It was not sent.'))
      const onDelayed = (later: () => Promise<void>) => {
        arrive = later as typeof arrive
      }
      breakAt = { text, passOn: false, times: 1, onDelayed }
      return { arrive: () => arrive() }
    },
    get hasBroken() {
      return breakAt === undefined
    },
    refuseConnections: (refuse) => {
      isRefusing = refuse
      for (const socket of sockets) socket.destroy()
    },
    replace: (text, by) => {
      replaced = [text, by]
    },
    get open() {
      return clients.size
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export async function overAWire(run: (wire: Wire, store: Store, schema: string) => Promise<void>): Promise<void> {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const wire = await aWire()
  const store = await openPostgres(wire.url, { keys: testKeys, schema, connections: 2, connectTimeoutMs: 2_000 })
  try {
    await run(wire, store, schema)
  } finally {
    await store.close()
    await wire.close()
    const admin = new pg.Client(postgresUrl)
    await admin.connect()
    await admin.query(`drop schema ${schema} cascade`)
    await admin.end()
  }
}
