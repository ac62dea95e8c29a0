// An inbox with its own store, on both engines; signed-in people; asks to answer.

import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Approver,
  type AskDraft,
  actionDigest,
  createKeyRing,
  type Form,
  type KeyRing,
  newId,
  type Person,
  toolDefinitionDigest,
} from '@assent/core'
import { openPostgres, openSqlite, type Store, type StoreOptions } from '@assent/store'
import pg from 'pg'
import { test } from 'vitest'
import { type Send, SigningBrowser } from '../../../../test-kit/gateway/signing-browser.ts'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { hasServices, hasSqlite } from '../../../../test-kit/services.ts'
import { type InboxApp, type InboxOptions, inboxApp } from './inbox-app.ts'

const postgresUrl = process.env.ASSENT_TEST_POSTGRES ?? 'postgres://root@127.0.0.1:5432/test'

export const tenant = 'acme'
const baseUrl = 'http://127.0.0.1:7420'
export const keys: KeyRing = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
export const ann: Person = { principal: 'ann', groups: [] }
export const ben: Person = { principal: 'ben', groups: ['ops'] }

export interface InboxEnv {
  readonly store: Store
  /** Opens the same database again, as another process would. */
  another(options?: Partial<StoreOptions>): Promise<Store>
  app(options?: Partial<InboxOptions>): InboxApp
}

export function onEachEngine(
  title: string,
  run: (fixture: InboxEnv) => Promise<void>,
  options: Partial<StoreOptions> = {},
): void {
  test.skipIf(!hasServices)(`${title} (PostgreSQL)`, () => onPostgres(run, options))
  test.skipIf(!hasSqlite)(`${title} (SQLite)`, () => onSqlite(run, options))
}

export async function onPostgres(
  run: (fixture: InboxEnv) => Promise<void>,
  options: Partial<StoreOptions> = {},
): Promise<void> {
  const schema = `t_${randomBytes(8).toString('hex')}`
  try {
    await withStores((more) => openPostgres(postgresUrl, { schema, keys, connections: 4, ...options, ...more }), run)
  } finally {
    const admin = new pg.Client({ connectionString: postgresUrl })
    await admin.connect()
    await admin.query(`drop schema if exists ${schema} cascade`)
    await admin.end()
  }
}

/** A clock that moves only with `advance`. */
export function stoppedClock(): (() => number) & { advance(ms: number): void } {
  let now = Date.now()
  return Object.assign(() => now, {
    advance: (ms: number) => {
      now += ms
    },
  })
}

export async function onSqlite(
  run: (fixture: InboxEnv) => Promise<void>,
  options: Partial<StoreOptions> = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-inbox-'))
  try {
    await withStores((more) => openSqlite(join(folder, 'assent.db'), { keys, ...options, ...more }), run)
  } finally {
    await removeFolder(folder)
  }
}

async function withStores(
  open: (more?: Partial<StoreOptions>) => Promise<Store>,
  run: (fixture: InboxEnv) => Promise<void>,
): Promise<void> {
  const opened = [await open()]
  const [store] = opened as [Store]
  const another = async (more?: Partial<StoreOptions>) => {
    const one = await open(more)
    opened.push(one)
    return one
  }
  try {
    await run({ store, another, app: (options) => inboxApp({ store, tenant, baseUrl, keys, ...options }) })
  } finally {
    await Promise.all(opened.map((one) => one.close()))
  }
}

/** A signed-in browser: its requests have the headers and signature that our web app sends. */
export class Browser {
  readonly signing: SigningBrowser

  constructor(signing: SigningBrowser) {
    this.signing = signing
  }

  /** The same browser, connected to another inbox. */
  at(app: InboxApp): Browser {
    return new Browser(this.signing.at(sendTo(app)))
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.signing.get(path, headers)
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.signing.post(path, body, headers)
  }

  answer(id: string, answer: unknown, decisionId: string = aDecisionId()): Promise<Response> {
    return this.post(`/api/asks/${id}/answer`, { decisionId, answer })
  }
}

export const fromOurPage = { origin: baseUrl, 'assent-inbox': '1', 'content-type': 'application/json' }

export async function send(
  app: InboxApp,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Response> {
  const all = { host: '127.0.0.1:7420', ...headers }
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  return app.fetch(new Request(`http://inbox${path}`, { method, headers: all, ...content }))
}

export async function signIn(app: InboxApp, person: Person): Promise<Browser> {
  return new Browser(await SigningBrowser.signIn((await app.signInLink(person)) ?? '', sendTo(app)))
}

export function sendTo(app: InboxApp): Send {
  return (path, { method, headers, body }) => send(app, method, path, headers, body)
}

export function aDecisionId(): string {
  return newId('decision', Date.now(), randomBytes)
}

export function anAsk(changes: Partial<AskDraft> = {}): AskDraft {
  return {
    tenant,
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'deploy', tool: 'rollout' },
    principal: 'ann',
    question: { kind: 'form', message: 'Which region?', form: regionForm },
    approvalRule: { approvers: ['person:ann'], excluded: [], approvals: 1, declines: 1 },
    decideWithinMs: 600_000,
    useWithinMs: 300_000,
    ...changes,
  }
}

const regionForm: Form = {
  fields: [
    {
      kind: 'choice',
      name: 'region',
      required: true,
      options: [{ value: 'eu', label: 'Europe' }, { value: 'us' }],
    },
  ],
}

export function anApproval(approvers: readonly Approver[], approvals: number, claim?: string): AskDraft {
  const action = {
    server: 'deploy',
    tool: 'rollout',
    definitionDigest: toolDefinitionDigest({ name: 'rollout', inputSchema: { type: 'object' } }),
    arguments: { env: 'production', replicas: 4, note: '4', tags: ['a', 'b'] },
  }
  const withClaim = claim === undefined ? {} : { claim }
  return anAsk({
    question: { kind: 'approval', title: 'Roll out', action, digest: actionDigest(action), ...withClaim },
    approvalRule: { approvers, excluded: [], approvals, declines: 1 },
  })
}
