// Three tenants with a gateway, an issuer and people each, on one store and with one key ring, which is the worst case. In
// each tenant ann has everything an attacker could want: a session with a question, a sealed state, an open ask.
import { randomBytes } from 'node:crypto'
import { newId, soleApprover } from '@assent/core'
import type { Store } from '@assent/store'
import { type Gateway, startGateway } from 'assent'
import { identifyBy } from '../../packages/gateway/src/http/identity/identify.ts'
import { openTestStore } from '../../test-kit/store/open.ts'
import { callOf, nextTicket, send } from '../hostile/http.ts'
import { Servers } from '../hostile/servers.ts'
import { Issuer } from './issuer.ts'

export const audience = 'https://assent.example.com/mcp'

export interface Tenant {
  readonly name: string
  readonly issuer: Issuer
  readonly gateway: Gateway
  readonly identify: ReturnType<typeof identifyBy>
  /** Valid tokens, by person. */
  readonly tokens: Readonly<Record<'ann' | 'eve', string>>
  readonly principals: Readonly<Record<'ann' | 'eve', string>>
}

export interface Prey {
  readonly tenant: Tenant
  readonly session: string
  readonly states: readonly { readonly name: string; readonly ticket: string; readonly state: string }[]
  readonly ask: string
}

export interface TestEnv {
  readonly store: Store
  readonly servers: Servers
  readonly tenants: readonly Tenant[]
  close(): Promise<void>
}

export async function openTestEnv(): Promise<TestEnv> {
  const { store, keys, close } = await openTestStore()
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
      await close()
    },
  }
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

export async function prepare(testEnv: TestEnv, tenant: Tenant): Promise<Prey> {
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
  await testEnv.store.asks.raise({
    tenant: tenant.name,
    id: ask,
    asker: { server: 'new' },
    principal: tenant.principals.ann,
    question: { kind: 'url', message: 'Sign in.', url: 'https://example.com/' },
    approvalRule: soleApprover(tenant.principals.ann),
    decideWithinMs: 3_600_000,
    useWithinMs: 3_600_000,
  })
  return { tenant, session, states, ask }
}
