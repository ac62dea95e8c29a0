// Proof: whatever becomes of the database, nothing is lost, nothing is done twice and nothing runs without a yes.
//
// Three replicas as in `prove -- kill`, on a database of our own with a synchronous standby, behind a proxy that reads the
// wire protocol. Under load its servers are killed with SIGKILL and started again, the standby takes over, and connections
// are cut while the server is at a commit. ASSENT_PROOF_KILLS, ASSENT_PROOF_CUTS and ASSENT_PROOF_PROMOTIONS set other sizes.

import type { Measurement } from '../scripts/measurement.ts'
import { Cluster } from './database-cluster.part.ts'
import { insideCommit, type Unclear } from './database-line.part.ts'
import { DatabaseTrouble, type Plan } from './database-trouble.part.ts'
import { findLies, isAnswer, judgeUnclear } from './database-unclear.part.ts'
import { DatabaseWire } from './database-wire.part.ts'
import { judge } from './fleet-judge.part.ts'
import { live, type World } from './fleet-life.part.ts'
import { type Bug, databaseBugs } from './fleet-points.part.ts'
import { judged, words } from './fleet-verdict.part.ts'
import { seededRandom } from './random.part.ts'
import type { Durations } from './schema-watch.part.ts'

const servingGoalMs = 10_000
/** A machine that runs other things beside the quick form shows whether it serves again, and not how soon. */
const servingQuickMs = 60_000
/** More than any plan takes: the calls end when the plan is done. */
const asksAtMost = 1_000_000

export const run: Measurement = async ({ quick, seed }) => {
  const plan = {
    kills: Number(process.env.ASSENT_PROOF_KILLS ?? (quick ? 2 : 50)),
    cuts: Number(process.env.ASSENT_PROOF_CUTS ?? (quick ? 10 : 500)),
    promotions: Number(process.env.ASSENT_PROOF_PROMOTIONS ?? (quick ? 1 : 10)),
  }
  const cluster = await Cluster.start('proof')
  try {
    const missedBugs = quick ? [] : await bugsMissed(cluster, seed)
    const { world, unclear } = await liveOn(cluster, seed, plan)
    const { faults, missed, lies } = judged(world, 'database', quick)
    const wrong = judgeUnclear(unclear, world.evidence, world.kept)
    for (const { what } of wrong.slice(0, 20)) say(`FAULT ${what}`)
    const ownLies = findLies(unclear, world)
    for (const one of ownLies.missed) say(`planted and not found: ${one}`)
    sayUnclear(unclear)
    const { trouble, fleet } = world
    const { kills, promotions, cuts, served } = trouble
    sayTimes(trouble)
    if (fleet.kills > 0) for (const text of fleet.errors.slice(-6)) say(`a replica said: ${text}`)
    if (fleet.kills > 0) say(`FAULT ${fleet.kills} replicas died with the database`)
    const p99 = served.quantileMs(0.99)
    const isWhole = kills >= plan.kills && promotions >= plan.promotions && cuts >= plan.cuts
    const found = faults.length + wrong.length + fleet.kills
    const isAwake = ownLies.planted > 0 || quick
    const notFound = missed.length + missedBugs.length + ownLies.missed.length + (isAwake ? 0 : 1)
    return {
      reached: isWhole && found === 0 && notFound === 0 && p99 < (quick ? servingQuickMs : servingGoalMs),
      figure: `database: ${world.evidence.calls.size.toLocaleString('en')} calls, ${kills} kills of the postmaster, ${cuts} connections cut inside a commit, ${promotions} promotions: ${found} faults; serving again p99 ${p99.toFixed(0)} ms; ${lies}, ${ownLies.planted - ownLies.missed.length}/${ownLies.planted} of unclear commits`,
    }
  } finally {
    await cluster.remove()
  }
}

interface Lived {
  readonly world: World<DatabaseTrouble>
  readonly unclear: readonly Unclear[]
}

async function liveOn(cluster: Cluster, seed: number, plan: Plan, bug?: Bug): Promise<Lived> {
  const wire = new DatabaseWire()
  await wire.start()
  wire.pointTo(cluster.port)
  try {
    const world = await live({
      asks: asksAtMost,
      endsWithTrouble: true,
      seed,
      trouble: (stage) => new DatabaseTrouble(stage, cluster, wire, seededRandom(seed + 2), plan),
      replicaDatabase: wire.url,
      ourDatabase: () => cluster.url,
      ...(bug === undefined ? {} : { bug }),
    })
    return { world, unclear: wire.unclear }
  } finally {
    await wire.close()
  }
}

/** Fleets with a bug in them, each of which must be found. */
async function bugsMissed(cluster: Cluster, seed: number): Promise<string[]> {
  const missed: string[] = []
  const plan = { kills: 0, promotions: 0, cuts: 40, isAboutAnswers: true }
  for (const bug of Object.keys(databaseBugs) as (keyof typeof databaseBugs)[]) {
    const { world, unclear } = await liveOn(cluster, seed, plan, bug)
    const all = [...judge(world.evidence, world.kept), ...judgeUnclear(unclear, world.evidence, world.kept)]
    const found = all.filter(({ invariant }) => invariant === databaseBugs[bug])
    say(`replicas that are ${bug}: ${found.length} faults "${databaseBugs[bug]}"`)
    if (found.length === 0) missed.push(`replicas that are ${bug}`)
  }
  return missed
}

function sayUnclear(all: readonly Unclear[]): void {
  const cut = all.filter(({ how }) => how !== 'died' && how !== 'given up')
  const inside = cut.filter(({ how }) => insideCommit.has(how)).length
  say(`${cut.length} connections cut, ${inside} after the server was told to commit: ${count(cut, ({ how }) => how)}`)
  say(`what they were about to commit: ${count(cut, ({ statement }) => statement)}`)
  const others = all.filter((one) => !cut.includes(one))
  say(
    `commits that died with their server, or were given up: ${others.length}: ${count(others, (one) => one.statement)}`,
  )
  say(
    `unclear commits that had happened, or not: ${count(all, outcomeOf)}; of answers: ${count(all.filter(isAnswer), outcomeOf)}`,
  )
}

function outcomeOf({ hasCommitted }: Unclear): string {
  return hasCommitted === undefined ? 'nothing hangs on it' : hasCommitted ? 'had happened' : 'had not'
}

function sayTimes({ listed, served, servedSinceFault, refused }: DatabaseTrouble): void {
  const p99 = (times: Durations) => `p99 ${times.quantileMs(0.99).toFixed(0)} ms`
  say(
    `after the database took connections again a list was read: ${p99(listed)}; a new call was asked, answered and ended: ${p99(served)}`,
  )
  say(
    `the same since the fault: ${p99(servedSinceFault)}; callers meanwhile heard that it cannot be done: ${p99(refused)}`,
  )
}

function count<T>(list: readonly T[], nameOf: (one: T) => string): string {
  const counts = new Map<string, number>()
  for (const one of list) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1)
  return words(counts)
}

function say(text: string): void {
  console.log(`database: ${text}`)
}
