// Proof: an ask that needs presence is accepted only with a passkey of its person over exactly that ask and answer.
//
// Everyone else tries: with a session, a command, a terminal, a client; with signatures that were replayed, moved or changed, of
// other pages, copied keys and keys that the person did not register. Then the person accepts asks themselves, and an
// independent verifier confirms each stored signature. Last, bugs are planted, and the attacks must find each of them.
import type { Measurement } from '../../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { attacks, commandAttack } from './attacks.ts'
import { bugs } from './bugs.ts'
import { verifyIndependently } from './independent.ts'
import { openPresenceEnv, type PresenceEnv, tenant } from './test-env.ts'

const sizes = {
  full: { each: 340, commands: 20, legitimate: 1_000 },
  quick: { each: 8, commands: 2, legitimate: 40 },
} as const
/** Attempts of each kind against a planted bug. */
const eachAgainstBug = 2

export const run: Measurement = async ({ quick, seed }) => {
  const { each, commands, legitimate } = quick ? sizes.quick : sizes.full
  const random = seededRandom(seed)
  const env = await openPresenceEnv()
  try {
    const { tried, succeeded } = await attack(env, random, each, true)
    for (let time = 0; time < commands; time++)
      if (await commandAttack(env, random)) succeeded.push('assent asks answer')
    let refused = 0
    for (let time = 0; time < legitimate; time++) {
      const ask = await env.raise()
      if (!(await env.answer(ask, await env.sign(ask)))) refused++
    }
    const { stored, valid, changed, changedRefused } = await verifyIndependently(env.store)
    const verdict = await env.store.record.verify(tenant)
    const missed = await missedBugs(random)
    for (const one of [...new Set(succeeded)]) console.log(`presence: succeeded: ${one}`)
    if (!verdict.ok) console.log(`presence: audit verify: ${verdict.problems[0].problem}`)
    for (const name of missed) console.log(`presence: planted bug not found: ${name}`)
    const isConfirmed = stored >= legitimate && valid === stored && changedRefused === changed && changed > 0
    return {
      reached: succeeded.length + refused + missed.length === 0 && isConfirmed && verdict.ok,
      figure:
        `presence: ${(tried + commands).toLocaleString('en')} attempts without presence in ${Object.keys(attacks).length + 1} ways, ` +
        `${succeeded.length} succeeded; ${legitimate.toLocaleString('en')} of the person, ${refused} refused; ` +
        `${valid} of ${stored} stored signatures confirmed independently; ${bugs.length - missed.length}/${bugs.length} planted bugs found`,
    }
  } finally {
    await env.close()
  }
}

async function attack(env: PresenceEnv, random: SeededRandom, each: number, isLogged: boolean) {
  const succeeded: string[] = []
  let tried = 0
  for (const [name, attempt] of Object.entries(attacks)) {
    for (let time = 0; time < each; time++) {
      tried++
      // With a planted bug the person's own steps may fail; that does not count as found.
      const isSuccess = isLogged ? await attempt(env, random) : await attempt(env, random).catch(() => false)
      if (isSuccess) succeeded.push(name)
    }
    if (isLogged) console.log(`  ${String(each).padStart(6)} × ${name}`)
  }
  return { tried, succeeded }
}

async function missedBugs(random: SeededRandom): Promise<string[]> {
  const missed: string[] = []
  for (const bug of bugs) {
    const env = await openPresenceEnv(bug)
    try {
      const { succeeded } = await attack(env, random, eachAgainstBug, false)
      console.log(`presence: planted bug "${bug.name}": ${succeeded.length} attempts succeeded`)
      if (succeeded.length === 0) missed.push(bug.name)
    } finally {
      await env.close()
    }
  }
  return missed
}
