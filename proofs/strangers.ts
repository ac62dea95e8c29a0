// Proof: an ask exists for its approvers and for nobody else, through the inbox's API.
//
// People who may not decide an ask try to read it, to answer it and to hear of it, in every way the API has; beside each
// attempt stands the same one at an ask that does not exist. None may succeed, and no reply may tell the two apart.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AskDraft, newId, type Person } from '@assent/core'
import { openSqlite, type Store } from '@assent/store'
import { type InboxApp, inboxApp } from 'assent'
import { aDeployment, aForm, forms } from '../scripts/inbox/samples.ts'
import type { Measurement } from '../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from './random.part.ts'
import { trySecretPages } from './strangers-secrets.part.ts'

const baseUrl = 'http://127.0.0.1:7420'
const tenants = ['acme', 'globex', 'initech'] as const

interface Target {
  readonly tenant: string
  readonly id: string
}

/** Someone at a browser of one tenant's inbox, with a cookie or without. */
interface Stranger {
  readonly app: InboxApp
  readonly cookie: string
  readonly what: string
}

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const attempts = quick ? 1_500 : 10_000
  const folder = await mkdtemp(join(tmpdir(), 'assent-strangers-'))
  const store = await openSqlite(join(folder, 'assent.db'))
  try {
    const targets = await raiseTargets(store)
    const strangers = await gather(store)
    const result = await tryAll(random, attempts, targets, strangers)
    const changed = await countChanged(store, targets)
    const secrets = await trySecretPages(random, attempts, store, strangers)
    for (const [what, count] of result.byStranger) console.log(`  ${what.padEnd(44)} ${count}`)
    const known = await isSeenByItsApprover(store, targets)
    return {
      reached:
        result.succeeded + result.told + changed + secrets.succeeded + secrets.told === 0 &&
        known &&
        result.byStranger.size === strangers.length,
      figure:
        `strangers: ${attempts.toLocaleString('en-US')} attempts on other people's asks, ${result.succeeded} succeeded, ` +
        `${result.told} told whether the ask exists, ${changed} asks changed; ${secrets.attempts.toLocaleString('en-US')} on pages ` +
        `for secrets, ${secrets.succeeded} succeeded, ${secrets.told} told`,
    }
  } finally {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Asks of every kind, for Ann alone, for a group that Dan is in but barred from, and settled ones. */
async function raiseTargets(store: Store): Promise<Target[]> {
  const targets: Target[] = []
  const barred: AskDraft['electorate'] = { approvers: ['group:ops'], barred: ['dan'], approvals: 1, declines: 1 }
  for (const tenant of tenants) {
    const drafts = [
      aDeployment({ tenant }),
      aDeployment({ tenant, electorate: barred }),
      aForm('Which?', forms.choices?.fields ?? [], { tenant }),
      aDeployment({ tenant }),
    ]
    const asks: Target[] = []
    for (const draft of drafts) asks.push(await store.asks.raise({ ...draft, decideWithinMs: 3_600_000 }))
    const settled = asks.at(-1)?.id ?? ''
    await store.asks.answer({ tenant, id: settled, person: ann, via: 'inbox', answer: { action: 'decline' } })
    targets.push(...asks)
  }
  return targets
}

const ann: Person = { principal: 'ann', groups: [] }

/** Nobody here may decide any of the targets in the tenant whose inbox they are at. */
async function gather(store: Store): Promise<Stranger[]> {
  const people: readonly (readonly [string, Person])[] = [
    ['another person', { principal: 'mallory', groups: [] }],
    ['a member of another group', { principal: 'mallory', groups: ['dev'] }],
    ['a member who is barred', { principal: 'dan', groups: ['ops'] }],
    ['a person called like a group', { principal: 'group:ops', groups: [] }],
    ['a group called like a person', { principal: 'eve', groups: ['person:ann', 'ann'] }],
    ['a name in other letters', { principal: 'Ann', groups: ['OPS'] }],
  ]
  const app = inboxApp({ store, tenant: 'acme', baseUrl })
  const strangers: Stranger[] = []
  for (const [what, person] of people) strangers.push({ app, what, cookie: await cookieOf(app, person) })
  // Ann herself, at the inbox of a tenant where she has nothing.
  const elsewhere = inboxApp({ store, tenant: 'umbrella', baseUrl })
  strangers.push({ app: elsewhere, what: 'an approver, in another tenant', cookie: await cookieOf(elsewhere, ann) })
  strangers.push({ app: elsewhere, what: 'a session of another inbox', cookie: await cookieOf(app, ann) })
  strangers.push({ app, what: 'nobody', cookie: '' })
  return strangers
}

async function cookieOf(app: InboxApp, person: Person): Promise<string> {
  const code = new URL((await app.signInLink(person)) ?? '').hash.slice('#code='.length)
  const response = await send(app, 'POST', '/api/sign-in', '', { code })
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

async function tryAll(
  random: SeededRandom,
  attempts: number,
  targets: readonly Target[],
  strangers: readonly Stranger[],
) {
  const byStranger = new Map<string, number>()
  let succeeded = 0
  let told = 0
  for (let i = 0; i < attempts; i++) {
    const stranger = strangers[i % strangers.length] as Stranger
    const { id } = random.pick(targets)
    const missing = newId('ask', Date.now() - random.int(86_400_000), randomBytes)
    const attempt = random.pick(ways)
    const salt = random.int(2 ** 31)
    const [real, absent] = [await attempt(stranger, id, salt), await attempt(stranger, missing, salt)]
    if (real.status < 400 && real.body.includes(id)) succeeded++
    if (JSON.stringify(real) !== JSON.stringify(absent)) told++
    byStranger.set(stranger.what, (byStranger.get(stranger.what) ?? 0) + 1)
  }
  return { succeeded, told, byStranger }
}

interface Told {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

const bodies: readonly ((salt: number) => unknown)[] = [
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, answer: { action: 'accept' } }),
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, answer: { action: 'decline', comment: 'no' } }),
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, answer: { action: 'cancel' } }),
  (salt) => ({ decisionId: `decision-${salt}-0000000000`, answer: { action: 'accept', content: { loop: true } } }),
  () => ({ decisionId: 'short', answer: { action: 'accept' } }),
  () => ({ answer: null }),
  () => 'no json',
]

/** Every way to reach an ask. What the API says of it, in full. */
const ways: readonly ((stranger: Stranger, id: string, salt: number) => Promise<Told>)[] = [
  ({ app, cookie }, id) => reply(send(app, 'GET', `/api/asks/${id}`, cookie)),
  ({ app, cookie }, id) => reply(send(app, 'GET', `/api/asks/${id}/answer?action=accept`, cookie)),
  ({ app, cookie }, id) => reply(send(app, 'GET', `/api/asks/${encodeURIComponent(`${id} `)}`, cookie)),
  ({ app, cookie }, id) => reply(send(app, 'GET', `/api/asks/../asks/${id}`, cookie)),
  ({ app, cookie }, id) => reply(send(app, 'DELETE', `/api/asks/${id}`, cookie, {})),
  ({ app, cookie }, id, salt) =>
    reply(send(app, 'POST', `/api/asks/${id}/answer`, cookie, bodies[salt % bodies.length]?.(salt))),
  ({ app, cookie }, id) => listsOf(app, cookie, '/api/asks', id),
  ({ app, cookie }, id) => listsOf(app, cookie, '/api/history', id),
  // A page link that points just behind the ask.
  ({ app, cookie }, id) => {
    const cursor = Buffer.from(JSON.stringify([Date.now() + 1_000, id])).toString('base64url')
    return listsOf(app, cookie, `/api/asks?cursor=${cursor}`, id)
  },
]

/** A list tells the time; but for that it must say the same whoever is asked about. */
async function listsOf(app: InboxApp, cookie: string, path: string, id: string): Promise<Told> {
  const told = await reply(send(app, 'GET', path, cookie))
  return { ...told, body: told.body.replace(/"nowMs":\d+/, '"nowMs":0') + (told.body.includes(id) ? ' names it' : '') }
}

async function reply(response: Promise<Response>): Promise<Told> {
  const { status, headers, ...rest } = await response.then(async (one) => ({
    status: one.status,
    headers: [...one.headers],
    body: await one.text(),
  }))
  return { status, headers, ...rest }
}

async function send(app: InboxApp, method: string, path: string, cookie: string, body?: unknown): Promise<Response> {
  const ours = { origin: baseUrl, 'assent-inbox': '1', 'content-type': 'application/json' }
  const headers = { host: '127.0.0.1:7420', cookie, ...(body === undefined ? {} : ours) }
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  return app.fetch(new Request(`http://inbox${path}`, { method, headers, ...content }))
}

async function countChanged(store: Store, targets: readonly Target[]): Promise<number> {
  const perTenant = targets.length / tenants.length
  const states = await Promise.all(targets.map(({ tenant, id }) => store.asks.read(tenant, id)))
  return states.filter((ask, at) => {
    const wasSettled = (at + 1) % perTenant === 0
    return ask?.state.kind !== (wasSettled ? 'settled' : 'open') || (ask.votes.length ?? 0) > 0
  }).length
}

/** The same route does show the ask to its approver: a proof on a closed door would prove nothing. */
async function isSeenByItsApprover(store: Store, targets: readonly Target[]): Promise<boolean> {
  const app = inboxApp({ store, tenant: 'acme', baseUrl })
  const [first] = targets
  const response = await send(app, 'GET', `/api/asks/${first?.id}`, await cookieOf(app, ann))
  return response.status === 200
}
