// The official SDK clients in a 2025 session while their gateway is killed and restarted.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client as NewestClient, StreamableHTTPClientTransport as NewestTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import pg from 'pg'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { freePort } from '../../../../test-kit/listen.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { aDatabase, aFolder, aKey, aProcessOf, aRunningGateway } from './process.suite.ts'

interface Survivor {
  readonly asked: () => number
  readonly listsChanged: () => number
  call(name: string): Promise<unknown>
  tools(): Promise<readonly string[]>
}

type Person = () => Promise<never>
type Connect = (url: URL, person: Person) => Promise<Survivor>

const capabilities = { elicitation: { form: {} } }
const callTimeoutMs = 200_000
const args = { questions: [whichRegion] }

const sdks: Readonly<Record<string, Connect>> = {
  'SDK 1.x': async (url, person) => {
    let [asked, changed] = [0, 0]
    const client = new OlderClient({ name: 'older', version: '1' }, { capabilities })
    client.setRequestHandler(ElicitRequestSchema, () => {
      asked += 1
      return person()
    })
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changed += 1
    })
    // The SDK's class does not match the SDK's interface under exactOptionalPropertyTypes.
    await client.connect(new OlderTransport(url) as Transport)
    closeAfterTest(() => client.close())
    return {
      asked: () => asked,
      listsChanged: () => changed,
      call: (name) => client.callTool({ name, arguments: args }, undefined, { timeout: callTimeoutMs }),
      tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    }
  },
  'SDK 2.x': async (url, person) => {
    let [asked, changed] = [0, 0]
    const client = new NewestClient(
      { name: 'newest', version: '1' },
      { capabilities, versionNegotiation: { mode: 'legacy' } },
    )
    client.setRequestHandler('elicitation/create', () => {
      asked += 1
      return person()
    })
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      changed += 1
    })
    await client.connect(new NewestTransport(url))
    closeAfterTest(() => client.close())
    return {
      asked: () => asked,
      listsChanged: () => changed,
      call: (name) => client.callTool({ name, arguments: args }, { timeout: callTimeoutMs }),
      tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    }
  },
}

const engines: Readonly<Record<string, () => Promise<string>>> = {
  SQLite: async () => `sqlite:${await aFolder()}/assent.db`,
  PostgreSQL: async () => (await aDatabase()).url,
}

/** The number of calls that another process could continue. */
async function keptCalls(store: string): Promise<number> {
  const sql = (table: string) => `select count(*) as kept from ${table}`
  if (store.startsWith('sqlite:')) {
    const database = new DatabaseSync(store.slice('sqlite:'.length), { readOnly: true, timeout: 5_000 })
    try {
      return Number(database.prepare(sql('deferred_calls')).get()?.kept)
    } finally {
      database.close()
    }
  }
  const client = new pg.Client(store)
  await client.connect()
  const { rows } = await client.query(sql('assent.deferred_calls')).finally(() => client.end())
  return Number(rows[0].kept)
}

const configOf = (more: string) => `
servers: { older: ${aProcessOf('2025-11-25')}, newest: ${aProcessOf('2026-07-28')} }
keys: { k1: "${aKey}" }
${more}`

/** A TCP proxy for clients, whose target can be disconnected and replaced. */
async function aSwitchableProxy(): Promise<{
  port: number
  disconnect(): void
  /** Accepts connections at once; they wait until the address is known. */
  connectTo(url: Promise<string>): Promise<void>
}> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const disconnect = () => {
    server?.close()
    for (const socket of sockets) socket.destroy()
  }
  closeAfterTest(disconnect)
  return {
    port,
    disconnect,
    connectTo: async (url) => {
      const keep = (one: Socket) => {
        sockets.add(one)
        one.on('error', () => undefined).on('close', () => sockets.delete(one))
        return one
      }
      server = createServer(async (socket) => {
        keep(socket)
        const { port: behindPort } = new URL(await url)
        if (socket.destroyed) return
        socket.pipe(keep(connect(Number(behindPort), '127.0.0.1'))).pipe(socket)
      })
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
    },
  }
}

/** Kills the gateway while clients have calls in progress, and starts another one after `awayMs`. */
async function survive(engine: string, awayMs: number, config: string): Promise<void> {
  const variables = { ASSENT_STORE: (await engines[engine]?.()) ?? '' }
  const proxy = await aSwitchableProxy()
  const killed = await aRunningGateway(config, variables)
  await proxy.connectTo(Promise.resolve(killed.url))
  const url = new URL(`http://127.0.0.1:${proxy.port}/mcp`)
  let isBack = false
  const person: Person = async () => {
    await sleep(500)
    const answer = { action: 'accept', content: { region: 'eu' } } as never
    return isBack ? answer : new Promise<never>(() => undefined)
  }
  const clients = await Promise.all(Object.values(sdks).map((open) => open(url, person)))
  const outcomesOf = (tool: string) => clients.map((client) => client.call(tool).catch((error: Error) => error.message))
  const [held, kept] = [outcomesOf('older__ask'), outcomesOf('newest__ask')]
  await until(() => (clients.every(({ asked }) => asked() === 2) ? true : undefined))
  // A call is stored shortly after its question.
  await until(async () => ((await keptCalls(variables.ASSENT_STORE)) >= clients.length ? true : undefined))

  await killed.stop('SIGKILL')
  proxy.disconnect()
  const starting = aRunningGateway(config, variables)
  await sleep(awayMs)
  isBack = true
  // The clients stop trying after twelve seconds, and on a busy machine the gateway may need longer to start.
  await proxy.connectTo(starting.then(({ url: behind }) => behind))
  const again = await starting

  for (const words of await Promise.all(held))
    expect(words).toContain('The gateway process that held this call has stopped')
  for (const result of await Promise.all(kept)) expect(result).toMatchObject({ content: [{ text: 'done' }] })
  for (const { tools } of clients) expect(await tools()).toContain('newest__ask')
  // Only the GET stream carries this notification.
  await again.reload(config.replace('servers: {', `servers: { third: ${aProcessOf('2025-11-25')},`))
  await until(() => (clients.every(({ listsChanged }) => listsChanged() > 0) ? true : undefined))
}

test.each(Object.keys(engines))(
  '[FLEET-15] [RUN-18] both unmodified SDKs reconnect to a gateway on %s that was killed and down for ten seconds',
  (engine) => survive(engine, 10_000, configOf('')),
  300_000,
)
