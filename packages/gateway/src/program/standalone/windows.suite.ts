// Windows of one person: real clients of both generations, each with its own `assent` process, in one home folder.

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqlite, type Store } from '@assent/store'
import { Client as Client2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { SigningBrowser } from '../../../../../test-kit/gateway/signing-browser.ts'
import { freePort } from '../../../../../test-kit/listen.ts'
import { type ToolResultParts, toolResultParts } from '../../../../../test-kit/mcp/tool-result.ts'
import { until } from '../../../../../test-kit/until.ts'
import { localPerson, onlyTenant } from '../../call/local-person.ts'
import { askListener, listenerKey } from '../../inbox/listener-proof.ts'
import { minimalEnv } from '../process.suite.ts'
import { localKeyRing } from '../state.ts'
import { ownLink } from './own-inbox.ts'
import { inboxFile, keptOrigin } from './shared-inbox.ts'

export const generations = ['2025-11-25', '2026-07-28'] as const
export type Generation = (typeof generations)[number]

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const program = ['--conditions=assent-source', main]
const callTimeoutMs = 100_000

/** Receives what the client shows and returns the person's answer; undefined gives none. */
export type Person = (shown: { readonly message: string }) => unknown

/** The client's model: receives a sampling request and returns its text. Without one, sampling is not declared. */
export type Model = (params: unknown) => string

export interface Window {
  readonly pid: number
  readonly tools: readonly string[]
  call(tool: string, args: object): Promise<ToolResultParts>
  close(): Promise<void>
}

export interface Home {
  readonly folder: string
  readonly project: string
  readonly variables: Readonly<Record<string, string>>
  git(...words: string[]): string
  commit(message: string): void
  /** Without a person the client does not declare elicitation. */
  window(
    generation: Generation,
    person?: Person,
    variables?: Readonly<Record<string, string>>,
    model?: Model,
  ): Promise<Window>
  store(): Promise<Store>
  close(): Promise<void>
}

let isWebBuilt = false

interface HomeOptions {
  /** Shown on cards, as the client and the folder. */
  readonly clientName?: string
  readonly projectName?: string
}

export async function aHome({ clientName = 'window', projectName = '' }: HomeOptions = {}): Promise<Home> {
  // Build the current web app, so that the inbox is the one that users get.
  if (!isWebBuilt) execFileSync('npm', ['run', '--silent', 'web'])
  isWebBuilt = true
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'assent-home-')))
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'assent-project-')))
  const project = join(parent, projectName)
  mkdirSync(project, { recursive: true })
  const listen = `127.0.0.1:${await freePort()}`
  const quiet = { ASSENT_DESKTOP_NOTIFY: 'false', ASSENT_DESKTOP_OPEN: 'false' }
  const variables = { ASSENT_HOME: folder, ASSENT_LISTEN: listen, ...quiet }
  const who = {
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  }
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: project, encoding: 'utf8', env: { ...process.env, ...who } })
  git('init', '-q', '-b', 'main')
  const commit = (message: string) => {
    git('add', '-A')
    git('commit', '-q', '--allow-empty', '-m', message)
  }
  commit('begin')
  const toClose: (() => Promise<void>)[] = []
  return {
    folder,
    project,
    variables,
    git,
    commit,
    window: async (generation, person, more = {}, model = undefined) => {
      const place = { cwd: project, clientName }
      const window = await openWindow(generation, person, place, { ...variables, ...more }, model)
      toClose.push(window.close)
      return window
    },
    store: async () => {
      const store = await openSqlite(join(folder, 'assent.db'), { keys: localKeyRing(join(folder, 'assent.db')) })
      toClose.push(() => store.close())
      return store
    },
    close: async () => {
      for (const close of toClose.reverse()) await close()
      await stopBackgroundInbox(folder)
      rmSync(folder, { recursive: true, force: true })
      rmSync(parent, { recursive: true, force: true })
    },
  }
}

/** An inbox that continues in the background is still running. */
async function stopBackgroundInbox(folder: string): Promise<void> {
  const file = inboxFile(folder)
  const { pid } = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }) : { pid: 0 }
  const isRunning = () => {
    try {
      return pid !== 0 && process.kill(pid, 0)
    } catch {
      return false
    }
  }
  if (isRunning()) process.kill(pid, 'SIGTERM')
  await until(() => (isRunning() ? undefined : true), 30_000)
}

type Variables = Readonly<Record<string, string>>

async function openWindow(
  generation: Generation,
  person: Person | undefined,
  { cwd, clientName }: { readonly cwd: string; readonly clientName: string },
  variables: Variables,
  model: Model | undefined,
): Promise<Window> {
  const env = { ...minimalEnv(), ...variables }
  const server = { command: process.execPath, args: program, env, cwd, stderr: 'inherit' as const }
  const capabilities = {
    ...(person === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(model === undefined ? {} : { sampling: {} }),
  }
  const message = (params: unknown) => ({
    model: 'scripted',
    role: 'assistant' as const,
    content: { type: 'text' as const, text: model?.(params) ?? '' },
  })
  const info = { name: clientName, version: '1.0.0' }
  const answer = async (params: unknown) => {
    const answered = await person?.(params as { message: string })
    return (answered === undefined ? new Promise(() => undefined) : answered) as never
  }
  if (generation === '2025-11-25') {
    const client = new Client1(info, { capabilities })
    if (person !== undefined) client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params))
    if (model !== undefined) client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => message(params))
    const transport = new Stdio1(server)
    await client.connect(transport)
    const calls = (name: string, args: object) =>
      client.callTool({ name, arguments: { ...args } }, undefined, { timeout: callTimeoutMs })
    return windowOf(client, transport.pid, calls)
  }
  const client = new Client2(info, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } })
  if (person !== undefined) client.setRequestHandler('elicitation/create', async ({ params }) => answer(params))
  if (model !== undefined) client.setRequestHandler('sampling/createMessage', async ({ params }) => message(params))
  const transport = new Stdio2(server)
  await client.connect(transport)
  const calls = (name: string, args: object) =>
    client.callTool({ name, arguments: { ...args } }, { timeout: callTimeoutMs })
  return windowOf(client, transport.pid, calls)
}

async function windowOf(
  client: { listTools(): Promise<{ tools: { name: string }[] }>; close(): Promise<void> },
  pid: number | null,
  calls: (name: string, args: object) => Promise<unknown>,
): Promise<Window> {
  const { tools } = await client.listTools()
  return {
    pid: pid ?? 0,
    tools: tools.map(({ name }) => name),
    call: async (name, args) => toolResultParts(await calls(name, args)),
    close: () => client.close(),
  }
}

/** A person's browser at the web inbox. */
export interface Visitor {
  readonly origin: string
  readonly browser: SigningBrowser
  open(): Promise<
    readonly { readonly id: string; readonly headline: string; readonly caller?: { readonly folder?: string } }[]
  >
  /** Resolves with the status of the response. */
  answer(id: string, answer: object): Promise<number>
}

export async function visit(home: Home, store: Store): Promise<Visitor> {
  const origin = await until(async () => {
    const kept = keptOrigin(inboxFile(home.folder))
    const isThere =
      kept !== undefined &&
      (await fetch(kept).then(
        ({ ok }) => ok,
        () => false,
      ))
    return isThere ? kept : undefined
  }, 60_000)
  const browser = await SigningBrowser.signIn((await linkAt(home, store, origin)) ?? '')
  return {
    origin,
    browser,
    open: async () => {
      const reply = await browser.get('/api/asks')
      return ((await reply.json()) as { asks: { id: string; headline: string; caller?: { folder?: string } }[] }).asks
    },
    answer: async (id, answer) =>
      (await browser.post(`/api/asks/${id}/answer`, { decisionId: randomUUID(), answer })).status,
  }
}

/** A sign-in link to the inbox at this origin, as `assent inbox link` creates it. */
export async function linkAt(home: Home, store: Store, origin: string): Promise<string | undefined> {
  const secret = Buffer.from(readFileSync(join(home.folder, 'assent.db.key'), 'utf8').trim(), 'base64')
  const listener = await askListener(new URL(origin), [listenerKey(secret)], AbortSignal.timeout(10_000))
  return listener === undefined ? undefined : ownLink(store, listener.origin, listener.instance)
}

/** All open asks of the local person, read from the store. */
export async function openFor(store: Store) {
  return (await store.inbox.page({ tenant: onlyTenant, person: localPerson, show: 'open' })).asks
}
