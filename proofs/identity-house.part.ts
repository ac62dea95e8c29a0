// Three tenants with a gateway, an issuer and people each, on one store and with one key ring: the worst neighbours there
// can be. Of each tenant, ann has everything an attacker could want: a session in a question, a sealed state, an open ask.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing, newId, only } from '@assent/core'
import { openSqlite, type Store } from '@assent/store'
import { type Gateway, startGateway } from 'assent'
import { identifyBy } from '../packages/gateway/src/identity/identify.ts'
import { callOf, nextTicket, send } from './hostile-http.part.ts'
import { Servers } from './hostile-servers.part.ts'
import { Issuer } from './identity-issuer.part.ts'

export const audience = 'https://assent.example.com/mcp'

export interface Tenant {
  readonly name: string
  readonly issuer: Issuer
  readonly gateway: Gateway
  readonly identify: ReturnType<typeof identifyBy>
  /** Good tokens, by person. */
  readonly tokens: Readonly<Record<'ann' | 'eve', string>>
  readonly principals: Readonly<Record<'ann' | 'eve', string>>
}

export interface Prey {
  readonly tenant: Tenant
  readonly session: string
  readonly states: readonly { readonly name: string; readonly ticket: string; readonly state: string }[]
  readonly ask: string
}

export interface House {
  readonly store: Store
  readonly servers: Servers
  readonly tenants: readonly Tenant[]
  close(): Promise<void>
}

export async function aHouse(): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-identity-'))
  const keys = createKeyRing([{ id: 'shared', secret: Buffer.alloc(32, 9) }])
  const store = await openSqlite(join(folder, 'assent.db'), { keys })
  const servers = new Servers()
  const urls = await servers.start()
  const tenants: Tenant[] = []
  for (const name of ['red', 'green', 'blue']) {
    const issuer = new Issuer()
    await issuer.start()
    const settings = {
      issuer: issuer.url,
      audience,
      resource: undefined,
      scopes: [],
      algorithms: ['ES256'],
      clock_tolerance: 0,
      keys_fresh: 600_000,
      keys_kept: 3_600_000,
      groups_claim: undefined,
      subject_claim: 'sub',
    } as unknown as Parameters<typeof identifyBy>[0]
    const identify = identifyBy(settings, () => undefined)
    const gateway = await startGateway({
      listen: { host: '127.0.0.1', port: 0 },
      servers: urls,
      store,
      keys,
      tenant: name,
      identify,
      surfaces: ['client', 'inbox'],
      unseenAfterMs: 0,
      askWaitMs: 3_600_000,
      holdMs: 50,
    })
    const of = (person: string) => `${issuer.url}#${person}`
    tenants.push({
      name,
      issuer,
      gateway,
      identify,
      tokens: { ann: issuer.token('ann', audience), eve: issuer.token('eve', audience) },
      principals: { ann: of('ann'), eve: of('eve') },
    })
  }
  return {
    store,
    servers,
    tenants,
    close: async () => {
      for (const { gateway, issuer } of tenants) {
        await gateway.close()
        issuer.stop()
      }
      servers.stop()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

export async function prepare(house: House, tenant: Tenant): Promise<Prey> {
  const { url } = tenant.gateway
  const headers = bearer(tenant.tokens.ann)
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'prey', version: '1' },
  }
  const opened = await send(url, {
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  const session = String(opened?.headers['mcp-session-id'])
  const states = []
  for (const name of ['new__ask', 'old__ask']) {
    const ticket = nextTicket()
    const call = callOf(name, ticket)
    const asked = await send(url, { ...call, headers: { ...call.headers, ...headers } })
    states.push({ name, ticket, state: String(JSON.parse(asked?.text ?? '{}').result?.requestState) })
  }
  const ask = newId('ask', Date.now(), randomBytes)
  await house.store.asks.raise({
    tenant: tenant.name,
    id: ask,
    asker: { server: 'new' },
    principal: tenant.principals.ann,
    question: { kind: 'url', message: 'Sign in.', url: 'https://example.com/' },
    electorate: only(tenant.principals.ann),
    decideWithinMs: 3_600_000,
    useWithinMs: 3_600_000,
  })
  return { tenant, session, states, ask }
}
