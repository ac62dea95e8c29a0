// A real gateway with its inbox, and a real server of each generation that asks for secrets.

import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { Person } from '@assent/core'
import { createAssent, gatewaySecrets, type Interaction, type Secrets, yielding } from '@assent/sdk'
import type { Store } from '@assent/store'
import { McpServer as OlderServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer } from '@modelcontextprotocol/server'
import { type GatewayOptions, type InboxApp, inboxApp, respondWith, SecretPages, startGateway, WebFiles } from 'assent'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { builtWebApp } from '../../scripts/inbox/web-app.ts'
import { closeAfterTest } from '../../test-kit/close-after-test.ts'
import { listen } from '../../test-kit/listen.ts'
import { serveSessions } from '../../test-kit/mcp/serve-2025-11-25.ts'
import { serveRequests } from '../../test-kit/mcp/serve-2026-07-28.ts'
import { openTestStore } from '../../test-kit/store/open.ts'

export type Generation = '2025-11-25' | '2026-07-28'
export const generations: readonly Generation[] = ['2025-11-25', '2026-07-28']
export const personHeader = 'x-person'
export const ann: Person = { principal: 'ann', groups: [] }
export const ben: Person = { principal: 'ben', groups: [] }

export interface TestEnv {
  readonly store: Store
  readonly app: InboxApp
  readonly pages: SecretPages
  /** The MCP endpoint, and the origin of the other routes. */
  readonly url: string
  readonly origin: string
  /** The secrets that the tools got, in order. */
  readonly got: readonly string[]
  readonly errors: unknown[]
  /** Each server's credential, and its own key. */
  readonly tokens: Readonly<Record<string, string>>
  readonly keys: Readonly<Record<string, Uint8Array>>
  /** Where the tool `lure` sends people. */
  readonly lure: { url: string }
  linkFor(person: Person): Promise<string>
  /** Runs SQL without going through the store, as someone with access to the database could. */
  tamper(sql: string): unknown[]
}

export interface TestEnvOptions {
  readonly gateway?: Partial<GatewayOptions>
  /** More servers, by name. */
  readonly servers?: GatewayOptions['servers']
  readonly clock?: () => number
}

export async function openTestEnv(options: TestEnvOptions = {}): Promise<TestEnv> {
  const { clock } = options
  const opened = await openTestStore(clock === undefined ? {} : { clock })
  const { store, keys } = opened
  const pages = new SecretPages({ store, tenant: 'default', keys })
  const got: string[] = []
  const lure = { url: '' }
  const errors: unknown[] = []
  let origin = ''
  const secretsOf = (name: string): Secrets => {
    // Created at the first use, because the gateway's address is not known before.
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
    // Longer than a person needs in a browser on a busy machine.
    patienceMs: 280_000,
    servers: {
      newest: { url: newest, secrets: { token: tokens.newest ?? '' } },
      older: { url: older, secrets: { token: tokens.older ?? '' } },
      ...options.servers,
    },
    identify: ({ headers }) => ({ principal: String(headers[personHeader] ?? 'ann'), groups: [] }),
    fallback: async (request, response) => {
      if (app !== undefined) await respondWith(app.fetch, request, response)
    },
    onError: (error) => errors.push(error),
    ...options.gateway,
  })
  origin = new URL(gateway.url).origin
  pages.openAt(origin, origin)
  const served = inboxApp({
    store,
    tenant: 'default',
    baseUrl: origin,
    keys,
    secretPages: pages,
    web: await WebFiles.read(await builtWebApp()),
    describe: ({ server }) => ({ name: `The ${server} server`, origin: 'configured by your team' }),
    onError: (error) => errors.push(error),
  })
  app = served
  onTestFinished(async () => {
    await gateway.close()
    await opened.close()
  })
  const testEnv = { store, app: served, pages, url: gateway.url, origin, got, errors, tokens, keys: ownKeys }
  return {
    ...testEnv,
    lure,
    linkFor: async (person) => (await served.signInLink(person)) ?? '',
    tamper: opened.query,
  }
}

function token(name: string): string {
  return `${name}-${randomBytes(32).toString('base64url')}`
}

const input = z.object({ note: z.string().optional() })
type Asking = (args: { note?: string | undefined }, interaction: Interaction) => Promise<string>

/** Tools that use a secret without returning it. */
function toolsOf(secrets: Secrets, got: string[], lure: TestEnv['lure']) {
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
    const secret = yield* ask.secret('The password?')
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

async function aNewestServer(secrets: Secrets, got: string[], lure: TestEnv['lure']): Promise<string> {
  const { interactive, tools } = toolsOf(secrets, got, lure)
  return listening(
    serveRequests(() => {
      const server = new McpServer({ name: 'newest', version: '1' })
      for (const [name, tool] of Object.entries(tools))
        server.registerTool(name, { inputSchema: input }, interactive(tool, { name, server }))
      return server
    }),
  )
}

async function anOlderServer(secrets: Secrets, got: string[], lure: TestEnv['lure']): Promise<string> {
  const { interactive, tools } = toolsOf(secrets, got, lure)
  const { listener } = serveSessions(() => {
    const server = new OlderServer({ name: 'older', version: '1' })
    for (const [name, tool] of Object.entries(tools))
      server.registerTool(name, { inputSchema: input }, interactive(tool, { name, server }))
    return server
  })
  return listening(listener)
}

async function listening(listener: RequestListener): Promise<string> {
  const { url, close } = await listen(listener)
  closeAfterTest(close)
  return url
}
