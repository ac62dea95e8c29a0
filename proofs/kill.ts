// Proof: whatever dies, and whenever, nothing is lost, nothing is done twice and nothing runs without a yes.
//
// Three replicas on one database behind a balancer that remembers nobody; clients of both generations; people in the
// inboxes; and a supervisor that kills replicas at named points and at random while it keeps a journal of its own. When
// all is over the journal is held against the database. ASSENT_PROOF_ASKS and ASSENT_PROOF_KILLS set other sizes,
// ASSENT_PROOF_WAKE=nats://… wakes by NATS.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Measurement } from '../scripts/measurement.ts'
import { judge } from './fleet-judge.part.ts'
import { live, principals, replicas, type Stage, type Trouble } from './fleet-life.part.ts'
import { bugs, points } from './fleet-points.part.ts'
import { judged, words } from './fleet-verdict.part.ts'
import { type SeededRandom, seededRandom } from './random.part.ts'
import { Durations } from './schema-watch.part.ts'

const answerableGoalMs = 2_000
/** Of a dozen kills the p99 is the slowest one, which one late process decides. */
const answerableGoalQuickMs = 4_000
const mostBehind = 8
const pointWithinMs = 300

export const run: Measurement = async ({ quick, seed }) => {
  const asks = Number(process.env.ASSENT_PROOF_ASKS ?? (quick ? 200 : 20_000))
  const kills = Number(process.env.ASSENT_PROOF_KILLS ?? (quick ? 8 : 1_000))
  const wake = process.env.ASSENT_PROOF_WAKE
  const late = monitorEventLoopDelay({ resolution: 10 })
  late.enable()
  const missedBugs = quick ? [] : await bugsMissed(seed)
  const trouble = (stage: Stage) => new Killer(stage, seededRandom(seed + 2), kills, asks)
  const world = await live({ asks, seed, trouble, ...(wake === undefined ? {} : { wake }) })
  const { faults, missed, lies } = judged(world, 'kill', quick)
  const { atPoints, atRandom, answerable, allDead } = world.trouble
  console.log(`kill: ${atPoints.size} of ${points.length} named points: ${words(atPoints)}; at random ${atRandom}`)
  const p99 = answerable.quantileMs(0.99)
  console.log(
    `kill: answerable again while another replica lived: half within ${answerable.quantileMs(0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; after all had died: p99 ${allDead.quantileMs(0.99).toFixed(0)} ms`,
  )
  // Whoever measures has the same two cores: what it is late by itself is in every figure of it.
  console.log(`kill: the supervisor's own event loop was late by ${(late.percentile(99) / 1e6).toFixed(0)} ms at p99`)
  return {
    reached:
      faults.length === 0 &&
      missed.length + missedBugs.length === 0 &&
      p99 < (quick ? answerableGoalQuickMs : answerableGoalMs),
    figure: `kill: ${world.evidence.calls.size.toLocaleString('en')} calls, ${world.fleet.kills} kills at ${atPoints.size} points and at random: ${faults.length} faults; answerable again p99 ${p99.toFixed(0)} ms; ${lies}`,
  }
}

/** Fleets with a bug in them, each of which must be found. */
async function bugsMissed(seed: number): Promise<string[]> {
  const missed: string[] = []
  for (const bug of Object.keys(bugs) as (keyof typeof bugs)[]) {
    const { evidence, kept } = await live({ asks: 40, seed, bug, patienceMs: 10_000, trouble: () => noTrouble })
    const found = judge(evidence, kept).filter(({ invariant }) => invariant === bugs[bug])
    console.log(`kill: replicas that are ${bug}: ${found.length} faults "${bugs[bug]}"`)
    if (found.length === 0) missed.push(`replicas that are ${bug}`)
  }
  return missed
}

const noTrouble: Trouble = { work: () => Promise.resolve(), stop: () => undefined }

/** Kills now here, now there, spread over the whole run. */
class Killer implements Trouble {
  readonly #stage: Stage
  readonly #random: SeededRandom
  readonly #kills: number
  readonly #asks: number
  readonly atPoints: Map<string, number> = new Map()
  /** While another replica lived, and when none did. */
  readonly answerable: Durations = new Durations()
  readonly allDead: Durations = new Durations()
  atRandom = 0
  #isOver = false

  constructor(stage: Stage, random: SeededRandom, kills: number, asks: number) {
    this.#stage = stage
    this.#random = random
    this.#kills = kills
    this.#asks = asks
  }

  get total(): number {
    return this.atRandom + [...this.atPoints.values()].reduce((sum, count) => sum + count, 0)
  }

  async work(): Promise<void> {
    while (!this.#isOver && this.total < this.#kills) {
      // As many as are due by now, so that the last ask has its deaths too.
      if (this.#due <= 0) {
        await sleep(20)
        continue
      }
      // Mostly one dies while the others live; now and then the next dies before the last is back.
      const alive = this.#random.next() < 0.8 ? replicas : 2
      while (this.#stage.fleet.up < alive && !this.#isOver) await sleep(20)
      const person = this.#random.pick(principals)
      // Where none comes to a point soon, one dies where it stands.
      const died = (this.#random.next() < 0.7 && (await this.#killAtPoint())) || this.#killAtRandom()
      if (died) await this.#untilAnswerable(person)
    }
  }

  stop(): void {
    this.#isOver = true
  }

  /** A kill takes longer than a call. */
  async pace(): Promise<void> {
    while (this.#due > mostBehind && !this.#isOver) await sleep(20)
  }

  /** Kills that the calls so far should have seen and have not. */
  get #due(): number {
    return (this.#stage.evidence.calls.size / this.#asks) * this.#kills - this.total
  }

  #killAtRandom(): boolean {
    if (!this.#stage.fleet.killAtRandom(this.#random.int(replicas))) return false
    this.atRandom += 1
    return true
  }

  /** At whichever comes first of the points that were seen least so far. Two replicas may come to one before the second is told to live. */
  async #killAtPoint(): Promise<boolean> {
    const rarest = points.toSorted((a, b) => (this.atPoints.get(a) ?? 0) - (this.atPoints.get(b) ?? 0))
    const point = await this.#stage.fleet.killAt(rarest.slice(0, points.length / 2), pointWithinMs)
    if (point === undefined) return false
    this.atPoints.set(point, (this.atPoints.get(point) ?? 0) + 1)
    return true
  }

  /** How long it takes until a person's asks can be listed and answered again, wherever. */
  async #untilAnswerable(person: string): Promise<void> {
    const startedAt = performance.now()
    // The news of a death takes a moment to arrive here; whoever is up after it is alive.
    await sleep(5)
    const into = this.#stage.fleet.up > 0 ? this.answerable : this.allDead
    while ((await this.#stage.people.list(person)) === undefined) await sleep(5)
    into.add(performance.now() - startedAt)
  }
}
