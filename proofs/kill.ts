// Proof: whatever dies, and whenever, nothing is lost, nothing is done twice and nothing runs without a yes.
//
// Three replicas on one database behind a balancer that remembers nobody; clients of both generations; people in the
// inboxes; and a supervisor that kills replicas at named points and at random while it keeps a journal of its own. When
// all is over the journal is held against the database. ASSENT_PROOF_ASKS and ASSENT_PROOF_KILLS set other sizes,
// ASSENT_PROOF_WAKE=nats://… wakes by NATS.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '@assent/store'
import pg from 'pg'
import type { Measurement } from '../scripts/measurement.ts'
import { runCrowd } from './kill-crowd.part.ts'
import { type AskRow, type AuditRow, Evidence, type Kept } from './kill-evidence.part.ts'
import { Fleet } from './kill-fleet.part.ts'
import { judge } from './kill-judge.part.ts'
import { People } from './kill-people.part.ts'
import { findPlanted, nothingToPlantIn } from './kill-planted.part.ts'
import { type Bug, bugs, points } from './kill-points.part.ts'
import { EffectServers } from './kill-servers.part.ts'
import { type SeededRandom, seededRandom } from './random.part.ts'
import { Durations } from './schema-watch.part.ts'

const databaseUrl = process.env.ASSENT_TEST_POSTGRES ?? 'postgres://root@127.0.0.1:5432/test'
const replicas = 3
const principals = Array.from({ length: 8 }, (_, n) => `person-${n}`)
const answerableGoalMs = 2_000

export const run: Measurement = async ({ quick, seed }) => {
  const asks = Number(process.env.ASSENT_PROOF_ASKS ?? (quick ? 200 : 20_000))
  const kills = Number(process.env.ASSENT_PROOF_KILLS ?? (quick ? 8 : 1_000))
  const missed = quick ? [] : await missedBugs(seed)
  const world = await live({ asks, kills, seed })
  return tell(world, missed, quick)
}

interface World {
  readonly evidence: Evidence
  readonly kept: Kept
  readonly killer: Killer
  readonly fleet: Fleet
}

/** One fleet from its start to its end, and what it left behind. */
async function live({
  asks,
  kills,
  seed,
  bug,
}: {
  asks: number
  kills: number
  seed: number
  bug?: Bug
}): Promise<World> {
  const wake = process.env.ASSENT_PROOF_WAKE
  const schema = `kill_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client({ connectionString: databaseUrl, options: `-c search_path=${schema}` })
  await admin.connect()
  const evidence = new Evidence()
  const servers = new EffectServers(evidence)
  const secret = randomBytes(32).toString('base64')
  const more = { ...(wake === undefined ? {} : { wake }), ...(bug === undefined ? {} : { bug }) }
  const fleet = new Fleet({ url: databaseUrl, schema, secret, servers: await servers.start(), ...more })
  try {
    // Migrated once, so that the first start of all replicas is like every other.
    const store = await openPostgres(databaseUrl, { schema, connections: 2 })
    const url = await fleet.start(replicas)
    const people = new People(fleet, evidence, seededRandom(seed + 1), principals)
    const working = people.work()
    const killer = new Killer(fleet, people, seededRandom(seed + 2), kills, asks, evidence)
    const killing = killer.work()
    const patienceMs = bug === undefined ? 90_000 : 10_000
    await runCrowd({ url, evidence, random: seededRandom(seed), principals, asks, callers: 24, patienceMs })
    killer.stop()
    await killing
    people.stop()
    await working
    // Leases of the last dead run out, and the living say so.
    if (kills > 0) await sleep(9_000)
    await store.sweep()
    const chain = await store.audit.verify('default')
    await store.close()
    const kept = await read(admin, chain.ok ? undefined : `entry ${chain.seq}: ${chain.problem}`)
    return { evidence, kept, killer, fleet }
  } finally {
    await fleet.stop()
    servers.stop()
    await admin.query(`drop schema if exists ${schema} cascade`)
    await admin.end()
  }
}

/** Fleets with a bug in them, each of which must be found. */
async function missedBugs(seed: number): Promise<string[]> {
  const missed: string[] = []
  for (const bug of Object.keys(bugs) as Bug[]) {
    const { evidence, kept } = await live({ asks: 40, kills: 0, seed, bug })
    const found = judge(evidence, kept).filter(({ invariant }) => invariant === bugs[bug])
    console.log(`kill: replicas that are ${bug}: ${found.length} faults "${bugs[bug]}"`)
    if (found.length === 0) missed.push(`replicas that are ${bug}`)
  }
  return missed
}

/** Kills now here, now there, spread over the whole run. */
class Killer {
  readonly #fleet: Fleet
  readonly #people: People
  readonly #random: SeededRandom
  readonly #kills: number
  readonly #asks: number
  readonly #evidence: Evidence
  readonly atPoints: Map<string, number> = new Map()
  /** While another replica lived, and when none did. */
  readonly answerable: Durations = new Durations()
  readonly allDead: Durations = new Durations()
  atRandom = 0
  #isOver = false

  constructor(fleet: Fleet, people: People, random: SeededRandom, kills: number, asks: number, evidence: Evidence) {
    this.#fleet = fleet
    this.#people = people
    this.#random = random
    this.#kills = kills
    this.#asks = asks
    this.#evidence = evidence
  }

  get total(): number {
    return this.atRandom + [...this.atPoints.values()].reduce((sum, count) => sum + count, 0)
  }

  async work(): Promise<void> {
    while (!this.#isOver && this.total < this.#kills) {
      // As many as are due by now, so that the last ask has its deaths too.
      const due = (this.#evidence.calls.size / this.#asks) * this.#kills
      if (this.total >= due) {
        await sleep(20)
        continue
      }
      // Mostly one dies while the others live; now and then the next dies before the last is back.
      const alive = this.#random.next() < 0.8 ? replicas : 2
      while (this.#fleet.up < alive && !this.#isOver) await sleep(20)
      const person = this.#random.pick(principals)
      const died = this.#random.next() < 0.3 ? this.#killAtRandom() : await this.#killAtPoint()
      if (died) await this.#untilAnswerable(person)
    }
  }

  stop(): void {
    this.#isOver = true
  }

  #killAtRandom(): boolean {
    if (!this.#fleet.killAtRandom(this.#random.int(replicas))) return false
    this.atRandom += 1
    return true
  }

  /** At one of the points that were seen least so far. Two replicas may come to it before the second is told to live. */
  async #killAtPoint(): Promise<boolean> {
    const rarest = points.toSorted((a, b) => (this.atPoints.get(a) ?? 0) - (this.atPoints.get(b) ?? 0))
    const few = Array.from({ length: 6 }, () => rarest[this.#random.int(20)] ?? '')
    const point = await this.#fleet.killAt(few, 1_000)
    if (point === undefined) return false
    this.atPoints.set(point, (this.atPoints.get(point) ?? 0) + 1)
    return true
  }

  /** How long it takes until a person's asks can be listed and answered again, wherever. */
  async #untilAnswerable(person: string): Promise<void> {
    const startedAt = performance.now()
    // The news of a death takes a moment to arrive here; whoever is up after it is alive.
    await sleep(5)
    const into = this.#fleet.up > 0 ? this.answerable : this.allDead
    while ((await this.#people.list(person)) === undefined) await sleep(5)
    into.add(performance.now() - startedAt)
  }
}

async function read(admin: pg.Client, chainProblem: string | undefined): Promise<Kept> {
  const asks = await admin.query(
    `select id, principal, question::json->>'message' as message, state, answer::json->>'action' as action,
       decided_by as "decidedBy", decision_id as "decisionId", ended_at::float8 as "endedAtMs", withdrawn_because as because
     from asks`,
  )
  const audit = await admin.query(`select kind, subject from audit_entries where kind like 'ask.%' order by seq`)
  const running = await admin.query(`select count(*)::int as count from calls where state = 'running'`)
  return {
    asks: asks.rows as AskRow[],
    audit: audit.rows as AuditRow[],
    chainProblem,
    running: (running.rows[0] as { count: number }).count,
  }
}

function tell(
  { evidence, kept, killer, fleet }: World,
  missedBugs: readonly string[],
  quick: boolean,
): { reached: boolean; figure: string } {
  const faults = judge(evidence, kept)
  const planted = findPlanted({ evidence, kept })
  const ends = new Map<string, number>()
  for (const { end } of evidence.calls.values()) ends.set(end?.kind ?? 'none', (ends.get(end?.kind ?? 'none') ?? 0) + 1)
  const states = new Map<string, number>()
  for (const { state, because } of kept.asks) {
    const name = because === null ? state : `${state} (${because})`
    states.set(name, (states.get(name) ?? 0) + 1)
  }
  const acknowledged = evidence.inboxAnswers.filter(({ status }) => status === 200).length
  const strangers = evidence.inboxAnswers.filter(({ isStranger }) => isStranger).length
  console.log(`kill: calls ended: ${words(ends)}; effects ${evidence.effects.length}`)
  console.log(`kill: asks on record ${kept.asks.length}: ${words(states)}; audit entries ${kept.audit.length}`)
  console.log(
    `kill: ${acknowledged} decisions acknowledged in inboxes, ${evidence.clientAnswers.length} by clients, ${strangers} attempts by strangers`,
  )
  console.log(
    `kill: a 2026-07-28 server got ${evidence.repeated} answers again, after a broken connection, and did nothing twice`,
  )
  console.log(
    `kill: ${killer.atPoints.size} of ${points.length} named points: ${words(killer.atPoints)}; at random ${killer.atRandom}`,
  )
  for (const { invariant, what } of faults.slice(0, 20)) console.log(`kill: FAULT ${invariant}: ${what}`)
  // A short run may hold nothing to put a lie into; one that was put in is found in every run.
  const missed = [...planted.missed.filter((name) => !quick || !name.endsWith(nothingToPlantIn)), ...missedBugs]
  for (const name of missed) console.log(`kill: planted and not found: ${name}`)
  if (faults.length > 0) for (const text of fleet.errors.slice(-3)) console.log(`kill: a replica said: ${text}`)
  const p99 = killer.answerable.quantileMs(0.99)
  const p99AllDead = killer.allDead.quantileMs(0.99)
  console.log(
    `kill: answerable again while another replica lived: p99 ${p99.toFixed(0)} ms; after all had died: p99 ${p99AllDead.toFixed(0)} ms`,
  )
  const lies = `${planted.found}/${planted.planted} planted lies found`
  return {
    reached: faults.length === 0 && missed.length === 0 && p99 < answerableGoalMs,
    figure: `kill: ${evidence.calls.size.toLocaleString('en')} calls, ${fleet.kills} kills at ${killer.atPoints.size} points and at random: ${faults.length} faults; answerable again p99 ${p99.toFixed(0)} ms; ${lies}`,
  }
}

function words(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
}
