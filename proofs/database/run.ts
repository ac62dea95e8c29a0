// Proof: no failure of the database loses anything, repeats an effect or runs anything without a yes.
//
// Three replicas as in `prove -- kill`, on a private database with a synchronous standby, behind a proxy that parses the
// wire protocol. Under load the servers are killed with SIGKILL and restarted, the standby is promoted, and connections
// are cut during a commit. ASSENT_PROOF_KILLS, ASSENT_PROOF_CUTS and ASSENT_PROOF_PROMOTIONS set other sizes.

import type { Measurement } from '../../scripts/measurement.ts'
import { seededRandom } from '../../test-kit/random.ts'
import { ReplicatedPostgres } from '../../test-kit/replicated-postgres.ts'
import { judge } from '../cluster/judge.ts'
import { type Bug, databaseBugs } from '../cluster/points.ts'
import { type ClusterRun, runCluster } from '../cluster/run-cluster.ts'
import { judged, words } from '../cluster/verdict.ts'
import type { Durations } from '../schema/watch.ts'
import { DatabaseDisruption, type Plan } from './disruption.ts'
import { insideCommit, type Unclear } from './line.ts'
import { findPlantedFaults, isAnswer, judgeUnclear } from './unclear.ts'
import { DatabaseWire } from './wire.ts'

const servingGoalMs = 10_000
/** In the quick form the machine is busy: it checks that the cluster serves again, not how soon. */
const servingQuickMs = 60_000
/** More than any plan needs: the calls end when the plan is done. */
const asksAtMost = 1_000_000

export const run: Measurement = async ({ quick, seed }) => {
  const plan = {
    kills: Number(process.env.ASSENT_PROOF_KILLS ?? (quick ? 2 : 50)),
    cuts: Number(process.env.ASSENT_PROOF_CUTS ?? (quick ? 10 : 500)),
    promotions: Number(process.env.ASSENT_PROOF_PROMOTIONS ?? (quick ? 1 : 10)),
  }
  const cluster = await ReplicatedPostgres.start('proof')
  try {
    const missedBugs = quick ? [] : await bugsMissed(cluster, seed)
    const { clusterRun, unclear } = await runOn(cluster, seed, plan)
    const { faults, missed, plantedFaults } = judged(clusterRun, 'database', quick)
    const wrong = judgeUnclear(unclear, clusterRun.evidence, clusterRun.kept)
    for (const { what } of wrong.slice(0, 20)) say(`FAULT ${what}`)
    const plantedHere = findPlantedFaults(unclear, clusterRun)
    for (const one of plantedHere.missed) say(`planted and not found: ${one}`)
    sayUnclear(unclear)
    const { disruption, gateways } = clusterRun
    const { kills, promotions, cuts, served } = disruption
    sayTimes(disruption)
    if (gateways.kills > 0) for (const text of gateways.errors.slice(-6)) say(`stderr of a replica: ${text}`)
    if (gateways.kills > 0) say(`FAULT ${gateways.kills} replicas died with the database`)
    const p99 = served.quantileMs(0.99)
    const isWhole = kills >= plan.kills && promotions >= plan.promotions && cuts >= plan.cuts
    const found = faults.length + wrong.length + gateways.kills
    const isAwake = plantedHere.planted > 0 || quick
    const notFound = missed.length + missedBugs.length + plantedHere.missed.length + (isAwake ? 0 : 1)
    return {
      reached: isWhole && found === 0 && notFound === 0 && p99 < (quick ? servingQuickMs : servingGoalMs),
      figure: `database: ${clusterRun.evidence.calls.size.toLocaleString('en')} calls, ${kills} kills of the postmaster, ${cuts} connections cut inside a commit, ${promotions} promotions: ${found} faults; serving again p99 ${p99.toFixed(0)} ms; ${plantedFaults}, ${plantedHere.planted - plantedHere.missed.length}/${plantedHere.planted} of unclear commits`,
    }
  } finally {
    await cluster.remove()
  }
}

interface DatabaseRun {
  readonly clusterRun: ClusterRun<DatabaseDisruption>
  readonly unclear: readonly Unclear[]
}

async function runOn(cluster: ReplicatedPostgres, seed: number, plan: Plan, bug?: Bug): Promise<DatabaseRun> {
  const wire = new DatabaseWire()
  await wire.start()
  wire.pointTo(cluster.port)
  try {
    const clusterRun = await runCluster({
      asks: asksAtMost,
      endsWithDisruption: true,
      seed,
      disruption: (context) => new DatabaseDisruption(context, cluster, wire, seededRandom(seed + 2), plan),
      replicaDatabase: wire.url,
      ourDatabase: () => cluster.url,
      ...(bug === undefined ? {} : { bug }),
    })
    return { clusterRun, unclear: wire.unclear }
  } finally {
    await wire.close()
  }
}

/** Clusters with a planted bug, each of which must be found. */
async function bugsMissed(cluster: ReplicatedPostgres, seed: number): Promise<string[]> {
  const missed: string[] = []
  const plan = { kills: 0, promotions: 0, cuts: 40, isAboutAnswers: true }
  for (const bug of Object.keys(databaseBugs) as (keyof typeof databaseBugs)[]) {
    const { clusterRun, unclear } = await runOn(cluster, seed, plan, bug)
    const all = [
      ...judge(clusterRun.evidence, clusterRun.kept),
      ...judgeUnclear(unclear, clusterRun.evidence, clusterRun.kept),
    ]
    const found = all.filter(({ invariant }) => invariant === databaseBugs[bug])
    say(`replicas with the bug "${bug}": ${found.length} faults "${databaseBugs[bug]}"`)
    if (found.length === 0) missed.push(`replicas with the bug "${bug}"`)
  }
  return missed
}

function sayUnclear(all: readonly Unclear[]): void {
  const cut = all.filter(({ how }) => how !== 'died' && how !== 'timed out')
  const inside = cut.filter(({ how }) => insideCommit.has(how)).length
  say(`${cut.length} connections cut, ${inside} after the commit reached the server: ${count(cut, ({ how }) => how)}`)
  say(`what they were about to commit: ${count(cut, ({ statement }) => statement)}`)
  const others = all.filter((one) => !cut.includes(one))
  say(`commits that died with their server, or timed out: ${others.length}: ${count(others, (one) => one.statement)}`)
  say(
    `unclear commits, by whether the database has them: ${count(all, outcomeOf)}; of answers: ${count(all.filter(isAnswer), outcomeOf)}`,
  )
}

function outcomeOf({ hasCommitted }: Unclear): string {
  return hasCommitted === undefined ? 'nothing depends on it' : hasCommitted ? 'committed' : 'not committed'
}

function sayTimes({ listed, served, servedSinceFault, refused }: DatabaseDisruption): void {
  const p99 = (times: Durations) => `p99 ${times.quantileMs(0.99).toFixed(0)} ms`
  say(
    `after the database accepted connections again a list was read: ${p99(listed)}; a new call was answered and ended: ${p99(served)}`,
  )
  say(`the same since the fault: ${p99(servedSinceFault)}; callers got "unavailable" meanwhile: ${p99(refused)}`)
}

function count<T>(list: readonly T[], nameOf: (one: T) => string): string {
  const counts = new Map<string, number>()
  for (const one of list) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1)
  return words(counts)
}

function say(text: string): void {
  console.log(`database: ${text}`)
}
