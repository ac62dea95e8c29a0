// Proof: killing any replica at any moment loses nothing, repeats no effect and runs nothing without a yes.
//
// Three replicas on one database behind a balancer without affinity; clients of both generations; people in the inboxes;
// and a supervisor that kills and pauses replicas at named points and at random, cuts the connections between them, and
// collects its own evidence. At the end the
// evidence is compared with the database. ASSENT_PROOF_ASKS and ASSENT_PROOF_KILLS set other sizes,
// ASSENT_PROOF_WAKE=nats://… uses NATS for notifications.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Measurement } from '../../scripts/measurement.ts'
import { postgresUrl } from '../../test-kit/postgres.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { judge } from '../cluster/judge.ts'
import { bugs, points } from '../cluster/points.ts'
import {
  type ClusterContext,
  type Disruption,
  openReader,
  principals,
  replicas,
  runCluster,
} from '../cluster/run-cluster.ts'
import { judged, words } from '../cluster/verdict.ts'
import { Durations } from '../schema/watch.ts'
import { type Forgeries, forgeRequests } from './forged.ts'

const answerableGoalMs = 2_000
/** With a dozen kills the p99 is the slowest one, which a single late process determines. */
const answerableGoalQuickMs = 4_000
const mostBehind = 8
const pointWithinMs = 300
/** Longer than a lease: the other replicas declare a paused one dead. */
const pauseMs = 9_000
/** Connections between replicas break in the middle of requests, or stay silent for a while. */
const cutMs = 200
const silentMs = 1_500

export const run: Measurement = async ({ quick, seed }) => {
  const asks = Number(process.env.ASSENT_PROOF_ASKS ?? (quick ? 200 : 20_000))
  const kills = Number(process.env.ASSENT_PROOF_KILLS ?? (quick ? 8 : 1_000))
  const wake = process.env.ASSENT_PROOF_WAKE
  const late = monitorEventLoopDelay({ resolution: 10 })
  late.enable()
  const missedBugs = quick ? [] : await bugsMissed(seed)
  const pauses = quick ? 1 : Math.ceil(kills / 25)
  const cuts = quick ? 6 : Math.ceil(kills / 5)
  const forged = quick ? 500 : 10_000
  const disruption = (context: ClusterContext) =>
    new Killer(context, seededRandom(seed + 2), { kills, asks, pauses, cuts, forged })
  const clusterRun = await runCluster({ asks, seed, disruption, ...(wake === undefined ? {} : { wake }) })
  const { faults, missed, plantedFaults } = judged(clusterRun, 'kill', quick)
  const { atPoints, atRandom, answerable, allDead, paused, cut, connectionsCut, forgeries } = clusterRun.disruption
  const { sent = 0, accepted = [], genuineRefused = 0 } = forgeries ?? {}
  const which = accepted.length === 0 ? '' : ` (${[...new Set(accepted)].join(', ')})`
  console.log(
    `kill: ${paused} pauses of ${pauseMs / 1_000} s; forwarding to a replica cut ${cut} times, with ${connectionsCut} open connections; ${sent.toLocaleString('en')} forged and replayed requests between replicas: ${accepted.length} accepted${which}; ${genuineRefused} genuine ones refused`,
  )
  console.log(`kill: ${atPoints.size} of ${points.length} named points: ${words(atPoints)}; at random ${atRandom}`)
  const p99 = answerable.quantileMs(0.99)
  console.log(
    `kill: answerable again while another replica lived: half within ${answerable.quantileMs(0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; after all had died: p99 ${allDead.quantileMs(0.99).toFixed(0)} ms`,
  )
  // The supervisor shares the two cores: its own delay is part of every figure.
  console.log(`kill: the supervisor's own event loop was late by ${(late.percentile(99) / 1e6).toFixed(0)} ms at p99`)
  return {
    reached:
      faults.length === 0 &&
      missed.length + missedBugs.length === 0 &&
      accepted.length + genuineRefused === 0 &&
      sent > 0 &&
      connectionsCut > 0 &&
      p99 < (quick ? answerableGoalQuickMs : answerableGoalMs),
    figure: `kill: ${clusterRun.evidence.calls.size.toLocaleString('en')} calls, ${clusterRun.gateways.kills} kills at ${atPoints.size} points and at random: ${faults.length} faults; answerable again p99 ${p99.toFixed(0)} ms; ${plantedFaults}`,
  }
}

/** Clusters with a planted bug, each of which must be found. */
async function bugsMissed(seed: number): Promise<string[]> {
  const missed: string[] = []
  for (const bug of Object.keys(bugs) as (keyof typeof bugs)[]) {
    const { evidence, kept } = await runCluster({
      asks: 40,
      seed,
      bug,
      patienceMs: 10_000,
      disruption: () => noDisruption,
    })
    const found = judge(evidence, kept).filter(({ invariant }) => invariant === bugs[bug])
    console.log(`kill: replicas with the bug "${bug}": ${found.length} faults "${bugs[bug]}"`)
    if (found.length === 0) missed.push(`replicas with the bug "${bug}"`)
  }
  return missed
}

const noDisruption: Disruption = { work: () => Promise.resolve(), stop: () => undefined }

interface Plan {
  readonly kills: number
  readonly asks: number
  readonly pauses: number
  /** How often the network to one replica fails. */
  readonly cuts: number
  /** Forged and replayed requests between replicas. */
  readonly forged: number
}

/** Kills and pauses replicas, and cuts their connections, spread over the whole run. */
class Killer implements Disruption {
  readonly #context: ClusterContext
  readonly #random: SeededRandom
  readonly #plan: Plan
  readonly atPoints: Map<string, number> = new Map()
  /** Recovery times while another replica was running, and while none was. */
  readonly answerable: Durations = new Durations()
  readonly allDead: Durations = new Durations()
  atRandom = 0
  paused = 0
  cut = 0
  connectionsCut = 0
  forgeries: Forgeries | undefined
  #isOver = false

  constructor(context: ClusterContext, random: SeededRandom, plan: Plan) {
    this.#context = context
    this.#random = random
    this.#plan = plan
  }

  get total(): number {
    return this.atRandom + [...this.atPoints.values()].reduce((sum, count) => sum + count, 0)
  }

  async work(): Promise<void> {
    const { kills, pauses, cuts } = this.#plan
    while (!this.#isOver && this.total < kills) {
      // Spread over the kills, the first one early.
      if (this.paused < pauses && this.total >= ((this.paused + 0.5) / pauses) * kills) await this.#pause()
      if (this.cut < cuts && this.total >= ((this.cut + 0.5) / cuts) * kills) await this.#cut()
      // As many as are due by now, so that kills last until the final ask.
      if (this.#due <= 0) {
        await sleep(20)
        continue
      }
      // Usually one replica is killed while the others run; sometimes the next is killed before the last is back.
      const alive = this.#random.next() < 0.8 ? replicas : 2
      while (this.#context.gateways.up < alive && !this.#isOver) await sleep(20)
      const person = this.#random.pick(principals)
      // If no replica reaches the point soon, one is killed at random.
      const died = (this.#random.next() < 0.7 && (await this.#killAtPoint())) || this.#killAtRandom()
      if (died) await this.#untilAnswerable(person)
    }
  }

  stop(): void {
    this.#isOver = true
  }

  /** The replicas that survived must serve none of these. */
  async afterwards(): Promise<void> {
    const { schema, secret } = this.#context
    const reader = await openReader(postgresUrl, schema)
    const live = (await reader.replicas.live()).filter(({ address }) => address !== '')
    this.forgeries = await forgeRequests(this.#plan.forged, live, secret, () => reader.nowMs(), this.#random)
    await reader.close()
  }

  async #pause(): Promise<void> {
    this.paused += 1
    while (this.#context.gateways.up < replicas && !this.#isOver) await sleep(20)
    await this.#context.gateways.pause(this.#random.int(replicas), pauseMs)
  }

  /** While all replicas run: one that starts checks that it reaches itself. */
  async #cut(): Promise<void> {
    this.cut += 1
    const { gateways } = this.#context
    while (gateways.up < replicas && !this.#isOver) await sleep(20)
    const index = this.#random.int(replicas)
    const isSilent = this.#random.next() < 0.3
    this.connectionsCut += await gateways.cutForwarding(
      index,
      isSilent ? 'hanging' : 'down',
      isSilent ? silentMs : cutMs,
    )
  }

  /** A kill takes longer than a call, so callers wait. */
  async pace(): Promise<void> {
    while (this.#due > mostBehind && !this.#isOver) await sleep(20)
  }

  /** The number of kills that are due for the calls so far. */
  get #due(): number {
    const { kills, asks } = this.#plan
    return (this.#context.evidence.calls.size / asks) * kills - this.total
  }

  #killAtRandom(): boolean {
    if (!this.#context.gateways.killAtRandom(this.#random.int(replicas))) return false
    this.atRandom += 1
    return true
  }

  /** At the first of the rarest points so far. Two replicas may reach one before the second is disarmed. */
  async #killAtPoint(): Promise<boolean> {
    const rarest = points.toSorted((a, b) => (this.atPoints.get(a) ?? 0) - (this.atPoints.get(b) ?? 0))
    const point = await this.#context.gateways.killAt(rarest.slice(0, points.length / 2), pointWithinMs)
    if (point === undefined) return false
    this.atPoints.set(point, (this.atPoints.get(point) ?? 0) + 1)
    return true
  }

  /** How long it takes until a person's asks can be listed and answered again at any replica. */
  async #untilAnswerable(person: string): Promise<void> {
    const startedAt = performance.now()
    // The exit event takes a moment to arrive; replicas that are up after it are running.
    await sleep(5)
    const into = this.#context.gateways.up > 0 ? this.answerable : this.allDead
    while ((await this.#context.people.list(person)) === undefined) await sleep(5)
    into.add(performance.now() - startedAt)
  }
}
