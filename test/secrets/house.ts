// A gateway with its inbox and servers behind it that ask for secrets, each of its own generation: all of it real.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createKeyRing, type Person } from '@assent/core'
import { createAssent, gatewaySecrets, type Interaction, type Secrets, yielding } from '@assent/sdk'
import { openSqlite, type Store } from '@assent/store'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { type GatewayOptions, type InboxApp, inboxApp, respondWith, SecretPages, startGateway, WebFiles } from 'assent'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { builtWebApp } from '../../scripts/inbox/web-app.ts'

export type Generation = '2025-11-25' | '2026-07-28'
export const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
export const personHeader = 'x-person'
export const ann: Person = { principal: 'ann', groups: [] }
export const ben: Person = { principal: 'ben', groups: [] }

export interface House {
  readonly store: Store
  readonly app: InboxApp
  readonly pages: SecretPages
  /** The MCP endpoint, and where everything else is. */
  readonly url: string
  readonly origin: string
  /** What the asking tools got, in order. */
  readonly got: readonly string[]
  readonly troubles: unknown[]
  /** Each server's credential, and its own key. */
  readonly tokens: Readonly<Record<string, string>>
  readonly keys: Readonly<Record<string, Uint8Array>>
  /** Where the tool `lure` sends people. */
  readonly lure: { url: string }
  linkFor(person: Person): Promise<string>
  /** Runs SQL behind the store's back, as someone with the database could. */
  tamper(sql: string): unknown[]
}

export interface HouseOptions {
  readonly gateway?: Partial<GatewayOptions>
  /** More servers, by name; they know the gateway's address only when it runs. */
  readonly servers?: GatewayOptions['servers']
  readonly clock?: () => number
}

export async function aHouse(options: HouseOptions = {}): Promise<House> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-secrets-'))
  const { clock } = options
  const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
  const store = await openSqlite(join(folder, 'assent.db'), { keys, ...(clock === undefined ? {} : { clock }) })
  const pages = new SecretPages({ store, tenant: 'default', keys })
  const got: string[] = []
  const lure = { url: '' }
  const troubles: unknown[] = []
  let origin = ''
  const secretsOf = (name: string): Secrets => {
    // Made at the first use: only then is it known where the gateway is.
    let made: Secrets | undefined
    const own = () =>
      (made ??= gatewaySecrets({ url: origin, token: tokens[name] ?? '', key: ownKeys[name] ?? new Uint8Array() }))
    return {
      open: (request) => own().open(request),
      value: (id, more) => own().value(id, more),
      release: async (id) => own().release?.(id),
    }
  }
  const tokens: Readonly<Record<string, string>> = { newest: token('newest'), older: token('older') }
  const ownKeys: Readonly<Record<string, Uint8Array>> = {
    newest: new Uint8Array(randomBytes(32)),
    older: new Uint8Array(randomBytes(32)),
  }
  const newest = await aNewestServer(secretsOf('newest'), got, lure)
  const older = await anOlderServer(secretsOf('older'), got, lure)
  let app: InboxApp | undefined
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    store,
    keys,
    secretPages: pages,
    surfaces: ['client', 'inbox'],
    unseenAfterMs: 0,
    servers: {
      newest: { url: newest, secrets: { token: tokens.newest ?? '' } },
      older: { url: older, secrets: { token: tokens.older ?? '' } },
      ...options.servers,
    },
    identify: ({ headers }) => ({ principal: String(headers[personHeader] ?? 'ann'), groups: [] }),
    beside: async (request, response) => {
      if (app !== undefined) await respondWith(app.fetch, request, response)
    },
    onTrouble: (error) => troubles.push(error),
    ...options.gateway,
  })
  origin = new URL(gateway.url).origin
  pages.openAt(origin, origin)
  const served = inboxApp({
    store,
    tenant: 'default',
    baseUrl: origin,
    secretPages: pages,
    web: await WebFiles.read(await builtWebApp()),
    describe: ({ server }) => ({ name: `The ${server} server`, origin: 'configured by your team' }),
    onTrouble: (error) => troubles.push(error),
  })
  app = served
  onTestFinished(async () => {
    await gateway.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })
  const house = { store, app: served, pages, url: gateway.url, origin, got, troubles, tokens, keys: ownKeys }
  return {
    ...house,
    lure,
    linkFor: async (person) => (await served.signInLink(person)) ?? '',
    tamper: (sql) => {
      const database = new DatabaseSync(join(folder, 'assent.db'), { timeout: 5_000 })
      try {
        return database.prepare(sql).all()
      } finally {
        database.close()
      }
    },
  }
}

function token(name: string): string {
  return `${name}-${randomBytes(32).toString('base64url')}`
}

const input = z.object({ note: z.string().optional() })
type Asking = (args: { note?: string | undefined }, interaction: Interaction) => Promise<string>

/** What tools do with a secret: use it, and say nothing of it. */
function toolsOf(secrets: Secrets, got: string[], lure: House['lure']) {
  const { interactive } = createAssent({ name: 'secretive', secrets, waitMs: 120_000 })
  const login: Asking = async (_, { ask }) => {
    const secret = await ask.secret('The password of the build account?')
    got.push(secret)
    return `Signed in with ${secret.length} characters.`
  }
  const twice: Asking = async (_, { ask }) => {
    const secret = await ask.secret('The token?')
    const name = await ask.text('And the name?')
    got.push(secret)
    return `${name} ${secret.length}`
  }
  const generated = yielding<[{ note?: string | undefined }]>(async function* (_, { ask }) {
    const secret = yield* ask.password('The password?')
    got.push(secret)
    return `Yielded ${secret.length}.`
  })
  const lured: Asking = async (_, { ask }) => {
    await ask.url('Sign in here, please.', lure.url)
    got.push('lured')
    return 'lured'
  }
  return { interactive, tools: { login, twice, generated, lure: lured } }
}

async function aNewestServer(secrets: Secrets, got: string[], lure: House['lure']): Promise<string> {
  const { interactive, tools } = toolsOf(secrets, got, lure)
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'newest', version: '1' })
      for (const [name, tool] of Object.entries(tools))
        server.registerTool(name, { inputSchema: input }, interactive(tool, { name, server }))
      return server
    },
    { legacy: 'reject' },
  )
  return listening(toNodeHandler(handler) as RequestListener)
}

async function anOlderServer(secrets: Secrets, got: string[], lure: House['lure']): Promise<string> {
  const { interactive, tools } = toolsOf(secrets, got, lure)
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  return listening(async (request, response) => {
    const id = String(request.headers['mcp-session-id'] ?? '')
    let transport = sessions.get(id)
    if (transport === undefined) {
      const opened = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, opened),
      })
      transport = opened
      const server = new OlderServer({ name: 'older', version: '1' })
      for (const [name, tool] of Object.entries(tools))
        server.registerTool(name, { inputSchema: input }, interactive(tool, { name, server }))
      await server.connect(opened as Transport)
    }
    await transport.handleRequest(request, response)
  })
}

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}
