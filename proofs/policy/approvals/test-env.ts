// Two gateways with an inbox each on one store, a server behind them, and people who sign in. All in one process, with a
// clock that moves only by `passMs`.

import { randomBytes } from 'node:crypto'
import { createKeyRing, type JsonObject } from '@assent/core'
import type { PolicyDecider } from '../../../packages/gateway/src/call/policy/policy-gate.ts'
import { type Gateway, type InboxApp, inboxApp, startGateway } from '../../../packages/gateway/src/index.ts'
import { policyLimits, setLimits } from '../../../packages/gateway/src/limits.ts'
import { openSqlite, type Store } from '../../../packages/store/src/index.ts'
import { personHeader } from '../../../test-kit/person-header.ts'
import type { SeededRandom } from '../../../test-kit/random.ts'
import type { ApprovalBug } from './bugs.ts'
import { changed } from './changed.ts'
import type { Clock } from './clock.ts'
import { groups as allGroups, changedPolicies, opened, people } from './generate.ts'
import { inboxOrigin, voteRequest } from './inbox-request.ts'
import type { Member, PlainPolicies } from './rules.ts'
import { type CountingServer, startServer } from './server.ts'

const tenant = 'default'
/** The documented time for which a confirmed group counts. */
const groupsCountMs = 15 * 60_000
const longMs = 24 * 60 * 60_000

export interface Session {
  readonly token: string
  readonly groups: readonly string[]
  readonly atMs: number
}

export interface RaisedAsk {
  readonly id: string
  readonly tool: string
}

export class TestEnv {
  readonly clock: Clock
  readonly store: Store
  readonly server: CountingServer
  readonly raised: RaisedAsk[]
  readonly gateways: readonly Gateway[]
  readonly #inboxes: readonly InboxApp[]
  readonly #bug: ApprovalBug | undefined
  readonly #random: SeededRandom
  readonly #sessions = new Map<string, Session>()
  /** The groups that the issuer has for each person now. */
  readonly #directory = new Map<string, readonly string[]>()
  readonly #inner: Store

  private constructor(
    parts: Pick<TestEnv, 'clock' | 'store' | 'server' | 'raised' | 'gateways'>,
    inner: Store,
    inboxes: readonly InboxApp[],
    random: SeededRandom,
    bug: ApprovalBug | undefined,
  ) {
    this.clock = parts.clock
    this.store = parts.store
    this.server = parts.server
    this.raised = parts.raised
    this.gateways = parts.gateways
    this.#inner = inner
    this.#inboxes = inboxes
    this.#random = random
    this.#bug = bug
    for (const person of people) this.join(person)
  }

  static async open(random: SeededRandom, bug?: ApprovalBug): Promise<TestEnv> {
    const clock = { nowMs: Date.UTC(2026, 6, 28, 12) }
    const keys = createKeyRing([{ id: 'proof', secret: randomBytes(32) }])
    const inner = await openSqlite(':memory:', { keys, clock: () => clock.nowMs, fileCheckMs: 1_000 })
    const raised: RaisedAsk[] = []
    const store = noted(bug?.store?.(inner, clock) ?? inner, raised)
    // A server's list is read for every decision, so that a changed definition takes effect at once.
    setLimits(policyLimits, { definitionsMs: bug?.keepsDefinitions === true ? longMs : 0, listAgainMs: 0 })
    const server = await startServer(bug?.arguments)
    const identify = ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => ({
      principal: String(headers[personHeader]),
      groups: [],
    })
    const gateways = await Promise.all(
      [0, 1].map(() =>
        startGateway({
          listen: { host: '127.0.0.1', port: 0 },
          servers: { deploy: { url: server.url } },
          store,
          keys,
          identify,
          surfaces: ['client', 'inbox'],
          askWaitMs: longMs,
          // The client answers questions of the server at once.
          unseenAfterMs: 0,
          holdMs: 1,
          openAsks: { perCaller: 100_000, total: 100_000 },
        }),
      ),
    )
    const inboxes = gateways.map(() => inboxApp({ store, tenant, baseUrl: inboxOrigin, keys }))
    return new TestEnv({ clock, store, server, raised, gateways }, inner, inboxes, random, bug)
  }

  /** Uses these policies at both gateways from now on. */
  async reload(policies: PlainPolicies): Promise<void> {
    const decider: PolicyDecider = await opened(policies)
    this.use(this.#bug?.decider?.(decider) ?? decider)
  }

  use(policies: PolicyDecider): void {
    for (const gateway of this.gateways)
      gateway.reload({
        servers: { deploy: { url: this.server.url } },
        identify: ({ headers }) => ({ principal: String(headers[personHeader]), groups: [] }),
        surfaces: ['client', 'inbox'],
        askWaitMs: longMs,
        unseenAfterMs: 0,
        policies,
      })
  }

  /** What a reload changes these policies to. */
  policiesAfter(policies: PlainPolicies, random: SeededRandom): PlainPolicies {
    return this.#bug?.early?.reload?.(policies) ?? changedPolicies(random, policies)
  }

  /** A reload while a call waits. */
  async reloadMeanwhile(policies: PlainPolicies): Promise<void> {
    if (this.#bug?.ignoresReloads !== true) await this.reload(policies)
  }

  /** Gives the person some groups, or other ones. */
  join(person: string): void {
    const groups = allGroups.filter(() => this.#random.next() < 0.5)
    this.#directory.set(person, groups)
  }

  /** The person leaves every group. Earlier sessions still have them. */
  leave(person: string): void {
    this.#directory.set(person, [])
  }

  groupsNow(person: string): readonly string[] {
    return this.#directory.get(person) ?? []
  }

  async signIn(person: string): Promise<Session> {
    const before = this.#sessions.get(person)
    if (before !== undefined) await this.store.signIns.end(tenant, before.token)
    const token = randomBytes(32).toString('base64url')
    const groups = this.groupsNow(person)
    const result = await this.store.signIns.begin({
      tenant,
      token,
      login: token,
      person: { principal: person, groups },
      keepMs: longMs,
      atMost: 100_000,
      atMostOfOne: 100,
    })
    if (result !== 'begun') throw new Error(`Signing in: ${result}`)
    const session = { token, groups, atMs: this.clock.nowMs }
    this.#sessions.set(person, session)
    return session
  }

  async sessionOf(person: string): Promise<Session> {
    const session = this.#sessions.get(person)
    const isUsable = session !== undefined && this.clock.nowMs - session.atMs < longMs / 2
    return isUsable ? session : this.signIn(person)
  }

  /** The person with the groups that count now, by the documented rule. */
  memberOf(name: string, { groups, atMs }: Session): Member {
    return { name, groups: this.clock.nowMs - atMs <= groupsCountMs ? groups : [] }
  }

  /** Votes in the inbox of one gateway. */
  async vote(ask: string, { token }: Session, answer: JsonObject, replica: number): Promise<string> {
    const decisionId = randomBytes(16).toString('hex')
    const request = voteRequest({ ask, token, decisionId, answer })
    const response = await this.#inboxes[replica]?.fetch(request)
    const said = (await response?.json()) as { result?: string; code?: string }
    return said.result ?? said.code ?? String(response?.status)
  }

  async close(): Promise<void> {
    for (const gateway of this.gateways) await gateway.close()
    await this.server.close()
    await this.#inner.close()
  }
}

/** Notes the asks that are raised. */
function noted(store: Store, raised: RaisedAsk[]): Store {
  const { asks } = store
  const raise: typeof asks.raise = async (draft, ...more) => {
    const result = await asks.raise(draft, ...more)
    raised.push({ id: draft.id, tool: draft.asker.tool ?? '' })
    return result
  }
  return changed(store, { asks: changed(asks, { raise }) })
}
