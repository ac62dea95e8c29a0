// Proof: policies decide as they are written, whatever the arguments are, and a call runs only with the approvals that
// they require.
//
// Decisions: generated policy sets decide generated calls, hostile arguments included. Every decision, with the policies
// that made it, must be that of a second evaluator in plain TypeScript. A tool that is hidden from a person must be denied
// to them.
// Approvals: random people vote on calls through the real gateway, inbox and store; each step must be what a second
// checker expects, which tries every assignment of people (approvals/). Calls about which nothing can be decided must not
// run. Two replicas are killed while people vote.
// Planted mistakes and bugs must all be found.

import type { Measurement } from '../../scripts/measurement.ts'
import { type ApprovalBug, approvalBugs, sessionBugs } from './approvals/bugs.ts'
import { faultBugs, faultRuns, missedFaultBugs } from './approvals/faults.ts'
import { falseEvidence } from './approvals/killed-evidence.ts'
import { killedRuns } from './approvals/killed-runs.ts'
import { runOnce } from './approvals/one-run.ts'
import { approvalRuns, missedBugs } from './approvals/runs.ts'
import { inSession, sessionRun } from './approvals/session-run.ts'
import { compareDecisions, missedMistakes } from './decisions.ts'
import { plantedMistakes } from './planted.ts'

const sizes = {
  full: { sets: 4_000, callsPerSet: 30, approvals: 50_000, sessions: 5_000, faults: 5_000, killed: 300 },
  quick: { sets: 100, callsPerSet: 25, approvals: 250, sessions: 60, faults: 200, killed: 20 },
} as const
type Size = (typeof sizes)[keyof typeof sizes]

/** For each planted mistake, at most; the comparison ends with the first difference. */
const plantedSets = 2_000
/** The same for each planted bug. */
const plantedRuns = 5_000
/** In the quick form what is generated for planted mistakes and bugs is the same each time. */
const quickSeeds = { mistakes: 8, bugs: 5 } as const
export const run: Measurement = async ({ quick, seed }) => {
  const size = sizes[quick ? 'quick' : 'full']
  const decisions = await decisionsProof(seed, size, quick ? quickSeeds.mistakes : seed + 1)
  const approvals = await approvalsProof(seed, size, quick ? quickSeeds.bugs : seed + 5)
  return { reached: decisions.reached && approvals.reached, figure: `policy: ${decisions.figure}; ${approvals.figure}` }
}

async function decisionsProof(seed: number, { sets, callsPerSet }: Size, plantedSeed: number) {
  const tally = await compareDecisions(seed, sets, callsPerSet)
  for (const [effect, count] of Object.entries(tally.effects)) console.log(`policy: ${count} calls: ${effect}`)
  console.log(`policy: ${tally.hidden} calls of tools that the person's list leaves out`)
  const missed = await missedMistakes(plantedSeed, plantedSets, callsPerSet)
  for (const name of missed) console.log(`policy: not found: ${name}`)
  const isVaried = ['allow', 'ask', 'forbidden', 'failed', 'not-permitted'].every(
    (effect) => (tally.effects[effect] ?? 0) > tally.calls / 100,
  )
  const reached =
    tally.differences === 0 && tally.wronglyHidden === 0 && tally.hidden > 0 && missed.length === 0 && isVaried
  const figure =
    `${tally.calls} calls against ${tally.sets} policy sets, ${tally.differences} decisions differ, ` +
    `${tally.wronglyHidden} of ${tally.hidden} hidden tools could be called, ` +
    `${plantedMistakes.length - missed.length} of ${plantedMistakes.length} planted mistakes found`
  return { reached, figure }
}

/** What has to have happened in the runs; the rare ones only in the full form. */
const rareEvents = ['denied at its use', 'used too late', 'ran under other policies']
const events = [
  'ran',
  'declined',
  'expired',
  'denied',
  'asked again',
  'cannot be approved',
  'stale groups',
  'left the groups',
  'definition changed',
  'reloaded',
  'joined',
  'misuse',
  'votes at once',
  'vote refused',
  'the server asked',
]

/** What has to have happened to calls of clients with sessions. */
const sessionEvents = ['ran', 'reloaded']
const rareSessionEvents = [
  'allowed',
  'denied',
  'declined',
  'asked again',
  'ran under other policies',
  'although it is denied now',
  'left',
]

async function approvalsProof(seed: number, size: Size, plantedSeed: number) {
  const tally = await approvalRuns(seed + 2, size.approvals)
  for (const [event, count] of [...tally.events].sort((a, b) => b[1] - a[1]))
    console.log(`policy: ${count} times: ${event}`)
  const expected = size === sizes.full ? [...events, ...rareEvents] : events
  const unseen = expected.filter((event) => !tally.events.has(event))
  for (const event of unseen) console.log(`policy: never: ${event}`)
  const sessions = await approvalRuns(seed + 7, size.sessions, sessionRun)
  for (const [event, count] of sessions.events) console.log(`policy: ${count} times: ${event}`)
  const expectedInSessions = size === sizes.full ? [...sessionEvents, ...rareSessionEvents] : sessionEvents
  const unseenInSessions = expectedInSessions.filter((event) => !sessions.events.has(`${inSession}${event}`))
  for (const event of unseenInSessions) console.log(`policy: never: ${inSession}${event}`)
  const faults = await faultRuns(seed + 3, size.faults)
  for (const [kind, count] of faults.kinds) console.log(`policy: ${count} calls: ${kind}`)
  const killed = await killedRuns(seed + 4, size.killed)
  for (const failure of killed.failures.slice(0, 5)) console.log(`policy: ${failure}`)
  // The full form finds the bugs under the policies that it generates anyway.
  const shaped = ({ early, ...bug }: ApprovalBug) =>
    size === sizes.full || early === undefined ? bug : { ...bug, early }
  const missed = [
    ...killed.missed,
    ...(await missedBugs(plantedSeed, plantedRuns, runOnce, approvalBugs.map(shaped))),
    ...(await missedBugs(plantedSeed, plantedRuns, sessionRun, sessionBugs.map(shaped))),
    ...(await missedFaultBugs(seed + 6)),
  ]
  for (const name of missed) console.log(`policy: not found: ${name}`)
  const planted = approvalBugs.length + sessionBugs.length + faultBugs.length + falseEvidence
  const hasKilled = killed.kills > 0 && killed.ran > killed.runs / 4
  const reached =
    tally.failures === 0 &&
    unseen.length === 0 &&
    sessions.failures === 0 &&
    unseenInSessions.length === 0 &&
    faults.allowed === 0 &&
    killed.failures.length === 0 &&
    hasKilled &&
    missed.length === 0
  const figure =
    `${tally.runs + sessions.runs} approval runs (${sessions.runs} of clients with sessions), ${tally.wronglyRun + sessions.wronglyRun} ran without exactly the required approvals, ` +
    `${tally.excludedCounted + sessions.excludedCounted} approvals of the requester or an excluded person counted, ` +
    `${tally.changedBytes + sessions.changedBytes} ran with changed bytes, ${tally.differences + sessions.differences} other differences; ` +
    `${faults.allowed} of ${faults.calls} calls allowed that could not be decided; ` +
    `${killed.runs} runs with ${killed.kills} kills of 2 replicas (${killed.ran} ran), ${killed.failures.length} wrong; ` +
    `${planted - missed.length} of ${planted} planted bugs found`
  return { reached, figure }
}
