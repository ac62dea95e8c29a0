// Proof: onboarding never leaves a repository in an unwanted state that cannot be repaired.
//
// A migration and a rollback run in a separate process and are killed at every named point: afterwards the tree is the old
// one, the new one, or one that `status` explains, and a rollback restores the old one byte for byte. A file or plan that
// changes between the approval and the last rename is never migrated; changes without an effect do not prevent it. Of
// several processes at once only one migrates. Nothing is skipped without a person.

import type { Measurement } from '../../scripts/measurement.ts'
import { seededRandom } from '../../test-kit/random.ts'
import { changeAfterApproval } from './changes.ts'
import { killEverywhere } from './kills.ts'
import { comeTogether, skipAlone } from './together.ts'

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const kills = await killEverywhere(quick)
  console.log(
    `killed: ${kills.tried} times at ${kills.points} named points; old ${kills.old}, new ${kills.new}, explained and repaired ${kills.repaired}`,
  )
  const changes = await changeAfterApproval(random, quick ? 30 : 1_000, quick ? 6 : 100)
  console.log(
    `changed after the approval: ${changes.tried} tried, ${changes.refused} refused; ${JSON.stringify(changes.by)}`,
  )
  console.log(`changed nothing: ${changes.harmless} tried, ${changes.migrated} migrated`)
  const together = await comeTogether(quick ? 2 : 20, 3)
  console.log(
    `together: ${together.rounds} rounds of 3 processes, ${together.won} with one winner, ${together.more} with more`,
  )
  const skips = await skipAlone()
  console.log(`skip without a person: ${skips.tried} tried, ${skips.refused} refused`)

  const wrong = [...kills.wrong, ...changes.wrong, ...together.wrong, ...skips.wrong]
  for (const words of wrong.slice(0, 20)) console.log(`  wrong: ${words}`)
  const reached =
    wrong.length === 0 &&
    kills.points >= 20 &&
    kills.repaired > 0 &&
    changes.refused === changes.tried &&
    changes.migrated === changes.harmless &&
    together.won === together.rounds &&
    skips.refused === skips.tried
  const figure =
    `onboarding: killed ${kills.tried} times at ${kills.points} points, ${kills.wrong.length} not repaired; ` +
    `${changes.refused} of ${changes.tried} changes after approval refused; ` +
    `${together.more} double migrations in ${together.rounds} races; ` +
    `${skips.refused} of ${skips.tried} skips without a person refused`
  return { reached, figure }
}
