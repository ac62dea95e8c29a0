// Proof: a cluster survives any number of restarts, and runs for long without growing.
//
// Three replicas as in `prove -- kill`, under a moderate load. Two are restarted in turn, again and again, while the keys
// of sealed state rotate; the third runs all the time and is measured. No call may be lost or fail because of a restart,
// and only the permanent record may grow. ASSENT_PROOF_MINUTES sets another time.

import type { Measurement } from '../../scripts/measurement.ts'
import { type CallEnd, Evidence } from '../cluster/evidence.ts'
import type { ClusterRun } from '../cluster/run-cluster.ts'
import { judged } from '../cluster/verdict.ts'
import { climbing, climbsMissed, slopesOf, words } from './bounds.ts'
import { type LongRun, type LongRunOptions, runLong } from './long-run.ts'
import { callersWithDrainError, judgeRestarts } from './restarts.ts'

const minuteMs = 60_000

export const run: Measurement = async ({ quick, seed }) => {
  const minutes = Number(process.env.ASSENT_PROOF_MINUTES ?? (quick ? 0.2 : 20))
  const missedBugs = quick ? [] : await bugsMissed(seed)
  const pace = quick
    ? { callsPerSecond: 12, sampleEveryMs: 500, restMs: 100, noticeMs: 5_000, leastRotations: 1 }
    : { callsPerSecond: 10, sampleEveryMs: 4_000, restMs: 2_000, noticeMs: 5_000, leastRotations: 1 }
  const clusterRun = await runLong({ seed, forMs: minutes * minuteMs, ...pace })
  const { faults, missed, plantedFaults } = judged(clusterRun, 'soak', quick)
  const { evidence, gateways, disruption } = clusterRun
  const { shutdowns, rotations } = disruption.restarts
  const { stalls } = disruption
  const harmed = judgeRestarts(shutdowns, evidence, gateways, stalls)
  if (stalls.length > 0) say(`the database stalled ${stalls.length} times; calls that it refused do not count`)
  for (const what of harmed.slice(0, 20)) say(`FAULT ${what}`)
  for (const text of gateways.errors.slice(-6)) say(`stderr of a replica: ${text}`)
  const longest = Math.max(...shutdowns.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs))
  const refused = callersWithDrainError(shutdowns, evidence)
  say(
    `${shutdowns.length} restarts, the longest ${longest} ms from the signal to the end; ${rotations} rotations of keys`,
  )
  say(`${refused.length} callers of a waiting 2025 server got an error because a drain was too short`)
  for (const message of new Set(refused.map(({ end }) => (end?.kind === 'error' ? end.message : ''))))
    say(`  "${message}"`)
  const slopes = slopesOf(disruption.samples)
  for (const slope of slopes) say(words(slope))
  const higher = climbing(slopes)
  for (const { name } of higher) say(`FAULT ${name} grows`)
  const plantedHere = missedPlantedFaults(clusterRun)
  for (const one of plantedHere.missed) say(`planted and not found: ${one}`)
  const notFound = missed.length + missedBugs.length + plantedHere.missed.length
  const found = faults.length + harmed.length + higher.length
  return {
    reached: found === 0 && notFound === 0 && shutdowns.length > 0,
    figure: `soak: ${evidence.calls.size.toLocaleString('en')} calls in ${minutes} minutes, ${shutdowns.length} restarts, ${rotations} rotations of keys: ${found} faults, ${higher.length} of ${slopes.length} measures climb; ${plantedFaults}, ${plantedHere.planted - plantedHere.missed.length}/${plantedHere.planted} of climbs and restarts`,
  }
}

/** Runs with a planted bug, each of which must be found. */
async function bugsMissed(seed: number): Promise<string[]> {
  const short = {
    seed,
    forMs: (minuteMs * 2) / 3,
    callsPerSecond: 60,
    sampleEveryMs: 1_000,
    restMs: 300,
    noticeMs: 800,
    leastRotations: 0,
  }
  const missed: string[] = []
  const expect = (name: string, found: readonly string[], wanted: number) => {
    say(`${name}: ${found.length} found${found.length > 0 ? `, such as: ${found[0]}` : ''}`)
    if (found.length < wanted) missed.push(name)
  }
  for (const mistake of ['kills instead of stopping', 'seals with a new key too early'] as const) {
    const { evidence, gateways, disruption } = await runLong({ ...short, mistake })
    const harmed = judgeRestarts(disruption.restarts.shutdowns, evidence, gateways, disruption.stalls)
    expect(
      `restarts with the bug: ${mistake}`,
      harmed.filter((what) => /^t\d/.test(what)),
      1,
    )
  }
  const leaky: LongRunOptions = { ...short, forMs: minuteMs, isLeaky: true, isUntidy: true }
  const { disruption } = await runLong(leaky)
  const found = climbing(slopesOf(disruption.samples))
  const leaks = ['heap after collection', 'open files', 'sockets', 'timers', 'rows in deferred_calls', 'rows in calls']
  for (const name of leaks)
    expect(`a cluster that leaks: ${name}`, found.filter((one) => one.name === name).map(words), 1)
  return missed
}

/** False evidence: rises in the measurements, and restarts that break calls. */
function missedPlantedFaults({ evidence, disruption }: ClusterRun<LongRun>): {
  planted: number
  missed: readonly string[]
} {
  const climbs = climbsMissed(disruption.samples)
  const { shutdowns } = disruption.restarts
  const faultsIn = (of: Evidence, kills = 0, all = shutdowns) => judgeRestarts(all, of, { kills }, disruption.stalls)
  const call = [...evidence.calls.values()].find(({ server, end }) => server === 'new' && end?.kind === 'result')
  const [first] = shutdowns
  if (call === undefined || first === undefined) return { ...climbs, missed: [...climbs.missed, 'nothing to plant in'] }
  const ending = (end: CallEnd) =>
    Object.assign(new Evidence(), evidence, { calls: new Map(evidence.calls).set(call.ticket, { ...call, end }) })
  const truth = faultsIn(evidence).length
  const plantedFaults: readonly (readonly [string, string[]])[] = [
    ['a call is broken off', faultsIn(ending({ kind: 'broken', last: 'planted' }))],
    ['a state is refused', faultsIn(ending({ kind: 'error', message: 'not valid' }))],
    ['a replica dies', faultsIn(evidence, 1)],
    ['a replica has to be killed', faultsIn(evidence, 0, [{ ...first, code: null, saidSo: true }, ...shutdowns])],
  ]
  const missed = plantedFaults.filter(([, found]) => found.length !== truth + 1).map(([name]) => name)
  return { planted: climbs.planted + plantedFaults.length, missed: [...climbs.missed, ...missed] }
}

function say(text: string): void {
  console.log(`soak: ${text}`)
}
