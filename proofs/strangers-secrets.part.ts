// Pages where secrets are handed over, tried by people and servers they do not belong to.
//
// People try the inbox's API, servers the one for servers, and servers try to send people to pages by a question over MCP.
// Beside each attempt stands the same one at a page that does not exist.

import { randomBytes } from 'node:crypto'
import { createKeyRing, newId, only } from '@assent/core'
import type { Store } from '@assent/store'
import { type InboxApp, inboxApp, SecretPages } from 'assent'
import type { SeededRandom } from './random.part.ts'
import type { Tally } from './strangers-tally.part.ts'

const baseUrl = 'http://127.0.0.1:7420'
const tenant = 'secretive'
const aPageId = () => newId('secret', Date.now(), randomBytes)

/** Someone at a browser, with a cookie or without. */
interface Stranger {
  readonly app: { fetch(request: Request): Response | Promise<Response> }
  readonly cookie: string
}

/** @param isUnasked of the page that is tried, also where another is tried beside it */
type Way = (page: string, salt: number, isUnasked: boolean) => Promise<string>

export async function trySecretPages(
  store: Store,
  random: SeededRandom,
  attempts: number,
  tally: Tally,
): Promise<void> {
  const pages = new SecretPages({ store, tenant, keys: createKeyRing([{ id: 'k', secret: randomBytes(32) }]) })
  const [own, evil] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  pages.openAt(baseUrl, baseUrl)
  pages.use({
    deploy: { url: 'http://127.0.0.1:1/', secrets: { token: own } },
    evil: { url: 'http://127.0.0.1:2/', secrets: { token: evil } },
  })
  const app = inboxApp({ store, tenant, baseUrl, secretPages: pages })
  const { fetch } = app
  const strangers = await gather(app)
  const tokens = ['', evil, `${own}0`, `deploy:${own}`, 'deploy:assent1.k.AAAA', pages.credentials.tokenFor('evil')]
  const targets = [await aPage(store, 'open'), await aPage(store, 'handed'), await aPage(store, 'unasked')]
  const ways: readonly Way[] = [
    (page, salt) => asPerson(strangers[(salt >> 4) % strangers.length] as Stranger, page, salt),
    (page, salt) => asServer(fetch, tokens[(salt >> 4) % tokens.length] ?? '', page, salt),
    (page, salt, isUnasked) => overMcp(pages, page, salt, isUnasked),
  ]
  for (let i = 0; i < attempts; i++) {
    const target = random.pick(targets)
    const salt = random.int(2 ** 31)
    const way = random.pick(ways)
    const isUnasked = target === targets.at(-1)
    const real = await way(target, salt, isUnasked)
    const told = real !== (await way(aPageId(), salt, isUnasked))
    tally.judge(names[ways.indexOf(way)] ?? '', { succeeded: real.startsWith('yes'), told })
  }
  const moved = await changed(store, targets)
  if (moved > 0) tally.judge('a page for a secret was changed', { succeeded: true, told: false })
  // The same ways do open for whom they are: a proof on a closed door would prove nothing.
  const collected = await asServer(fetch, own, targets[1] ?? '', 1)
  const asked = await judged(pages, 'deploy', 'ann', targets[0] ?? '')
  if (!collected.startsWith('yes') || !asked.startsWith('yes')) throw new Error('Nothing opens for anyone.')
}

const names = [
  'a person, at a page for a secret',
  'a server, at a page for a secret',
  "a server's link to a page for a secret",
]

async function gather(app: InboxApp): Promise<Stranger[]> {
  const strangers: Stranger[] = [{ app, cookie: '' }]
  for (const [principal, ...groups] of [['mallory'], ['Ann'], ['eve', 'ann', 'person:ann']] as const) {
    const code = new URL((await app.signInLink({ principal, groups })) ?? '').hash.slice('#code='.length)
    const headers = { host: '127.0.0.1:7420', origin: baseUrl, 'assent-inbox': '1', 'content-type': 'application/json' }
    const body = JSON.stringify({ code })
    const response = await app.fetch(new Request('http://inbox/api/sign-in', { method: 'POST', headers, body }))
    strangers.push({ app, cookie: response.headers.get('set-cookie')?.split(';', 1)[0] ?? '' })
  }
  return strangers
}

/** Of `deploy`, for Ann: waiting for her, handed over, or not asked about yet. */
async function aPage(store: Store, state: 'open' | 'handed' | 'unasked'): Promise<string> {
  const id = aPageId()
  const limits = { decideWithinMs: 3_600_000, keepMs: 3_600_000, perServer: 100, inAll: 1_000 }
  await store.secrets.open({ tenant, id, server: 'deploy', publicKey: 'AAAA', ...limits })
  if (state === 'unasked') return id
  await store.secrets.bind({ tenant, id, server: 'deploy' }, 'ann')
  const ask = await store.asks.raise({
    tenant,
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'deploy' },
    principal: 'ann',
    question: {
      kind: 'url',
      message: 'Token?',
      url: `${baseUrl}/secret/${id}`,
      secret: { page: id, publicKey: 'AAAA' },
    },
    electorate: only('ann'),
    decideWithinMs: 3_600_000,
    useWithinMs: 60_000,
  })
  await store.secrets.link(tenant, id, ask.id)
  if (state === 'open') return id
  const person = { principal: 'ann', groups: [] }
  await store.secrets.handOver({ tenant, id: ask.id, page: id, person, sealed: '{"enc":"AA","ct":"BB"}' })
  return id
}

const bodies: readonly ((salt: number) => unknown)[] = [
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, sealed: { enc: 'AAAA', ct: 'BBBB' } }),
  () => ({ decisionId: 'short', sealed: {} }),
  () => 'no json',
]

async function asPerson({ app, cookie }: Stranger, page: string, salt: number): Promise<string> {
  const ours = { origin: baseUrl, 'assent-inbox': '1', 'content-type': 'application/json' }
  const path = `http://inbox/api/secrets/${page}`
  if (salt % 4 === 0) return whole(await app.fetch(new Request(path, { headers: { host: '127.0.0.1:7420', cookie } })))
  const headers = { host: '127.0.0.1:7420', cookie, ...ours }
  const body = bodies[salt % bodies.length]?.(salt)
  const written = typeof body === 'string' ? body : JSON.stringify(body)
  return whole(await app.fetch(new Request(path, { method: 'POST', headers, body: written })))
}

async function asServer(fetch: Stranger['app']['fetch'], token: string, page: string, salt: number): Promise<string> {
  const [method, path] = (
    [
      ['DELETE', page],
      ['POST', `${page}/collect`],
    ] as const
  )[salt % 2] ?? ['POST', page]
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
  return whole(await fetch(new Request(`http://inbox/server/secrets/${path}`, { method, headers })))
}

/** Another person through the server itself; Ann, or anyone, through another server. A page nobody was asked about yet is
 * its server's to ask about, so there only the other server is a stranger. */
function overMcp(pages: SecretPages, page: string, salt: number, isUnasked: boolean): Promise<string> {
  if (salt % 2 === 0 && !isUnasked) return judged(pages, 'deploy', 'mallory', page)
  return judged(pages, 'evil', ['ann', 'mallory'][salt % 2] ?? 'ann', page)
}

async function judged(pages: SecretPages, server: string, principal: string, page: string): Promise<string> {
  const url = `${baseUrl}/secret/${page}`
  const call = { tenant, principal } as Parameters<SecretPages['judge']>[0]
  const { refused } = await pages.judge(call, server, { q: { kind: 'url', message: 'Token?', url, params: {} } })
  return refused.q ?? 'yes'
}

async function whole(response: Response): Promise<string> {
  const text = `${JSON.stringify([...response.headers])} ${await response.text()}`
  return `${response.ok ? 'yes' : 'no'} ${response.status} ${text}`
}

/** How many of the pages are not as they were: bound to nobody else, holding what they held. */
async function changed(store: Store, [open = '', handed = '', unasked = '']: readonly string[]): Promise<number> {
  const read = (id: string) => store.secrets.collect({ tenant, id, server: 'deploy' }, 64)
  const kinds = [await read(open), await read(handed), await read(unasked)].map((one) => one?.kind)
  return kinds.filter((kind, at) => kind !== ['empty', 'ready', 'unbound'][at]).length
}
