// A store whose connections to PostgreSQL run through a proxy that the test can break.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { openPostgres, type Store } from '../index.ts'
import { testKeys } from './drafts.suite.ts'
import { postgresUrl } from './engines.suite.ts'

/** A TCP proxy between the store and PostgreSQL. */
export interface TcpProxy {
  readonly url: string
  /** The next time the store sends this text, forwards it to the server but drops the reply and breaks the connection. */
  loseReplyTo(text: string): void
  /** The next time the store sends this text, or the next few times, breaks the connection before the server receives it. */
  loseRequest(text: string, times?: number): void
  /** The next time the store sends this text, breaks the connection. `arrive` forwards it later, and resolves when it was run. */
  delayRequest(text: string): { arrive(): Promise<void> }
  /** The next connection that sends this text gets no answer to it or to anything later, and stays open. */
  neverAnswer(text: string): void
  /** Whether the requested break has happened. */
  readonly hasBroken: boolean
  refuseConnections(refuse: boolean): void
  /** From now on, replaces this text in what the store sends by another of the same length. */
  replace(text: string, by: string): void
  /** The number of open connections. */
  readonly open: number
  close(): Promise<void>
}

export async function aTcpProxy(): Promise<TcpProxy> {
  const target = new URL(postgresUrl)
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  let breakAt:
    | {
        text: string
        passOn: boolean
        times: number
        isSilent?: boolean
        onDelayed?: (arrive: () => Promise<void>) => void
      }
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
      const { passOn, times, isSilent, onDelayed } = breakAt
      breakAt = times > 1 ? { ...breakAt, times: times - 1 } : undefined
      upstream.removeAllListeners('data')
      if (isSilent) return client.removeAllListeners('data').removeAllListeners('end')
      const arrive = async () => {
        upstream.write(bytes)
        // The server answers, so it has committed; the store does not receive the answer.
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
    neverAnswer: (text) => {
      breakAt = { text, passOn: false, times: 1, isSilent: true }
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

export async function overTcpProxy(
  run: (proxy: TcpProxy, store: Store, schema: string) => Promise<void>,
): Promise<void> {
  const schema = `t_${randomBytes(8).toString('hex')}`
  const proxy = await aTcpProxy()
  const store = await openPostgres(proxy.url, { keys: testKeys, schema, connections: 2, connectTimeoutMs: 10_000 })
  try {
    await run(proxy, store, schema)
  } finally {
    await store.close()
    await proxy.close()
    const admin = new pg.Client(postgresUrl)
    await admin.connect()
    await admin.query(`drop schema ${schema} cascade`)
    await admin.end()
  }
}
