// Proof: the code behind a gate runs only for the approved action, once, in time, and for the person who approved.
//
// Each approval is attacked with everything that can change between the yes and the run, on both generations, and then
// used with the same action spelled in another way, which must work, and a second time, which must not. The run fails
// when anything ran that should not have, when something harmless was refused, when a class was never tried, or when
// an attack was stopped by another check than the one it was made for.

import type { Measurement } from '../../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { count, printTable, type Tally, tally, total } from '../seal/tally.ts'
import { type Attack, attacksWhileDeciding, attacksWithState } from './attacks.ts'
import { type Approval, approveOnce, createClock } from './test-env.ts'

const attacksEach = 3

export const run: Measurement = async ({ quick, seed }) => {
  const random = seededRandom(seed)
  const share = quick ? 0.01 : 1
  const withState = tallies(attacksWithState)
  const whileDeciding = tallies(attacksWhileDeciding)
  const secondUse = tally('used a second time')
  const harmless = tally('the same action, spelled in another way')

  const clock = createClock()
  let before = await approveOnce(random, clock)
  const approvals = 100_000 * share
  for (let n = 0; n < approvals; n++) {
    const approval = await approveOnce(random, clock)
    const isAttacked = n % 5 === 0
    if (isAttacked) {
      for (let times = 0; times < attacksEach; times++) {
        for (const each of withState) await attack(each, approval, before, random)
      }
    }
    await useHarmlessly(approval, harmless, random)
    if (isAttacked) await useAgain(approval, secondUse)
    before = approval
  }
  for (let n = 0; n < 50_000 * share; n++) {
    if (n % 20 === 0) before = await approveOnce(random, clock)
    for (const each of whileDeciding) await attack(each, before, before, random)
  }

  const bad = [...withState, ...whileDeciding].map((each) => each.tally).concat(secondUse)
  printTable('changes after the approval', bad, 'ran', 'odd')
  printTable('harmless', [harmless], 'refused', 'odd')
  const reached = [...bad, harmless].every(({ tried, wrong, odd }) => tried > 0 && wrong === 0 && odd === 0)
  const figure =
    `gate: ${count(total(bad).tried)} changes after approval, ${total(bad).wrong} ran, ${total(bad).odd} odd refusals; ` +
    `${count(harmless.tried)} harmless respellings, ${harmless.wrong} refused`
  return { reached, figure }
}

interface Judged {
  readonly attack: Attack
  readonly tally: Tally
}

function tallies(attacks: Readonly<Record<string, Attack>>): Judged[] {
  return Object.entries(attacks).map(([name, attack]) => ({ attack, tally: tally(name) }))
}

async function attack(
  { attack, tally }: Judged,
  approval: Approval,
  other: Approval,
  random: SeededRandom,
): Promise<void> {
  const ranBefore = approval.ran
  tally.tried += 1
  const { ended, expected } = await attack(approval, other, random)
  if (approval.ran !== ranBefore) tally.wrong += 1
  else if (!expected.includes(ended)) tally.odd += 1
}

async function useHarmlessly(approval: Approval, into: Tally, random: SeededRandom): Promise<void> {
  into.tried += 1
  const ended = await approval.retryRespelled(random)
  if (approval.ran !== 1) into.wrong += 1
  else if (ended !== 'ran') into.odd += 1
}

async function useAgain(approval: Approval, into: Tally): Promise<void> {
  into.tried += 1
  const ended = await approval.retry({})
  if (approval.ran !== 1) into.wrong += 1
  else if (ended !== 'grant_refused') into.odd += 1
}
