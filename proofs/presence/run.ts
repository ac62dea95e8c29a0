// Proof: an ask that needs presence is accepted only with a passkey of its person over exactly that ask and answer.
//
// Everyone else tries: with a session, a command, the terminal inbox, a client; with signatures that were replayed, moved or
// changed, of other pages, copied keys and keys that the person did not register; by editing the stored action. Then the person
// accepts asks themselves, partly in Chromium with its virtual authenticator, and an independent verifier confirms each stored
// signature. Last, bugs are planted, and the attacks must find each of them.
import type { Measurement } from '../../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { attacks, commandAttack } from './attacks.ts'
import { bugs } from './bugs.ts'
import { editedActions } from './edited-actions.ts'
import { inBrowser } from './in-browser.ts'
import { verifyIndependently } from './independent.ts'
import { throughClients, throughTerminal } from './real-surfaces.ts'
import { openPresenceEnv, type PresenceEnv, tenant } from './test-env.ts'

const sizes = {
  full: {
    each: 340,
    commands: 20,
    legitimate: 900,
    inBrowser: 100,
    fromBrowser: 100,
    edits: 100,
    terminal: 10,
    clients: 20,
  },
  quick: { each: 6, commands: 2, legitimate: 40, inBrowser: 8, fromBrowser: 12, edits: 4, terminal: 1, clients: 1 },
} as const
/** Attempts of each kind against a planted bug. */
const eachAgainstBug = 2

export const run: Measurement = async ({ quick, seed }) => {
  const { each, commands, legitimate, ...real } = quick ? sizes.quick : sizes.full
  const random = seededRandom(seed)
  const env = await openPresenceEnv()
  try {
    const { tried, succeeded } = await attack(env, random, each, true)
    for (let time = 0; time < commands; time++)
      if (await commandAttack(env, random)) succeeded.push('assent asks answer')
    const browser = await inBrowser(env, random, { accepts: real.inBrowser, attempts: real.fromBrowser })
    const edits = await editedActions(random, real.edits)
    const [terminal, clients] = [await throughTerminal(real.terminal), await throughClients(real.clients)]
    const others = [edits, terminal, clients]
    for (const one of [browser, ...others]) succeeded.push(...one.succeeded)
    const attempts = tried + commands + real.fromBrowser + others.reduce((sum, one) => sum + one.tried, 0)
    let { refused } = browser
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
    if (!edits.isRemovalDetected) console.log('presence: audit verify did not report a removed requirement')
    const accepted = legitimate + real.inBrowser
    const isConfirmed = stored >= accepted && valid === stored && changedRefused === changed && changed > 0
    // Without a signature of another page, nothing of a browser was tried.
    const isComplete = browser.signed > 0 && edits.isRemovalDetected
    return {
      reached: succeeded.length + refused + missed.length === 0 && isConfirmed && isComplete && verdict.ok,
      figure:
        `presence: ${attempts.toLocaleString('en')} attempts without presence in ${Object.keys(attacks).length + 7} ways, ` +
        `${succeeded.length} succeeded; ${browser.signed} of them signed by Chromium for another page or without the person, ${browser.unsigned} that it did not sign; ` +
        `${accepted.toLocaleString('en')} of the person, ${real.inBrowser} of them in Chromium, ${refused} refused; ` +
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
