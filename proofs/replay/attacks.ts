// What a client can do with its states, other than send each back once with its answers.

import type { SeededRandom } from '../../test-kit/random.ts'
import { type Tally, tally } from '../seal/tally.ts'
import { type Called, type caller, type Left, outcomeOf, type Served } from './calls.ts'

export type Attacks = Readonly<Record<'tampered' | 'user' | 'arguments' | 'tool' | 'again' | 'kept' | 'atOnce', Tally>>

export function createAttacks(): Attacks {
  return {
    tampered: tally('changed in some character, cut or extended'),
    user: tally('sent by another person'),
    arguments: tally('sent with other arguments'),
    tool: tally('sent to another tool'),
    again: tally('sent again: no gate opens again'),
    kept: tally('sent again, with a store: nothing happens again'),
    atOnce: tally('sent several times at once, with a store'),
  }
}

/** Makes one attack of each kind on a random state of this call. */
export async function attackState(served: Served, random: SeededRandom, attacks: Attacks): Promise<void> {
  if (served.left.length === 0) return
  const left = random.pick(served.left)
  await expectRefused(served, attacks.tampered, { ...left, state: tampered(left.state, random) }, {})
  await expectRefused(served, attacks.user, left, { sub: random.pick(['eve', 'Ann', 'ann ', '']) })
  await expectRefused(served, attacks.arguments, left, { args: random.pick(otherArguments) as typeof caller.args })
  await expectRefused(served, attacks.tool, left, { tool: random.pick(['Tool', 'tool_', 'other']) })
  await noGateAgain(served, attacks.again, random.pick(served.left))
}

const otherArguments: readonly object[] = [{ env: 'Test' }, { env: 'test', more: null }, {}, { env: ['test'] }]

async function expectRefused(served: Served, into: Tally, left: Left, by: Partial<typeof caller>): Promise<void> {
  const before = served.effects.total
  into.tried += 1
  const round = await served.round(left, by)
  if (served.effects.total !== before || (typeof round !== 'string' && round.state !== undefined)) into.wrong += 1
  else if (!outcomeOf(round).startsWith('state_refused')) into.odd += 1
}

/** Without a store a step after an old state runs again, which is documented; code behind a gate does not. */
async function noGateAgain(served: Served, into: Tally, left: Left): Promise<void> {
  into.tried += 1
  await served.round(left)
  for (const [name, times] of served.effects.counts) if (name.startsWith('g') && times > 1) into.wrong += 1
}

/** With a store: every state again, in any order, with its own answers and with others; then several at once. */
export async function bringBack(served: Served, called: Called, random: SeededRandom, attacks: Attacks): Promise<void> {
  const before = served.effects.total
  for (let times = 0; times < 3 && served.left.length > 0; times++) {
    const left = random.pick(served.left)
    attacks.kept.tried += 1
    const round = await served.round(random.int(2) === 0 ? left : { ...left, answers: otherAnswers(left, random) })
    if (served.effects.total !== before) attacks.kept.wrong += 1
    // The last state always leads to the same result, whatever was answered this time.
    else if (left === served.left.at(-1) && outcomeOf(round) !== called.outcome) attacks.kept.odd += 1
  }
  const last = served.left.at(-1)
  if (last === undefined) return
  attacks.atOnce.tried += 1
  await Promise.all([last, ...served.left].map((left) => served.round(left)))
  if (served.effects.total !== before) attacks.atOnce.wrong += 1
}

function otherAnswers({ answers }: Left, random: SeededRandom): Left['answers'] {
  const others = [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { decision: 'approve' } },
    null,
  ]
  return Object.fromEntries(Object.keys(answers).map((key) => [key, random.pick(others)]))
}

function tampered(state: string, random: SeededRandom): string {
  const at = random.int(state.length)
  switch (random.int(3)) {
    case 0:
      return state.slice(0, at)
    case 1:
      return `${state}${random.pick(['A', '.', '=', ' '])}`
    default:
      return `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`
  }
}
