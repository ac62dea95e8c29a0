// Attempts on secret pages by people and servers that they do not belong to.
//
// People try the inbox's API, servers try the API for servers, and servers try to send people to pages with a question
// over MCP. Each attempt is also made on a page that does not exist.

import { randomBytes } from 'node:crypto'
import { createKeyRing, newId, soleApprover } from '@assent/core'
import { type InboxApp, inboxApp, SecretPages } from 'assent'
import type { SeededRandom } from '../../test-kit/random.ts'
import { gather, headersOf, type Stranger } from './api.ts'
import type { Tally } from './tally.ts'
import { fromOurPage, type TestEnv } from './test-env.ts'

const aPageId = () => newId('secret', Date.now(), randomBytes)

/** @param isUnasked whether the page has not been asked about yet */
type Way = (page: string, salt: number, isUnasked: boolean) => Promise<string>

export async function trySecretPages(
  testEnv: TestEnv,
  random: SeededRandom,
  attempts: number,
  tally: Tally,
): Promise<void> {
  const { store, tenants } = testEnv
  const [{ name: tenant, base, ann }] = tenants
  const keys = createKeyRing([{ id: 'k', secret: randomBytes(32) }])
  const pages = new SecretPages({ store, tenant, keys })
  const [own, evil] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  pages.openAt(base, base)
  pages.use({
    deploy: { url: 'http://127.0.0.1:1/', secrets: { token: own } },
    evil: { url: 'http://127.0.0.1:2/', secrets: { token: evil } },
  })
  const { fetch } = inboxApp({ store, tenant, baseUrl: base, keys, secretPages: pages })
  const tokens = ['', evil, `${own}0`, `deploy:${own}`, 'deploy:assent1.k.AAAA', pages.credentials.tokenFor('evil')]
  const strangers = await gather(testEnv)
  const place = { store, tenant, base, principal: ann.principal }
  const targets = [await aPage(place, 'open'), await aPage(place, 'handed'), await aPage(place, 'unasked')]
  const asking = { pages, ...place }
  const ways: readonly (readonly [string, Way])[] = [
    ['a person', (page, salt) => asPerson(strangers[(salt >> 4) % strangers.length] as Stranger, page, salt)],
    ['a server', (page, salt) => asServer(fetch, tokens[(salt >> 4) % tokens.length] ?? '', page, salt)],
    ['a question over MCP', (page, salt, isUnasked) => overMcp(asking, page, salt, isUnasked)],
  ]
  for (let i = 0; i < attempts; i++) {
    const target = random.pick(targets)
    const salt = random.int(2 ** 31)
    const [who, way] = random.pick(ways)
    const isUnasked = target === targets.at(-1)
    const real = await way(target, salt, isUnasked)
    const absent = await way(aPageId(), salt, isUnasked)
    tally.judge(`a page for secrets: ${who}`, { succeeded: real.startsWith('yes'), reveals: real !== absent })
  }
  if ((await changed(place, targets)) > 0) throw new Error('A secret page was changed.')
  // The control: the same requests succeed for the owners.
  const collected = await asServer(fetch, own, targets[1] ?? '', 1)
  const asked = await judged(asking, 'deploy', ann.principal, targets[0] ?? '')
  if (!collected.startsWith('yes') || !asked.startsWith('yes'))
    throw new Error('The owners could not use their own pages.')
}

interface Place {
  readonly store: TestEnv['store']
  readonly tenant: string
  readonly base: string
  /** The owner of the pages. */
  readonly principal: string
}

type Asking = Place & { readonly pages: SecretPages }

/** Pages of `deploy` for Ann: waiting for her, filled in, or not asked about yet. */
async function aPage({ store, tenant, base, principal }: Place, state: 'open' | 'handed' | 'unasked'): Promise<string> {
  const id = aPageId()
  const limits = { decideWithinMs: 3_600_000, keepMs: 3_600_000, perServer: 100, inAll: 1_000 }
  await store.secrets.open({ tenant, id, server: 'deploy', publicKey: 'AAAA', ...limits })
  if (state === 'unasked') return id
  await store.secrets.bind({ tenant, id, server: 'deploy' }, principal)
  const ask = await store.asks.raise({
    tenant,
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'deploy' },
    principal,
    question: {
      kind: 'url',
      message: 'Token?',
      url: `${base}/secret/${id}`,
      secret: { page: id, publicKey: 'AAAA' },
    },
    approvalRule: soleApprover(principal),
    decideWithinMs: 3_600_000,
    useWithinMs: 60_000,
  })
  await store.secrets.link(tenant, id, ask.id)
  if (state === 'open') return id
  const person = { principal, groups: [] }
  await store.secrets.handOver({ tenant, id: ask.id, page: id, person, sealed: '{"enc":"AA","ct":"BB"}' })
  return id
}

const bodies: readonly ((salt: number) => unknown)[] = [
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, sealed: { enc: 'AAAA', ct: 'BBBB' } }),
  () => ({ decisionId: 'short', sealed: {} }),
  () => 'no json',
]

async function asPerson(stranger: Stranger, page: string, salt: number): Promise<string> {
  const { app, tenant, cookie } = stranger
  const path = `/api/secrets/${page}`
  const url = `http://inbox${path}`
  const plain = { host: new URL(tenant.base).host, cookie }
  if (salt % 4 === 0) {
    const headers = { ...plain, ...(await headersOf(stranger, 'GET', path, undefined)) }
    return whole(await app.fetch(new Request(url, { headers })))
  }
  const body = bodies[salt % bodies.length]?.(salt)
  const written = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { ...plain, ...fromOurPage(tenant.base), ...(await headersOf(stranger, 'POST', path, written)) }
  return whole(await app.fetch(new Request(url, { method: 'POST', headers, body: written })))
}

async function asServer(fetch: InboxApp['fetch'], token: string, page: string, salt: number): Promise<string> {
  const [method, path] = (
    [
      ['DELETE', page],
      ['POST', `${page}/collect`],
    ] as const
  )[salt % 2] ?? ['POST', page]
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
  return whole(await fetch(new Request(`http://inbox/server/secrets/${path}`, { method, headers })))
}

/** Another person through the server itself; Ann, or anyone, through another server. Its server may ask about a page that
 * has not been asked about yet, so there only the other server is a stranger. */
function overMcp(asking: Asking, page: string, salt: number, isUnasked: boolean): Promise<string> {
  if (salt % 2 === 0 && !isUnasked) return judged(asking, 'deploy', 'mallory', page)
  return judged(asking, 'evil', [asking.principal, 'mallory'][salt % 2] ?? asking.principal, page)
}

async function judged(
  { pages, tenant, base }: Asking,
  server: string,
  principal: string,
  page: string,
): Promise<string> {
  const url = `${base}/secret/${page}`
  const call = { tenant, principal } as Parameters<SecretPages['judge']>[0]
  const { refused } = await pages.judge(call, server, { q: { kind: 'url', message: 'Token?', url, params: {} } })
  return refused.q ?? 'yes'
}

async function whole(response: Response): Promise<string> {
  const text = `${JSON.stringify([...response.headers])} ${await response.text()}`
  return `${response.ok ? 'yes' : 'no'} ${response.status} ${text}`
}

/** The number of pages that were changed: bound to another person, or with another value. */
async function changed(
  { store, tenant }: Place,
  [open = '', handed = '', unasked = '']: readonly string[],
): Promise<number> {
  const read = (id: string) => store.secrets.collect({ tenant, id, server: 'deploy' }, 64)
  const kinds = [await read(open), await read(handed), await read(unasked)].map((one) => one?.kind)
  return kinds.filter((kind, at) => kind !== ['empty', 'ready', 'unbound'][at]).length
}
