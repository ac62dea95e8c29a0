// Proof: onboarding never leaves a repository in a state that nobody asked for and nobody can mend.
//
// A migration and a rollback are killed at every named point in a process of their own: afterwards the tree is the old
// one, the new one, or one that status explains, and a rollback brings the old one back byte for byte. A file or a plan
// that changes at any moment between the approval and the last rename is never migrated, and changes that change nothing
// are. Processes that migrate together never both do. Nobody skips without a person.

import type { Measurement } from '../scripts/measurement.ts'
import { changeAfterApproval } from './onboarding-changes.part.ts'
import { killEverywhere } from './onboarding-kills.part.ts'
import { comeTogether, skipAlone } from './onboarding-together.part.ts'
import { seededRandom } from './random.part.ts'

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const kills = await killEverywhere(quick)
  console.log(
    `killed: ${kills.tried} times at ${kills.points} named points; old ${kills.old}, new ${kills.new}, explained and mended ${kills.mended}`,
  )
  const changes = await changeAfterApproval(random, quick ? 60 : 1_000, quick ? 10 : 100)
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
    kills.mended > 0 &&
    changes.refused === changes.tried &&
    changes.migrated === changes.harmless &&
    together.won === together.rounds &&
    skips.refused === skips.tried
  const figure =
    `onboarding: killed ${kills.tried} times at ${kills.points} points, ${kills.wrong.length} not mended; ` +
    `${changes.refused} of ${changes.tried} changes after approval refused; ` +
    `${together.more} double migrations in ${together.rounds} races; ${skips.refused} of ${skips.tried} lone skips refused`
  return { reached, figure }
}
