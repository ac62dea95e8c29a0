// The official clients in a 2025 session while their gateway is killed and started again.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client as NewestClient, StreamableHTTPClientTransport as NewestTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { whichRegion } from '../contract/asking.suite.ts'
import { putAwayLater, until } from '../contract/stage.suite.ts'
import { aDatabase, aFolder, aFreePort, aKey, aProcessOf, aRunningGateway } from './process.suite.ts'

interface Survivor {
  readonly asked: () => number
  readonly listsChanged: () => number
  call(name: string): Promise<unknown>
  tools(): Promise<readonly string[]>
}

type Person = () => Promise<never>
type Connect = (url: URL, person: Person) => Promise<Survivor>

const capabilities = { elicitation: { form: {} } }
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
    // The SDK's own class does not fit its own interface under exactOptionalPropertyTypes.
    await client.connect(new OlderTransport(url) as Transport)
    putAwayLater(() => client.close())
    return {
      asked: () => asked,
      listsChanged: () => changed,
      call: (name) => client.callTool({ name, arguments: args }, undefined, { timeout: 60_000 }),
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
    putAwayLater(() => client.close())
    return {
      asked: () => asked,
      listsChanged: () => changed,
      call: (name) => client.callTool({ name, arguments: args }, { timeout: 60_000 }),
      tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    }
  },
}

const engines: Readonly<Record<string, () => Promise<string>>> = {
  SQLite: async () => `sqlite:${await aFolder()}/assent.db`,
  PostgreSQL: async () => (await aDatabase()).url,
}

const configOf = (more: string) => `
servers: { older: ${aProcessOf('2025-11-25')}, newest: ${aProcessOf('2026-07-28')} }
keys: { k1: "${aKey}" }
${more}`

/** Where clients connect: what is behind it can go away, and be another one later. */
async function aFrontDoor(): Promise<{ port: number; away(): void; leadTo(url: string): Promise<void> }> {
  const port = await aFreePort()
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const away = () => {
    server?.close()
    for (const socket of sockets) socket.destroy()
  }
  putAwayLater(away)
  return {
    port,
    away,
    leadTo: async (url) => {
      server = createServer((socket) => {
        const behind = connect(Number(new URL(url).port), '127.0.0.1')
        for (const one of [socket, behind]) {
          sockets.add(one)
          one.on('error', () => undefined).on('close', () => sockets.delete(one))
        }
        socket.pipe(behind).pipe(socket)
      })
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
    },
  }
}

/** Kills the gateway of clients that have a call under way. Another one is there after exactly so long. */
async function survive(engine: string, awayMs: number, config: string): Promise<void> {
  const variables = { ASSENT_STORE: (await engines[engine]?.()) ?? '' }
  const door = await aFrontDoor()
  const killed = await aRunningGateway(config, variables)
  await door.leadTo(killed.url)
  const url = new URL(`http://127.0.0.1:${door.port}/mcp`)
  let isBack = false
  const person: Person = async () => {
    await sleep(500)
    const answer = { action: 'accept', content: { region: 'eu' } } as never
    return isBack ? answer : new Promise<never>(() => undefined)
  }
  const clients = await Promise.all(Object.values(sdks).map((open) => open(url, person)))
  const outcomesOf = (tool: string) => clients.map((client) => client.call(tool).catch((error: Error) => error.message))
  const [held, kept] = [outcomesOf('older__ask'), outcomesOf('newest__ask')]
  await until(() => (clients.every(({ asked }) => asked() === 2) ? true : undefined), 20_000)
  // A call is kept a moment after its question.
  await sleep(1_000)

  await killed.stop('SIGKILL')
  door.away()
  const isOver = sleep(awayMs)
  const again = await aRunningGateway(config, variables)
  await isOver
  isBack = true
  await door.leadTo(again.url)

  for (const words of await Promise.all(held)) expect(words).toContain('The process that held this call is gone')
  for (const result of await Promise.all(kept)) expect(result).toMatchObject({ content: [{ text: 'done' }] })
  for (const { tools } of clients) expect(await tools()).toContain('newest__ask')
  // Only the standing stream carries it.
  await again.reload(config.replace('servers: {', `servers: { third: ${aProcessOf('2025-11-25')},`))
  await until(() => (clients.every(({ listsChanged }) => listsChanged() > 0) ? true : undefined), 20_000)
}

test.each(Object.keys(engines))(
  '[FLEET-15] [RUN-18] both SDKs, as they are, come back to a gateway on %s that was killed and away for ten seconds',
  (engine) => survive(engine, 10_000, configOf('')),
  90_000,
)
