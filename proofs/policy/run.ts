// Proof: policies decide as they are written, whatever the arguments are.
//
// Generated policy sets decide generated calls, hostile arguments included. Every decision, with the policies that made
// it, must be that of a second evaluator in plain TypeScript. A tool that is hidden from a person must be denied to them.
// Planted mistakes must all be found.

import type { Measurement } from '../../scripts/measurement.ts'
import { compareDecisions, missedMistakes } from './decisions.ts'
import { plantedMistakes } from './planted.ts'

const sizes = {
  full: { sets: 4_000, callsPerSet: 30 },
  quick: { sets: 150, callsPerSet: 25 },
} as const

/** For each planted mistake, at most; the comparison ends with the first difference. */
const plantedSets = 400

export const run: Measurement = async ({ quick, seed }) => {
  const { sets, callsPerSet } = sizes[quick ? 'quick' : 'full']
  const tally = await compareDecisions(seed, sets, callsPerSet)
  for (const [effect, count] of Object.entries(tally.effects)) console.log(`policy: ${count} calls: ${effect}`)
  console.log(`policy: ${tally.hidden} calls of tools that the person's list leaves out`)
  const missed = await missedMistakes(seed + 1, plantedSets, callsPerSet)
  for (const name of missed) console.log(`policy: not found: ${name}`)
  const isVaried = ['allow', 'ask', 'forbidden', 'failed', 'not-permitted'].every(
    (effect) => (tally.effects[effect] ?? 0) > tally.calls / 100,
  )
  const reached =
    tally.differences === 0 && tally.wronglyHidden === 0 && tally.hidden > 0 && missed.length === 0 && isVaried
  const figure =
    `policy: ${tally.calls} calls against ${tally.sets} policy sets, ${tally.differences} decisions differ, ` +
    `${tally.wronglyHidden} of ${tally.hidden} hidden tools could be called, ` +
    `${plantedMistakes.length - missed.length} of ${plantedMistakes.length} planted mistakes found`
  return { reached, figure }
}
