import type { JsonObject } from '@assent/core'
import { Policies } from '@assent/policy'
import { describe, expect, test } from 'vitest'
import { allItems } from '../../../../test-kit/all-items.ts'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openCluster } from '../../../../test-kit/gateway/cluster.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { messagesOf } from '../../../../test-kit/mcp/messages.ts'
import { until } from '../../../../test-kit/until.ts'
import type { PolicyDecider } from '../call/policy/policy-gate.ts'
import type { GatewayOptions } from '../program/gateway.ts'
import { anOlderRawServer, aRawServer, aSession, complete, post, type RawRequest, request } from './wire.suite.ts'

const tools = [{ name: 'ask', inputSchema: { type: 'object' } }]
const listed = { resultType: 'complete', tools }
const served = ({ method }: RawRequest) => (method === 'tools/list' ? { result: listed } : complete)
/** Headers have the roles and the OAuth client of the caller, as a token would. */
const identify: NonNullable<GatewayOptions['identify']> = ({ headers }) => ({
  principal: 'ann',
  groups: [],
  ...(headers['x-roles'] === undefined ? {} : { roles: String(headers['x-roles']).split(' ') }),
  ...(headers['x-client'] === undefined ? {} : { client: String(headers['x-client']) }),
})
const behindProxy = { identify, trustedProxies: ['127.0.0.0/8'], surfaces: ['client', 'inbox'] as const, holdMs: 10 }
const from = (address: string, roles = 'deployer') => ({ 'x-forwarded-for': address, 'x-roles': roles })
const inside = from('10.1.2.3')
const notAllowed: readonly [string, Record<string, string>][] = [
  ['from another address', from('203.0.113.7')],
  ['with an invalid address', from('unknown')],
  ['without the role', from('10.1.2.3', 'auditor')],
  ['without roles', { 'x-forwarded-for': '10.1.2.3' }],
  ['from the proxy itself', { 'x-roles': 'deployer' }],
]

async function cedar(text: string): Promise<PolicyDecider> {
  const settings = { shortForm: [], cedarFiles: [{ file: 'a.cedar', text }], groups: {}, timeZone: 'UTC' }
  const opened = await Policies.open(settings)
  if (!(opened instanceof Policies)) throw new Error(JSON.stringify(opened))
  return opened
}

const all = '@id("all") permit (principal, action, resource);'
const onlyDeployersInside = `${all}
  @id("inside") forbid (principal, action, resource) unless { context.address.isInRange(ip("10.0.0.0/8")) };
  @id("role") forbid (principal, action, resource) unless { principal.roles.contains("deployer") };`

const calling = { name: 'ask', arguments: {} }
const ran = { content: [{ type: 'text', text: 'done' }] }
const denied = { isError: true, content: [{ text: expect.stringContaining('Nothing ran.') }] }

async function aGateway(policies: string, options: Partial<GatewayOptions> = {}) {
  const server = await aRawServer(served, { tools: {} })
  const env = await openTestEnv()
  const servers = { deploy: { url: server.url } }
  const gateway = await env.gateway(servers, { ...behindProxy, policies: await cedar(policies), ...options })
  const runs = () => server.requests.filter(({ method }) => method === 'tools/call').length
  return { gateway, store: env.store, runs }
}

/** Calls the tool in a session, with the headers of this request. */
async function callIn(url: string, session: string, headers: Record<string, string>, id = 7): Promise<JsonObject> {
  const body = { jsonrpc: '2.0', id, method: 'tools/call', params: calling }
  const response = await post(url, body, { headers: { ...headers, 'mcp-session-id': session } })
  let last: unknown
  for await (const message of messagesOf(response)) last = message
  return (last as { result: JsonObject }).result
}

describe('a client of 2026-07-28', () => {
  test('[POLICY-60] [POLICY-61] [POLICY-64] runs a tool only with the role and from the address', async () => {
    const { gateway, runs } = await aGateway(onlyDeployersInside)
    const call = async (headers: Record<string, string>) =>
      (await request(gateway.url, 'tools/call', calling, { headers })).message.result

    expect(await call(inside)).toMatchObject(ran)
    expect(runs()).toBe(1)
    for (const [, headers] of notAllowed) expect(await call(headers)).toMatchObject(denied)
    expect(runs()).toBe(1)
  })

  test('[POLICY-64] when an approval is used, the roles and the address of that request decide', async () => {
    const asking = `@id("ask") @ask("requester") permit (principal, action, resource);
      @id("inside") forbid (principal, action, resource) unless { context.address.isInRange(ip("10.0.0.0/8")) };
      @id("role") forbid (principal, action, resource) unless { principal.roles.contains("deployer") };`
    const { gateway, store, runs } = await aGateway(asking)
    const call = async (headers: Record<string, string>, rounds: object = {}) =>
      (await request(gateway.url, 'tools/call', { ...calling, ...rounds }, { headers })).message.result
    const { requestState } = await call(inside)
    await answerInInbox(store, await firstAsk(store), { action: 'accept' })

    const elsewhere = await until(async () => {
      const result = await call(from('203.0.113.7'), { requestState })
      return result.resultType === 'input_required' ? undefined : result
    })

    expect(elsewhere).toMatchObject(denied)
    expect(runs()).toBe(0)
  })

  test('[POLICY-64] without trusted proxies the header of the caller changes nothing', async () => {
    const { gateway, runs } = await aGateway(onlyDeployersInside, { trustedProxies: [] })

    const { message } = await request(gateway.url, 'tools/call', calling, { headers: inside })

    expect(message.result).toMatchObject(denied)
    expect(runs()).toBe(0)
  })
})

describe('a client with a session', () => {
  test('[POLICY-60] [POLICY-61] [POLICY-64] each request of it is judged by its own roles and address', async () => {
    const { gateway, runs } = await aGateway(onlyDeployersInside)
    const { id } = await aSession(gateway.url, { headers: inside })

    expect(await callIn(gateway.url, id, inside)).toMatchObject(ran)
    for (const [, headers] of notAllowed) expect(await callIn(gateway.url, id, headers)).toMatchObject(denied)
    expect(runs()).toBe(1)
    const together = await Promise.all(
      [inside, from('203.0.113.7'), inside, from('10.1.2.3', 'auditor')].map((headers, index) =>
        callIn(gateway.url, id, headers, 20 + index),
      ),
    )
    expect(together).toMatchObject([ran, denied, ran, denied])
    expect(runs()).toBe(3)
  })
})

describe.each(['2025-11-25', '2026-07-28'])('the program of a client of %s', (revision) => {
  /** Calls the tool as the program `raw`. */
  const callAs = async (url: string, headers: Record<string, string>) => {
    if (revision === '2025-11-25') return callIn(url, (await aSession(url)).id, headers)
    const meta = { 'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' } }
    return (await request(url, 'tools/call', calling, { headers, meta })).message.result
  }
  const ofToken = { 'x-client': 'builds' }

  test('[POLICY-72] is the agent of policies: its OAuth client, or else the name that it declares', async () => {
    const { gateway, runs } = await aGateway(`${all}
      @id("no builds") forbid (principal, action, resource) when { context.claims.agent == "client builds" };
      @id("raw") forbid (principal, action, resource) unless { context.claims.client == "raw" };`)

    expect(await callAs(gateway.url, {})).toMatchObject(ran)
    expect(await callAs(gateway.url, ofToken)).toMatchObject(denied)
    expect(runs()).toBe(1)
  })

  test('[POLICY-72] is recorded', async () => {
    const { gateway, store } = await aGateway(all, { record: { isOn: true, keepsArguments: false } })

    for (const headers of [{}, ofToken]) expect(await callAs(gateway.url, headers)).toMatchObject(ran)

    const agents = [
      { agent: 'name raw', client: 'raw' },
      { agent: 'client builds', client: 'raw' },
    ]
    const recorded = await until(async () => {
      const calls = await allItems(store.recordedCalls.since('default', { atMs: 0, id: '' }, 0))
      return calls.length === 2 && calls.every(({ outcome }) => outcome !== undefined) ? calls : undefined
    })
    expect(recorded).toMatchObject(agents)
  })
})

describe('several replicas', () => {
  test('[POLICY-64] a request that another replica serves keeps its roles and its address', async () => {
    const server = await anOlderRawServer(({ method, end }) =>
      end({ result: method === 'tools/list' ? { tools } : ran }),
    )
    const policies = await cedar(onlyDeployersInside)
    const { replicas } = await openCluster({ deploy: { url: server.url } }, { gateway: { ...behindProxy, policies } })
    const [first, second] = replicas
    const { id } = await aSession(first.url, { headers: inside })
    const program = await second.program()

    for (const replica of replicas) {
      expect(await callIn(replica.url, id, inside)).toMatchObject(ran)
      const call = async (headers: Record<string, string>) =>
        (await request(replica.url, 'tools/call', calling, { ...program, headers })).message.result
      expect(await call(inside)).toMatchObject(ran)
      for (const [, headers] of notAllowed) {
        expect(await callIn(replica.url, id, headers)).toMatchObject(denied)
        expect(await call(headers)).toMatchObject(denied)
      }
    }
  })
})
