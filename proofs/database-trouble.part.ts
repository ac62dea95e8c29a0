// What breaks the database under a fleet: its servers are killed and come back, its standby takes over, its connections are
// cut in the middle of a commit. It also takes the time until the fleet serves again.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './database-cluster.part.ts'
import { type Commit, type CutMode, cutModes, insideCommit } from './database-line.part.ts'
import { isAnswer, lookFor } from './database-unclear.part.ts'
import type { DatabaseWire } from './database-wire.part.ts'
import { Sessions } from './fleet-call-2025.part.ts'
import { callOnRecord } from './fleet-crowd.part.ts'
import type { CallRecord } from './fleet-evidence.part.ts'
import type { Stage, Trouble } from './fleet-life.part.ts'
import type { SeededRandom } from './random.part.ts'
import { Durations } from './schema-watch.part.ts'

export interface Plan {
  readonly kills: number
  readonly promotions: number
  /** Connections cut after the server was told to commit. */
  readonly cuts: number
  /** Only answers are cut, one right after the other, so that trying again is cut too; and all of them may be lost. */
  readonly isAboutAnswers?: boolean
}

const comesWithinMs = 1_000
const pauseMostMs = 150
const calmMs = 700
const patienceMs = 30_000
const probeEveryMs = 20
const servesWithinMs = 300_000
const prober = 'prober'
/** Of all commits that are cut, so many are answers. */
const answerShare = 0.3
/** Those after which the sender cannot find what it sent. */
const losingModes: readonly CutMode[] = ['request lost', 'commit lost', 'midway', 'late']

export class DatabaseTrouble implements Trouble {
  readonly #stage: Stage
  readonly #cluster: Cluster
  readonly #wire: DatabaseWire
  readonly #random: SeededRandom
  readonly #plan: Plan
  readonly #cutOf = new Map<string, number>()
  #isOver = false
  #probes = 0
  kills = 0
  promotions = 0
  /** From the moment the database takes connections again until a person's list is read; and until a call has come to its end. */
  readonly listed: Durations = new Durations()
  readonly served: Durations = new Durations()
  /** The same from the fault on. */
  readonly servedSinceFault: Durations = new Durations()
  /** How long those who called meanwhile waited to hear that it cannot be done now. */
  readonly refused: Durations = new Durations()

  constructor(stage: Stage, cluster: Cluster, wire: DatabaseWire, random: SeededRandom, plan: Plan) {
    this.#stage = stage
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

  /** Connections cut after the server was told to commit. */
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

  /** An answer, or what was cut least so far. */
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
      // Promotions are spread evenly, and never the first: what was kept has to be worth a look.
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
    // Half the time those who connect are led there too early, and find a server that reads only.
    if (this.#random.next() < 0.5) this.#wire.pointTo(this.#cluster.port)
    await this.#cluster.promote()
    this.#wire.pointTo(this.#cluster.port)
    return performance.now()
  }

  /** From here on nobody reaches the database until it was looked at. */
  async #killPrimary(): Promise<void> {
    this.#wire.pointTo(undefined)
    await this.#cluster.killPrimary(this.#random.next() < 0.5 ? 'alone' : 'with all its children')
  }

  async #look(): Promise<void> {
    this.#wire.breakAll()
    // The ends of the connections have yet to be told here.
    await sleep(probeEveryMs)
    await lookFor(this.#wire.unclear, this.#cluster, this.#stage.schema)
  }

  /** A caller and a person who are there for nothing else try, as all do, until it works. */
  async #untilServing(faultAt: number, accepting: Promise<number>): Promise<void> {
    const calling = this.#untilCalled()
    let isServed = false
    const served = calling.finally(() => {
      isServed = true
    })
    let listedAt: number | undefined
    const looking = (async () => {
      while (!isServed) {
        if ((await this.#stage.people.look(prober)) !== undefined) listedAt ??= performance.now()
        await sleep(probeEveryMs)
      }
    })()
    const [acceptsAt, servedAt] = await Promise.all([accepting, served, looking])
    this.listed.add(Math.max(0, (listedAt ?? servedAt) - acceptsAt))
    this.served.add(Math.max(0, servedAt - acceptsAt))
    this.servedSinceFault.add(servedAt - faultAt)
  }

  /** A new call has its question put, answered in the inbox, and hears what came of it. */
  async #untilCalled(): Promise<number> {
    const { url, evidence } = this.#stage
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
    throw new Error('The fleet does not serve again.')
  }

  #newProbe(): CallRecord {
    this.#probes += 1
    const ticket = `probe${this.#probes}-${this.#random.int(2 ** 30).toString(36)}`
    return { ticket, principal: prober, client: '2026-07-28', server: 'new', asked: 'inbox' }
  }
}
