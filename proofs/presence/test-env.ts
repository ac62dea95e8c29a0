// One person's machine: a store, its inbox, a signed-in browser, a passkey, and what an agent with a shell can use.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Ask,
  type AskDraft,
  createKeyRing,
  decisionForm,
  type KeyRing,
  newId,
  type PasskeyAddStartView,
  type PasskeyAuthoriseView,
  type Person,
  type PresenceBody,
  type PresenceStartView,
  soleApprover,
} from '@assent/core'
import { openSqlite, type Store } from '@assent/store'
import { inboxApp, linearPatterns } from 'assent'
import { AskService } from '../../packages/gateway/src/inbox/ask-service.ts'
import { type Send, SigningBrowser } from '../../test-kit/gateway/signing-browser.ts'
import { type PasskeyChanges, SoftwarePasskey } from '../../test-kit/software-passkey.ts'

export const tenant = 'default'
export const local = { principal: 'local', groups: [] } as const
const mallory = { principal: 'mallory', groups: [] } as const
export const origin = 'http://localhost:7420'
export const approve = { action: 'accept', content: { decision: 'approve' } } as const
export const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))

/** A bug that is planted into the running store or inbox. */
export interface PresenceBug {
  readonly name: string
  readonly isUnmarked?: true
  plant?(store: Store): void
}

export interface PresenceEnv {
  readonly store: Store
  readonly keys: KeyRing
  /** The configuration and the database, which every program of the account can read and write. */
  readonly files: { readonly config: string; readonly database: string }
  readonly browser: SigningBrowser
  /** Another person, signed in to the same inbox. */
  readonly other: SigningBrowser
  readonly terminal: AskService
  readonly key: SoftwarePasskey
  signIn(person: Person): Promise<SigningBrowser>
  raise(changes?: Partial<AskDraft>, isMarked?: boolean): Promise<Ask>
  /** A signature for exactly this ask and answer, unless changed. */
  sign(ask: Ask, answer?: unknown, key?: SoftwarePasskey, changes?: PasskeyChanges): Promise<PresenceBody>
  answer(ask: Ask, presence?: unknown, answer?: unknown, by?: SigningBrowser): Promise<boolean>
  /** `assent asks answer`, in a process of its own. */
  command(ask: Ask): Promise<boolean>
  close(): Promise<void>
}

export async function openPresenceEnv(bug?: PresenceBug): Promise<PresenceEnv> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-presence-'))
  const secret = randomBytes(32)
  writeFileSync(join(folder, 'assent.db.key'), `${secret.toString('base64')}\n`, { mode: 0o600 })
  const files = { config: join(folder, 'assent.yaml'), database: join(folder, 'assent.db') }
  writeFileSync(
    files.config,
    'store: sqlite:./assent.db\nasks: { surfaces: [client, inbox] }\nservers: { deploy: { command: deploy } }\n',
  )
  const keys = createKeyRing([{ id: 'local', secret }])
  const store = await openSqlite(files.database, { keys, patterns: linearPatterns })
  bug?.plant?.(store)
  const presence = () => (bug?.isUnmarked === true ? 'none' : 'approvals')
  const app = inboxApp({ store, tenant, keys, baseUrl: origin, presence })
  const send: Send = async (path, { method, headers, body }) =>
    app.fetch(
      new Request(`${origin}${path}`, {
        method,
        headers: { host: 'localhost:7420', ...headers },
        ...(body === undefined ? {} : { body }),
      }),
    )
  const signIn = async (person: Person) => SigningBrowser.signIn((await app.signInLink(person)) ?? '', send)
  const [browser, other] = [await signIn(local), await signIn(mallory)]
  const key = new SoftwarePasskey()
  if (!(await register(browser, key))) throw new Error('The person could not add their passkey.')
  const naming = { nameOf: (principal: string) => principal, describe: () => ({}), presence }
  const terminal = new AskService({ store, tenant, naming, now: () => store.nowMs(), via: 'terminal' })
  return {
    store,
    keys,
    files,
    browser,
    other,
    terminal,
    key,
    signIn,
    raise: (changes = {}, isMarked = bug?.isUnmarked !== true) =>
      store.asks.raise({
        ...{ tenant, id: newId('ask', Date.now(), randomBytes), asker: { server: 'deploy', tool: 'rollout' } },
        ...{ principal: local.principal, approvalRule: soleApprover(local.principal), decideWithinMs: 3_600_000 },
        question: { kind: 'form', message: 'Roll out?', form: decisionForm },
        useWithinMs: 3_600_000,
        ...(isMarked ? { needsPresence: true } : {}),
        ...changes,
      }),
    sign: async ({ id }, answer = approve, by = key, changes = {}) => {
      const started = await browser.post(`/api/asks/${id}/presence`, { answer })
      const { token, request } = (await started.json()) as PresenceStartView
      return { token, response: by.get(request, origin, changes) as PresenceBody['response'] }
    },
    answer: async ({ id }, given, answer = approve, by = browser) => {
      const decisionId = newId('decision', Date.now(), randomBytes)
      const body = { decisionId, answer, ...(given === undefined ? {} : { presence: given }) }
      return (await by.post(`/api/asks/${id}/answer`, body)).status === 200
    },
    command: ({ id }) =>
      new Promise((resolve) => {
        const words = ['asks', 'answer', id, '--accept', '--content', JSON.stringify(approve.content)]
        const args = ['--conditions=assent-source', main, ...words, '--config', files.config]
        execFile(process.execPath, args, (error) => resolve(error === null))
      }),
    close: async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A key that can be added: one in this process, or the authenticator of a browser. */
export interface NewKey {
  create(creation: PasskeyAddStartView['creation'], origin: string): unknown
}

/** Whether the inbox added this key, with the signature of another one if given. */
export async function register(browser: SigningBrowser, key: NewKey, by?: SoftwarePasskey): Promise<boolean> {
  const started = await browser.post('/api/passkeys/start', {})
  const { token, creation, needsAuthorisation } = (await started.json()) as PasskeyAddStartView
  if (token === undefined) return false
  const added = { token, name: 'Key', credential: await key.create(creation, origin) }
  const signed = by === undefined || needsAuthorisation !== true ? {} : await authorised(browser, added, by)
  return (await browser.post('/api/passkeys', { ...added, ...signed })).status === 200
}

async function authorised(browser: SigningBrowser, added: object, by: SoftwarePasskey) {
  const reply = await browser.post('/api/passkeys/authorise', added)
  const { request } = (await reply.json()) as Partial<PasskeyAuthoriseView>
  return request === undefined ? {} : { authorisation: by.get(request, origin) }
}
