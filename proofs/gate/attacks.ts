// Attacks that change something between an approval and its use, one per class.
//
// Each attack restores the approval, so that it can be attacked again. No attack may run anything. `expected` names the
// check that should have stopped it.

import type { JsonObject, JsonValue } from '@assent/core'
import type { SeededRandom } from '../../test-kit/random.ts'
import { altered, lookAlike } from '../seal/changes.ts'
import { respell } from '../seal/values.ts'
import { type Approval, approveAnswer, type Changeable, useWithinMs, waitMs } from './test-env.ts'

interface Attacked {
  readonly ended: string
  readonly expected: readonly string[]
}

export type Attack = (approval: Approval, other: Approval, random: SeededRandom) => Promise<Attacked>

/** On 2026-07-28: the state of an approval is sent back with its yes, with one change. */
export const attacksWithState: Readonly<Record<string, Attack>> = {
  'another server': stopped(['out_of_order'], (approval) => approval.retry({ asServer: 'server-x' })),
  'another tool': stopped(['state_refused'], (approval, _, random) =>
    approval.retry({ asTool: lookAlike(String(approval.definition.name), random) }),
  ),
  'another definition': stopped(['out_of_order'], (approval, _, random) => {
    const { name, ...rest } = approval.definition
    return withChange(approval, { definition: { ...(altered(rest, random) as JsonObject), name: name as string } })
  }),
  'other arguments': stopped(['out_of_order'], (approval, _, random) =>
    withChange(approval, { arguments: altered(approval.arguments, random) }),
  ),
  'other arguments by a duplicate name': stopped(['out_of_order'], (approval, _, random) =>
    withChange(approval, { arguments: JSON.parse(withNameTwice(approval.arguments, random)) as JsonValue }),
  ),
  'arguments that are not JSON': stopped(['not_canonical'], (approval, _, random) =>
    withChange(approval, { arguments: { ...approval.arguments, more: random.pick(notJson)() } }),
  ),
  'another person': stopped(['state_refused'], (approval, _, random) =>
    approval.retry({ sub: random.pick(['eve', 'Ann', 'ann ', 'ann\u200b']) }),
  ),
  'the state of another approval': stopped(['state_refused', 'out_of_order'], (approval, other) =>
    approval.retry({ state: other.state }),
  ),
  'a changed state': stopped(['state_refused'], (approval, _, random) =>
    approval.retry({ state: flipped(approval.state, random) }),
  ),
  'no yes in the answer': stopped(['validation_failed', 'declined', 'cancelled'], (approval, _, random) =>
    approval.retry({ answer: random.pick(notYes) }),
  ),
  'a yes after the wait': stopped(['timed_out'], (approval, _, random) =>
    later(approval, waitMs + random.int(60_000), () => approval.retry({})),
  ),
  'a yes after the state has expired': stopped(['state_refused'], (approval, _, random) =>
    later(approval, waitMs + 60 * 60_000 + random.int(1e9), () => approval.retry({})),
  ),
}

/** Where the handler waits: something changes in its own process while the person decides. */
export const attacksWhileDeciding: Readonly<Record<string, Attack>> = {
  'arguments replaced while deciding': stopped(['grant_refused'], (approval, _, random) =>
    approval.live((asked) => {
      asked.arguments = altered(approval.arguments, random) as JsonObject
    }),
  ),
  'arguments changed in place while deciding': stopped(['grant_refused'], (approval, _, random) => {
    const given = structuredCopy(approval.arguments)
    const changed = altered(approval.arguments, random) as JsonObject
    return withNow(approval, { arguments: given }, () => approval.live(() => overwrite(given, changed)))
  }),
  'arguments with getters that return other values while deciding': stopped(['step_failed'], (approval, _, random) =>
    approval.live((asked: Changeable) => {
      asked.arguments = { ...approval.arguments, more: random.pick(notJson)() } as JsonObject
    }),
  ),
  'definition changed while deciding': stopped(['grant_refused'], (approval, _, random) => {
    const { name, ...rest } = approval.definition
    const changed = { ...(altered(rest, random) as JsonObject), name: name as string }
    let current: JsonObject = approval.definition
    return withNow(approval, { definition: () => current }, () =>
      approval.live(() => {
        current = changed
      }),
    )
  }),
  'definition gone while deciding': stopped(['step_failed'], (approval) => {
    let isGone = false
    const definition = () => {
      if (isGone) throw new Error('Unknown tool.')
      return approval.definition
    }
    return withNow(approval, { definition }, () =>
      approval.live(() => {
        isGone = true
      }),
    )
  }),
  'used too late': stopped(['grant_refused'], (approval, _, random) =>
    jumping(approval, useWithinMs + random.int(1e6), () => approval.live(() => undefined)),
  ),
  'used before it was given': stopped(['grant_refused'], (approval, _, random) =>
    jumping(approval, -1 - random.int(1e6), () => approval.live(() => undefined)),
  ),
}

function stopped(
  expected: readonly string[],
  attempt: (approval: Approval, other: Approval, random: SeededRandom) => Promise<string>,
): Attack {
  return async (approval, other, random) => ({ ended: await attempt(approval, other, random), expected })
}

type Change = { readonly definition: JsonObject } | { readonly arguments: unknown }

function withChange(approval: Approval, change: Change): Promise<string> {
  const now = 'definition' in change ? { definition: () => change.definition } : change
  return withNow(approval, now, () => approval.retry({}))
}

async function withNow(
  approval: Approval,
  now: Partial<Approval['now']>,
  attempt: () => Promise<string>,
): Promise<string> {
  const before = approval.now
  approval.now = { ...before, ...now }
  try {
    return await attempt()
  } finally {
    approval.now = before
  }
}

async function later({ clock }: Approval, byMs: number, attempt: () => Promise<string>): Promise<string> {
  clock.nowMs += byMs
  try {
    return await attempt()
  } finally {
    clock.nowMs -= byMs
  }
}

/** The clock is right up to the yes, and wrong for its use. */
async function jumping({ clock }: Approval, byMs: number, attempt: () => Promise<string>): Promise<string> {
  // One reading for the call's id, one for the ask's id, one for the time of the answer.
  clock.jump = { after: 3, byMs }
  try {
    return await attempt()
  } finally {
    clock.jump = undefined
  }
}

const notYes: readonly unknown[] = [
  { action: 'accept' },
  { action: 'accept', content: null },
  { action: 'accept', content: {} },
  { action: 'accept', content: { decision: 'decline' } },
  { action: 'accept', content: { decision: 'Approve' } },
  { action: 'accept', content: { decision: ['approve'] } },
  { action: 'accept', content: { decision: 'approve', other: 1 } },
  { action: 'accept', content: [approveAnswer.content] },
  { action: 'ACCEPT', content: approveAnswer.content },
  { action: 'decline', content: approveAnswer.content },
  { action: 'cancel', content: approveAnswer.content },
  [approveAnswer],
  'accept',
  null,
  true,
]

const notJson: readonly (() => unknown)[] = [
  () => undefined,
  () => Number.NaN,
  () => new Date(0),
  () => 1n,
  () => Symbol('x'),
  () => () => 1,
  () => new Map([['a', 1]]),
  () => '\ud800',
  () => new (class Instance {})(),
  () => Object.defineProperty({}, 'env', { get: () => 'test', enumerable: true }),
  () => Array(3),
]

/** Valid JSON text with a duplicate name: first the approved value, then another one. */
function withNameTwice(given: JsonObject, random: SeededRandom): string {
  const entries = Object.entries(given)
  const [name, value]: readonly [string, JsonValue] = entries.length === 0 ? ['a', null] : random.pick(entries)
  const twice = `${respell(name, random)}:${respell(altered(value, random), random)}`
  const text = respell(given, random)
  const body = text.slice(1, text.lastIndexOf('}')).trimEnd()
  return body.trim() === '' ? `{${twice}}` : `{${body},${twice}}`
}

function flipped(state: string, random: SeededRandom): string {
  const at = random.int(state.length)
  const character = random.pick(['A', 'B', '_', '9', '.', ''])
  return state[at] === character ? `${state}A` : state.slice(0, at) + character + state.slice(at + 1)
}

function structuredCopy(given: JsonObject): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(given))
}

function overwrite(target: Record<string, JsonValue>, changed: JsonObject): void {
  for (const name of Object.keys(target)) delete target[name]
  for (const [name, value] of Object.entries(changed)) {
    // With defineProperty, because a member may be called __proto__.
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
  }
}
