// Handlers in another spelling: a generator that yields its asks.
//
// A yielded ask is only a description of what to do. The driver here does it with the same `ask`, `step` and `gate` that a
// plain handler gets, so the journal underneath is the same, and throws into the generator what went wrong. The one rule: a
// generator is begun anew for every run, because a run may begin again from the top.

import { AssentError, type JsonObject } from '@assent/core'
import type { GateAction, Gated } from '../gate/gate.ts'
import type { Interaction } from '../interaction.ts'
import { type YieldedAsk, yieldedAsk } from './asks.ts'
import { type Perform, performOf, type Yielded, yielded } from './yielded.ts'

/** What a generator gets in place of a plain handler's interaction: the same things, to be yielded. */
export interface Yielding<Context = unknown> {
  readonly ask: YieldedAsk
  /** Does something once, however often the generator runs, and keeps its result, which must be JSON. */
  readonly step: <Value>(name: string, work: () => Value | Promise<Value>) => Yielded<Value>
  /** Runs something only after a person approved exactly that. */
  readonly gate: <Value, Arguments extends JsonObject>(
    action: GateAction<Arguments>,
    run: (approved: Readonly<Arguments>) => Value | Promise<Value>,
  ) => Yielded<Gated<Value>>
  readonly signal: AbortSignal
  readonly context: Context
}

export type AskingGenerator<Value> = Generator<Yielded, Value, unknown> | AsyncGenerator<Yielded, Value, unknown>

/**
 * Makes a handler for `interactive` of a generator:
 *
 *     interactive(yielding(function* ({ env }, { ask, step }) {
 *       const region = yield* ask.select('Which region?', { eu: 'Europe', us: 'United States' })
 *       return yield* step('deploy', () => deploy(env, region))
 *     }))
 */
export function yielding<Given extends unknown[] = [], Context = unknown, Result = string>(
  generator: (...given: [...Given, Yielding<Context>]) => AskingGenerator<Result>,
): (...given: [...Given, Interaction<Context>]) => Promise<Result> {
  const handler = async (...received: [...Given, Interaction<Context>]): Promise<Result> => {
    const interaction = received.at(-1) as Interaction<Context>
    const given = [...received.slice(0, -1), yieldingOf(interaction)] as [...Given, Yielding<Context>]
    return drive(generator(...given), interaction)
  }
  // A handler without a name is known by its text, and all of these would have the same one.
  return Object.defineProperty(handler, 'toString', { value: () => String(generator) })
}

function yieldingOf<Context>({ signal, context }: Interaction<Context>): Yielding<Context> {
  return {
    ask: yieldedAsk,
    step: (name, work) => yielded(({ step }) => step(name, work)),
    gate: (action, run) => yielded(({ gate }) => gate(action, run)),
    signal,
    context,
  }
}

async function drive<Result>(running: AskingGenerator<Result>, interaction: Interaction): Promise<Result> {
  let next = await running.next()
  while (next.done !== true) {
    const perform = performOf(next.value)
    if (perform === undefined) throw await stopped(running)
    const done = await outcomeOf(perform, interaction)
    next = done.ok ? await running.next(done.value) : await running.throw(done.error)
  }
  return next.value
}

type Performed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown }

async function outcomeOf(perform: Perform, interaction: Interaction): Promise<Performed> {
  try {
    return { ok: true, value: await perform(interaction) }
  } catch (error) {
    return { ok: false, error }
  }
}

/** Ended rather than thrown into: a mistake of the author must not be caught by the author's own `catch`. */
async function stopped(running: AskingGenerator<unknown>): Promise<AssentError> {
  await running.return(undefined)
  return new AssentError(
    'misconfigured',
    'A tool yields asks and steps, such as yield* ask.text(…); what it yielded is neither.',
  )
}
