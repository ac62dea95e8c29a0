// Disrupts the database of a cluster: kills and restarts its servers, promotes its standby, cuts connections during a
// commit. Also measures the time until the cluster serves again.

import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '../../test-kit/random.ts'
import type { ReplicatedPostgres } from '../../test-kit/replicated-postgres.ts'
import { Sessions } from '../cluster/call-2025.ts'
import { callOnRecord } from '../cluster/callers.ts'
import type { CallRecord } from '../cluster/evidence.ts'
import type { ClusterContext, Disruption } from '../cluster/run-cluster.ts'
import { Durations } from '../schema/watch.ts'
import { type Commit, type CutMode, cutModes, insideCommit } from './line.ts'
import { isAnswer, lookFor } from './unclear.ts'
import type { DatabaseWire } from './wire.ts'

export interface Plan {
  readonly kills: number
  readonly promotions: number
  /** The number of connections cut after the commit was sent to the server. */
  readonly cuts: number
  /** Cut only answers, in quick succession, so that retries are cut too; all of them may be lost. */
  readonly isAboutAnswers?: boolean
}

const comesWithinMs = 1_000
const pauseMostMs = 150
const calmMs = 700
const patienceMs = 30_000
const probeEveryMs = 20
const servesWithinMs = 300_000
const prober = 'prober'
/** The share of answers among the cut commits. */
const answerShare = 0.3
/** Modes after which the write is not in the database. */
const losingModes: readonly CutMode[] = ['request lost', 'commit lost', 'midway', 'late']

export class DatabaseDisruption implements Disruption {
  readonly #context: ClusterContext
  readonly #cluster: ReplicatedPostgres
  readonly #wire: DatabaseWire
  readonly #random: SeededRandom
  readonly #plan: Plan
  readonly #cutOf = new Map<string, number>()
  #isOver = false
  #probes = 0
  kills = 0
  promotions = 0
  /** From the moment the database accepts connections until a person's list is read, and until a call has ended. */
  readonly listed: Durations = new Durations()
  readonly served: Durations = new Durations()
  /** The same, measured from the fault. */
  readonly servedSinceFault: Durations = new Durations()
  /** How long callers waited for "unavailable" during the fault. */
  readonly refused: Durations = new Durations()

  constructor(
    context: ClusterContext,
    cluster: ReplicatedPostgres,
    wire: DatabaseWire,
    random: SeededRandom,
    plan: Plan,
  ) {
    this.#context = context
    this.#cluster = cluster
    this.#wire = wire
    this.#random = random
    this.#plan = plan
  }

  async work(): Promise<void> {
    await Promise.all([this.#cutConnections(), this.#breakServers()])
  }

  stop(): void {
    this.#isOver = true
  }

  /** The number of connections cut after the commit was sent to the server. */
  get cuts(): number {
    return this.#wire.unclear.filter(({ how }) => insideCommit.has(how)).length
  }

  async #cutConnections(): Promise<void> {
    while (!this.#isOver && this.cuts < this.#plan.cuts) {
      if (this.#plan.isAboutAnswers === true) {
        await this.#cut(this.#random.pick(losingModes), isAnswer)
        continue
      }
      const how = this.#random.pick(cutModes)
      const wanted = this.#nextStatement()
      const isCut =
        (await this.#cut(how, ({ statement }) => statement === wanted)) || (await this.#cut(how, () => true))
      if (isCut) await sleep(this.#random.int(pauseMostMs))
    }
  }

  async #cut(how: CutMode, isIt: (commit: Commit) => boolean): Promise<boolean> {
    const counted = (commit: Commit) => {
      if (!isIt(commit)) return false
      this.#cutOf.set(commit.statement, (this.#cutOf.get(commit.statement) ?? 0) + 1)
      return true
    }
    return this.#wire.cutNext(how, counted, comesWithinMs)
  }

  /** An answer, or the statement that was cut least often so far. */
  #nextStatement(): string | undefined {
    const known = [...this.#wire.commits.keys()]
    if (this.#random.next() < answerShare) return known.find((statement) => isAnswer({ statement }))
    return known.toSorted((a, b) => (this.#cutOf.get(a) ?? 0) - (this.#cutOf.get(b) ?? 0))[0]
  }

  async #breakServers(): Promise<void> {
    const { kills, promotions } = this.#plan
    const all = kills + promotions
    for (let done = 0; done < all && !this.#isOver; done++) {
      await sleep(calmMs + this.#random.int(calmMs))
      // Promotions are spread evenly and never come first: there must be stored data to check.
      if (Math.floor(((done + 1) * promotions) / all) > this.promotions) await this.#promote()
      else await this.#kill()
    }
  }

  async #kill(): Promise<void> {
    const faultAt = performance.now()
    await this.#killPrimary()
    await this.#untilServing(faultAt, this.#restart())
    this.kills += 1
  }

  async #restart(): Promise<number> {
    await this.#cluster.startPrimary()
    await this.#look()
    this.#wire.pointTo(this.#cluster.port)
    return performance.now()
  }

  async #promote(): Promise<void> {
    await this.#cluster.standbyIsInStep()
    const faultAt = performance.now()
    await this.#killPrimary()
    await this.#untilServing(faultAt, this.#takeOver())
    await this.#cluster.renewStandby()
    this.promotions += 1
  }

  async #takeOver(): Promise<number> {
    await this.#cluster.chooseStandby()
    await this.#look()
    // Half of the time connections are directed there too early and find a read-only server.
    if (this.#random.next() < 0.5) this.#wire.pointTo(this.#cluster.port)
    await this.#cluster.promote()
    this.#wire.pointTo(this.#cluster.port)
    return performance.now()
  }

  /** From here on no replica reaches the database until it has been inspected. */
  async #killPrimary(): Promise<void> {
    this.#wire.pointTo(undefined)
    await this.#cluster.killPrimary(this.#random.next() < 0.5 ? 'alone' : 'with all its children')
  }

  async #look(): Promise<void> {
    this.#wire.breakAll()
    // The close events of the connections are still to be processed.
    await sleep(probeEveryMs)
    await lookFor(this.#wire.unclear, this.#cluster, this.#context.schema)
  }

  /** A separate caller and person retry until it works. */
  async #untilServing(faultAt: number, accepting: Promise<number>): Promise<void> {
    const calling = this.#untilCalled()
    let isServed = false
    const served = calling.finally(() => {
      isServed = true
    })
    let listedAt: number | undefined
    const looking = (async () => {
      while (!isServed) {
        if ((await this.#context.people.look(prober)) !== undefined) listedAt ??= performance.now()
        await sleep(probeEveryMs)
      }
    })()
    const [acceptsAt, servedAt] = await Promise.all([accepting, served, looking])
    this.listed.add(Math.max(0, (listedAt ?? servedAt) - acceptsAt))
    this.served.add(Math.max(0, servedAt - acceptsAt))
    this.servedSinceFault.add(servedAt - faultAt)
  }

  /** Makes a new call, answers it in the inbox, and waits for its result. */
  async #untilCalled(): Promise<number> {
    const { url, evidence } = this.#context
    const sessions = new Sessions(url)
    const giveUpAt = performance.now() + servesWithinMs
    while (performance.now() < giveUpAt) {
      const triedAt = performance.now()
      const { kind } = await callOnRecord(
        this.#newProbe(),
        { url, evidence, random: this.#random, patienceMs },
        sessions,
      )
      if (kind === 'result') return performance.now()
      this.refused.add(performance.now() - triedAt)
      await sleep(probeEveryMs)
    }
    throw new Error('The cluster does not serve again.')
  }

  #newProbe(): CallRecord {
    this.#probes += 1
    const ticket = `probe${this.#probes}-${this.#random.int(2 ** 30).toString(36)}`
    return { ticket, principal: prober, client: '2026-07-28', server: 'new', asked: 'inbox' }
  }
}
