// Two tenants on one store and one key ring, each with a real provider, an inbox where people sign in with their account,
// one where they sign in by link, and a gateway for their agents. In each tenant Ann has asks of every kind, some of them
// raised by her own agent, whose calls were deferred with a handle.
import { type AskDraft, type Person, soleApprover } from '@assent/core'
import type { Store } from '@assent/store'
import { type Gateway, type InboxApp, type InboxOptions, inboxApp, startGateway } from 'assent'
import { identifyBy } from '../../packages/gateway/src/http/identity/identify.ts'
import { aDeployment, aForm, forms } from '../../test-kit/gateway/sample-asks.ts'
import { agentToken, LoginBrowser } from '../../test-kit/oidc/login-browser.ts'
import { anIssuer, audience, inboxClient, type TestIssuer } from '../../test-kit/oidc/provider.ts'
import { openTestStore } from '../../test-kit/store/open.ts'
import { type Answer, callOf, nextTicket, send as sendHttp } from '../hostile/http.ts'
import { Servers } from '../hostile/servers.ts'

export interface Tenant {
  readonly name: string
  readonly base: string
  readonly issuer: TestIssuer
  /** With accounts, and by link. */
  readonly inbox: InboxApp
  readonly linkInbox: InboxApp
  readonly gateway: Gateway
  readonly tokens: Readonly<Record<string, string>>
  readonly ann: Person
  /** Asks for Ann or for a group; the last of each tenant is settled. */
  readonly asks: string[]
  /** Those of them whose result her agent fetches, with the ticket of each call. */
  readonly handles: Map<string, string>
}

export interface TestEnv {
  readonly store: Store
  readonly servers: Servers
  readonly tenants: readonly [Tenant, Tenant]
  close(): Promise<void>
}

export async function openTestEnv(): Promise<TestEnv> {
  const { store, keys, close } = await openTestStore()
  const servers = new Servers()
  const urls = await servers.start()
  const open = async (name: string, port: number): Promise<Tenant> => {
    const base = `http://127.0.0.1:${port}`
    const issuer = await anIssuer([`${base}/sign-in/callback`])
    const identity = identityOf(issuer.url)
    const { id: clientId, secret: clientSecret } = inboxClient
    const login = { identity, clientId, clientSecret, scopes: ['profile', 'groups'] }
    const gateway = await startGateway({
      listen: { host: '127.0.0.1', port: 0 },
      servers: urls,
      store,
      keys,
      tenant: name,
      identify: identifyBy(identity, () => undefined),
      surfaces: ['inbox'],
      askWaitMs: 3_600_000,
      patienceMs: 50,
      holdMs: 5,
    })
    const tokens: Record<string, string> = {}
    for (const person of ['ann', 'ben', 'mallory']) tokens[person] = await agentToken(issuer.url, person)
    const tenant: Tenant = {
      name,
      base,
      issuer,
      inbox: inboxApp({ store, tenant: name, baseUrl: base, keys, login }),
      linkInbox: inboxApp({ store, tenant: name, baseUrl: base, keys }),
      gateway,
      tokens,
      ann: { principal: `${issuer.url}#ann`, groups: ['ops'] },
      asks: [],
      handles: new Map(),
    }
    await raise(store, tenant)
    return tenant
  }
  const tenants = [await open('acme', 7420), await open('globex', 7421)] as const
  return {
    store,
    servers,
    tenants: [...tenants],
    close: async () => {
      for (const { gateway, issuer } of tenants) {
        await gateway.close()
        await issuer.stop()
      }
      servers.stop()
      await close()
    },
  }
}

function identityOf(issuer: string): NonNullable<InboxOptions['login']>['identity'] {
  const times = { clock_tolerance: 0, keys_fresh: 600_000, keys_kept: 3_600_000 }
  const claims = { subject_claim: 'sub', groups_claim: 'groups', roles_claim: undefined, token_type: 'any' } as const
  return { issuer, audience, resource: undefined, scopes: [], algorithms: ['ES256'], ...claims, ...times }
}

async function raise(store: Store, tenant: Tenant): Promise<void> {
  const { name, ann, asks, handles } = tenant
  for (let n = 0; n < 4; n++) {
    const ticket = nextTicket()
    const id = await deferCall(tenant, ticket)
    asks.push(id)
    handles.set(id, ticket)
  }
  const hers = { tenant: name, principal: ann.principal, decideWithinMs: 3_600_000 }
  // Dan is in the group and excluded; a person signed in by link is not the person with the account of that name.
  const excluded: AskDraft['approvalRule'] = {
    approvers: ['group:ops-leads'],
    excluded: ['dan'],
    approvals: 1,
    declines: 1,
  }
  for (const draft of [
    aDeployment({ ...hers, approvalRule: soleApprover(ann.principal) }),
    aDeployment({ ...hers, approvalRule: excluded }),
    aForm('Which?', forms.choices?.fields ?? [], { ...hers, approvalRule: soleApprover(ann.principal) }),
    aDeployment({ ...hers, approvalRule: soleApprover(ann.principal) }),
  ]) {
    asks.push((await store.asks.raise(draft)).id)
  }
  const settled = asks.at(-1) ?? ''
  await store.asks.answer({ tenant: name, id: settled, person: ann, via: 'inbox', answer: { action: 'decline' } })
}

/** A call of Ann's agent that waits for her: it is retried until it gets a handle. */
async function deferCall({ gateway, tokens }: Tenant, ticket: string): Promise<string> {
  let more: object = {}
  for (let round = 0; round < 20; round++) {
    const call = callOf('new__ask', ticket, more)
    const said = await asAgent(gateway.url, tokens.ann ?? '', call)
    const { result } = JSON.parse(said?.text ?? '{}') as { result?: Record<string, never> }
    const { askId } = (result?.structuredContent ?? {}) as { askId?: string }
    if (askId !== undefined) return askId
    more = { requestState: result?.requestState, inputResponses: {} }
  }
  throw new Error('The call of the agent was not deferred.')
}

export function asAgent(url: string, token: string, call: ReturnType<typeof callOf>): Promise<Answer | undefined> {
  return sendHttp(url, { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } })
}

/** A browser at one tenant's inbox. */
export function browserFor(app: InboxApp, base: string): LoginBrowser {
  const { host } = new URL(base)
  return new LoginBrowser(async (url, init) => {
    if (url.host !== host) return fetch(url, init)
    const headers = { ...init.headers, host }
    return app.fetch(new Request(`http://inbox${url.pathname}${url.search}`, { ...init, headers }))
  })
}

export const fromOurPage = (base: string) => ({ origin: base, 'assent-inbox': '1', 'content-type': 'application/json' })

/** The sign-in URL to which our page sends the browser. */
export async function begin(browser: LoginBrowser, base: string): Promise<URL> {
  const init = { method: 'POST', headers: fromOurPage(base), body: '{}' }
  const response = await browser.request(`${base}/api/sign-in/start`, init)
  return new URL(((await response.json()) as { url: string }).url)
}

/** The session of a person who signed in with their account. */
export async function signedIn({ inbox, base }: Tenant, person: string): Promise<LoginBrowser> {
  const browser = browserFor(inbox, base)
  await browser.request(await browser.logIn(await begin(browser, base), person))
  return browser
}

export function cookieHeader(browser: LoginBrowser, base: string): string {
  const jar = browser.cookies.get(new URL(base).host) ?? new Map<string, string>()
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}
