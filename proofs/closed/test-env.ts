// The environment of the failing gateways: one healthy gateway on the same database, the servers, the people's inboxes,
// and for every cell a gateway that reaches one dependency through a faulty link.

import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyRing } from '@assent/core'
import { openPostgres, type Store } from '@assent/store'
import { type Gateway, type InboxApp, inboxApp, respondWith, startGateway } from 'assent'
import pg from 'pg'
import { Link, type LinkOptions, type Way } from '../../test-kit/faulty-link.ts'
import { postgresUrl as database } from '../../test-kit/postgres.ts'
import { Evidence } from '../cluster/evidence.ts'
import { EffectServers } from '../cluster/servers.ts'
import type { ClosedBug } from './bugs.ts'
import { type CellName, type Dependency, nameOf } from './cells.ts'
import type { Site } from './gateway.ts'
import { askInbox, inboxUrl } from './inbox.ts'
import { LinkedIssuer } from './issuer.ts'
import { Gateways } from './process.ts'
import { type Late, type Span, stalledMs, watchStalls } from './stalls.ts'

export const askWaitMs = 2_000
const serverMs = 1_500
const signInWithinMs = 120_000
const dayMs = 24 * 60 * 60 * 1_000

const nats = process.env.ASSENT_TEST_NATS ?? 'nats://127.0.0.1:4222'

/** One dependency of one gateway, and how it is made to fail. */
export interface Cell extends CellName {
  readonly index: number
  readonly url: string
  readonly principal: string
  /** A hanging server has a separate timeout. */
  readonly allowanceMs: number
  readonly issuer?: LinkedIssuer
  fail(): Promise<void>
  restore(): Promise<void>
  /** Splits a delay after the deadline into the gateway's own part and the machine's. */
  readonly late: (wait: Span) => Late
}

/** Stalls of this process, whose clients wait for gateways. */
const ownStalls: Span[] = []
watchStalls((stall) => ownStalls.push(stall))

export class TestEnv {
  readonly evidence: Evidence = new Evidence()
  readonly schema: string = `closed_${randomBytes(8).toString('hex')}`
  readonly database: string = database
  readonly #secret = randomBytes(32).toString('base64')
  readonly #servers = new EffectServers(this.evidence)
  readonly #closing: (() => unknown)[] = []
  readonly #cookies = new Map<string, string>()
  readonly #options: LinkOptions
  #urls: Record<'old' | 'new', { url: string }> = { old: { url: '' }, new: { url: '' } }
  #sound: { readonly store: Store; readonly gateway: Gateway; readonly inbox: InboxApp } | undefined
  #admin: pg.Pool | undefined
  /** The standard error of the gateways. */
  readonly errors: string[] = []
  /** Processes that ended unexpectedly. */
  deaths = 0

  constructor(options: LinkOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    const admin = new pg.Pool({ connectionString: database, options: `-c search_path=${this.schema}`, max: 2 })
    this.#admin = admin
    this.#closing.push(async () => {
      await admin.query(`drop schema if exists ${this.schema} cascade`)
      await admin.end()
    })
    this.#urls = await this.#servers.start()
    this.#closing.push(() => this.#servers.stop())
    const keys = createKeyRing([{ id: 'proof', secret: Buffer.from(this.#secret, 'base64') }])
    const store = await openPostgres(database, { keys, schema: this.schema, connections: 4, pollMs: 1_000, wake: nats })
    this.#closing.push(() => store.close())
    let inbox: InboxApp | undefined
    const gateway = await startGateway({
      listen: { host: '127.0.0.1', port: 0 },
      cluster: { listen: { host: '127.0.0.1', port: 0 } },
      servers: this.#urls,
      store,
      keys,
      fallback: async (request, response) => {
        if (inbox !== undefined) return respondWith(inbox.fetch, request, response)
        response.writeHead(503).end()
      },
    })
    this.#closing.push(() => gateway.close())
    inbox = inboxApp({ store, tenant: 'default', baseUrl: inboxUrl, keys })
    this.#sound = { store, gateway, inbox }
  }

  /** Starts the gateways of these cells: one process per dependency, but a process per clock. */
  async cellsOf(names: readonly CellName[], indexOf: (name: CellName) => number, bug?: ClosedBug): Promise<Cell[]> {
    const groups = Map.groupBy(names, (name) => (name.dependency === 'clock' ? nameOf(name) : name.dependency))
    const opened = [...groups.values()].map(async (group) => {
      const gateways = this.#spawn()
      return Promise.all(group.map((name) => this.#cell(name, indexOf(name), gateways, bug)))
    })
    return (await Promise.all(opened)).flat()
  }

  /** The asks about a ticket, read directly from the database. */
  async asksOf(ticket: string): Promise<{ id: string; kind: string; isOpen: boolean; decideByMs: number }[]> {
    const { rows } = (await this.#admin?.query(
      `select id, kind, state = 'open' as "isOpen", decide_by::float8 as "decideByMs" from asks where question like $1`,
      [`%Run ${ticket}?%`],
    )) ?? { rows: [] }
    return rows as { id: string; kind: string; isOpen: boolean; decideByMs: number }[]
  }

  async rows<Row>(sql: string): Promise<Row[]> {
    return ((await this.#admin?.query(sql))?.rows ?? []) as Row[]
  }

  get soundOrigin(): string {
    return new URL(this.#sound?.gateway.url ?? '').origin
  }

  /** A session that is valid in every inbox: all gateways share its row and the public host name. */
  async cookieOf(principal: string): Promise<string> {
    const known = this.#cookies.get(principal) ?? (await this.#signIn(principal))
    this.#cookies.set(principal, known)
    return known
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close()
  }

  /** At the healthy gateway; a request can still fail there if the machine stalls. */
  async #signIn(principal: string): Promise<string> {
    for (const endsAt = performance.now() + signInWithinMs; ; await sleep(100)) {
      const cookie = await this.#tryToSignIn(principal).catch(() => '')
      if (cookie !== '') return cookie
      if (performance.now() > endsAt) throw new Error(`${principal} cannot sign in at the healthy gateway.`)
    }
  }

  async #tryToSignIn(principal: string): Promise<string> {
    const link = (await this.#sound?.inbox.signInLink({ principal, groups: [] })) ?? ''
    const code = new URLSearchParams(new URL(link).hash.slice(1)).get('code')
    const { cookie = '' } = await askInbox(this.soundOrigin, '/api/sign-in', { body: JSON.stringify({ code }) })
    return cookie
  }

  async #cell(name: CellName, index: number, gateways: Gateways, bug: ClosedBug | undefined): Promise<Cell> {
    const { dependency, way } = name
    const parts = await this.#failing(dependency, way as Way, gateways)
    const site: Site = {
      name: nameOf(name),
      database,
      schema: this.schema,
      secret: this.#secret,
      askWaitMs,
      ...parts.site,
      ...(bug === undefined ? {} : { bug }),
    }
    const sdk = await gateways.open(site)
    const urls = { ...this.#urls, sdk: { url: sdk } }
    const servers = dependency === 'upstream' ? await parts.servers?.(urls) : urls
    const url = await gateways.serve(site.name, servers ?? urls)
    return {
      ...name,
      index,
      url,
      principal: parts.issuer?.principal ?? `person-${index}`,
      allowanceMs: dependency === 'upstream' ? serverMs : 0,
      ...(parts.issuer === undefined ? {} : { issuer: parts.issuer }),
      fail: parts.fail,
      restore: parts.restore,
      late: (wait) => ({
        lateMs: wait.untilMs - wait.fromMs,
        heldUpMs: stalledMs([...ownStalls, ...gateways.stalls], wait),
      }),
    }
  }

  async #failing(dependency: Dependency, way: Way, gateways: Gateways): Promise<Parts> {
    switch (dependency) {
      case 'clock': {
        const byMs = (way as string) === 'a day ahead' ? dayMs : -dayMs
        return { site: {}, fail: () => gateways.skew(byMs), restore: () => gateways.skew(0) }
      }
      case 'database': {
        const link = await this.#link(database, 5432)
        return { site: { database: link.through(database) }, ...switches([link], way) }
      }
      case 'NATS': {
        const link = await this.#link(nats, 4222)
        return { site: { wake: link.through(nats) }, ...switches([link], way) }
      }
      case 'identity provider': {
        const issuer = await LinkedIssuer.start(this.#options)
        this.#closing.push(() => issuer.stop())
        // A wrong clock of the issuer affects only its tokens.
        const isSkewed = (way as string).startsWith('a day')
        return { site: { issuer: issuer.url }, issuer, ...(isSkewed ? nothing : switches([issuer.link], way)) }
      }
      case 'upstream': {
        const links: Link[] = []
        const servers = async (urls: Readonly<Record<string, { url: string }>>) => {
          const through = Object.entries(urls).map(async ([server, { url }]) => {
            const link = await this.#link(url, 80)
            links.push(link)
            return [server, { url: link.through(url) }] as const
          })
          return Object.fromEntries(await Promise.all(through))
        }
        return { site: { serverMs }, servers, ...switches(links, way) }
      }
    }
  }

  async #link(target: string, usualPort: number): Promise<Link> {
    const link = await Link.to(target, usualPort, this.#options)
    this.#closing.push(() => link.close())
    return link
  }

  #spawn(): Gateways {
    // fork passes on our execArgv, which includes the condition that resolves packages to their sources.
    const child = fork(new URL('gateway.ts', import.meta.url), [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    let isClosing = false
    child.stderr?.on('data', (bytes: Buffer) => this.errors.push(bytes.toString().slice(0, 2_000)))
    child.once('exit', () => {
      if (!isClosing) this.deaths += 1
    })
    this.#closing.push(async () => {
      isClosing = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    })
    return new Gateways(child, (ticket, atMs) => this.evidence.effects.push({ ticket, atMs }), this.errors)
  }
}

interface Parts {
  readonly site: Partial<Site>
  readonly issuer?: LinkedIssuer
  readonly servers?: (urls: Readonly<Record<string, { url: string }>>) => Promise<Record<string, { url: string }>>
  fail(): Promise<void>
  restore(): Promise<void>
}

const nothing = { fail: async () => undefined, restore: async () => undefined }

function switches(links: readonly Link[], way: Way): Pick<Parts, 'fail' | 'restore'> {
  return {
    fail: async () => void (await Promise.all(links.map((link) => link.fail(way)))),
    restore: async () => void (await Promise.all(links.map((link) => link.restore()))),
  }
}
