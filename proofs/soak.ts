// Proof: a fleet can be restarted for ever, and lives for long without growing.
//
// Three replicas as in `prove -- kill`, under a moderate load. Two are told to stop in turn, again and again, while the keys of
// sealed state rotate; the third lives through it all and is weighed. No call may be lost or break by a restart, and nothing
// may grow that is not the record. ASSENT_PROOF_MINUTES sets another time.

import type { Measurement } from '../scripts/measurement.ts'
import { type CallEnd, Evidence } from './fleet-evidence.part.ts'
import type { World } from './fleet-life.part.ts'
import { judged } from './fleet-verdict.part.ts'
import { climbing, climbsMissed, slopesOf, words } from './soak-bounds.part.ts'
import { type Life, type LongLife, liveLong } from './soak-life.part.ts'
import { judgeRestarts, wereTold } from './soak-restarts.part.ts'

const minuteMs = 60_000

export const run: Measurement = async ({ quick, seed }) => {
  const minutes = Number(process.env.ASSENT_PROOF_MINUTES ?? (quick ? 0.2 : 20))
  const missedBugs = quick ? [] : await bugsMissed(seed)
  const pace = quick
    ? { callsPerSecond: 12, sampleEveryMs: 500, restMs: 100, noticeMs: 2_000, leastRotations: 1 }
    : { callsPerSecond: 10, sampleEveryMs: 4_000, restMs: 2_000, noticeMs: 5_000, leastRotations: 1 }
  const world = await liveLong({ seed, forMs: minutes * minuteMs, ...pace })
  const { faults, missed, lies } = judged(world, 'soak', quick)
  const { evidence, fleet, trouble } = world
  const { departures, rotations } = trouble.restarts
  const harmed = judgeRestarts(departures, evidence, fleet)
  for (const what of harmed.slice(0, 20)) say(`FAULT ${what}`)
  for (const text of fleet.errors.slice(-6)) say(`a replica said: ${text}`)
  const longest = Math.max(...departures.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs))
  const told = wereTold(departures, evidence)
  say(
    `${departures.length} restarts, the longest ${longest} ms from the signal to the end; ${rotations} rotations of keys`,
  )
  say(`${told.length} callers whose 2025 server waited were told so when a drain was too short for them`)
  for (const message of new Set(told.map(({ end }) => (end?.kind === 'told' ? end.message : '')))) say(`  "${message}"`)
  const slopes = slopesOf(trouble.samples)
  for (const slope of slopes) say(words(slope))
  const higher = climbing(slopes)
  for (const { name } of higher) say(`FAULT ${name} climb`)
  const ownLies = ownLiesMissed(world)
  for (const one of ownLies.missed) say(`planted and not found: ${one}`)
  const notFound = missed.length + missedBugs.length + ownLies.missed.length
  const found = faults.length + harmed.length + higher.length
  return {
    reached: found === 0 && notFound === 0 && departures.length > 0,
    figure: `soak: ${evidence.calls.size.toLocaleString('en')} calls in ${minutes} minutes, ${departures.length} restarts, ${rotations} rotations of keys: ${found} faults, ${higher.length} of ${slopes.length} measures climb; ${lies}, ${ownLies.planted - ownLies.missed.length}/${ownLies.planted} of climbs and restarts`,
  }
}

/** Lives with a bug in them, each of which must be found. */
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
  for (const mistake of ['cut off', 'hasty with keys'] as const) {
    const { evidence, fleet, trouble } = await liveLong({ ...short, mistake })
    const harmed = judgeRestarts(trouble.restarts.departures, evidence, fleet)
    expect(
      `restarts that are ${mistake}`,
      harmed.filter((what) => /^t\d/.test(what)),
      1,
    )
  }
  const leaky: Life = { ...short, forMs: minuteMs, isLeaky: true, isUntidy: true }
  const { trouble } = await liveLong(leaky)
  const found = climbing(slopesOf(trouble.samples))
  const leaks = ['heap after collection', 'open files', 'sockets', 'timers', 'rows in deferred_calls', 'rows in calls']
  for (const name of leaks)
    expect(`a fleet that lets go of nothing: ${name}`, found.filter((one) => one.name === name).map(words), 1)
  return missed
}

/** Climbs in what was measured, and restarts that harm someone. */
function ownLiesMissed({ evidence, trouble }: World<LongLife>): { planted: number; missed: readonly string[] } {
  const climbs = climbsMissed(trouble.samples)
  const { departures } = trouble.restarts
  const call = [...evidence.calls.values()].find(({ server, end }) => server === 'new' && end?.kind === 'result')
  const [first] = departures
  if (call === undefined || first === undefined) return { ...climbs, missed: [...climbs.missed, 'nothing to plant in'] }
  const ending = (end: CallEnd) =>
    Object.assign(new Evidence(), evidence, { calls: new Map(evidence.calls).set(call.ticket, { ...call, end }) })
  const truth = judgeRestarts(departures, evidence, { kills: 0 }).length
  const lies: readonly (readonly [string, string[]])[] = [
    ['a call is broken off', judgeRestarts(departures, ending({ kind: 'broken', last: 'planted' }), { kills: 0 })],
    ['a state is refused', judgeRestarts(departures, ending({ kind: 'told', message: 'not valid' }), { kills: 0 })],
    ['a replica dies', judgeRestarts(departures, evidence, { kills: 1 })],
    [
      'a replica has to be killed',
      judgeRestarts([{ ...first, code: null, saidSo: true }, ...departures], evidence, { kills: 0 }),
    ],
  ]
  const missed = lies.filter(([, found]) => found.length !== truth + 1).map(([name]) => name)
  return { planted: climbs.planted + lies.length, missed: [...climbs.missed, ...missed] }
}

function say(text: string): void {
  console.log(`soak: ${text}`)
}
