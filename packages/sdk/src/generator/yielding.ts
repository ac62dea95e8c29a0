// Handlers as generators that yield their asks.
//
// A yielded ask only describes what to do. The driver here does it with the same `ask`, `step` and `gate` that an async
// handler gets, so the journal is the same, and throws errors into the generator. A new
// generator is started for every run, because a run may start again from the top.

import { AssentError } from '@assent/core'
import type { JsonMembers } from '../ask/json-members.ts'
import type { StepContext, StepOptions } from '../ask/step.ts'
import type { GateAction, GateContext, GateResult } from '../gate/gate.ts'
import type { Interaction } from '../interaction.ts'
import type { Jsonify } from '../run/jsonify.ts'
import { type PlainAsk, performPlain } from './plain-ask.ts'
import { type Perform, performOf, type Yielded, yielded } from './yielded.ts'
import { type YieldedAsk, yieldedAsk } from './yielded-ask.ts'

/** What a generator gets: the same members as an async handler. Use them with `yield*`. */
export interface GeneratorInteraction<Context = unknown> {
  readonly ask: YieldedAsk
  /** Does something once, however often the generator runs, and keeps its result, which must be JSON. */
  readonly step: <Value>(
    name: string,
    work: (context: StepContext) => Value | PromiseLike<Value>,
    options?: StepOptions,
  ) => Yielded<Jsonify<Awaited<Value>>>
  /** Runs something only after a person approved exactly that. */
  readonly gate: <Value, Arguments extends JsonMembers<Arguments>>(
    action: GateAction<Arguments>,
    run: (approved: Readonly<Arguments>, context: GateContext) => Value | PromiseLike<Value>,
    options?: StepOptions,
  ) => Yielded<GateResult<Jsonify<Awaited<Value>>>>
  readonly signal: AbortSignal
  readonly context: Context
}

export type AskingGenerator<Value> =
  | Generator<Yielded | PlainAsk, Value, unknown>
  | AsyncGenerator<Yielded | PlainAsk, Value, unknown>

/**
 * Turns a generator into a handler for `interactive`:
 *
 *     interactive(yielding(function* ({ env }, { ask, step }) {
 *       const region = yield* ask.choose('Which region?', { eu: 'Europe', us: 'United States' })
 *       return yield* step('deploy', () => deploy(env, region))
 *     }))
 *
 * A plain object works too: `const name = yield { ask: 'text', message: 'Name?' }`.
 */
export function yielding<Given extends unknown[] = [], Context = unknown, Result = string>(
  generator: (...given: [...Given, GeneratorInteraction<Context>]) => AskingGenerator<Result>,
): (...given: [...Given, Interaction<Context>]) => Promise<Result> {
  const handler = async (...received: [...Given, Interaction<Context>]): Promise<Result> => {
    const interaction = received.at(-1) as Interaction<Context>
    const given = [...received.slice(0, -1), generatorInteraction(interaction)] as [
      ...Given,
      GeneratorInteraction<Context>,
    ]
    return drive(generator(...given), interaction)
  }
  // A handler without a name is identified by its source text, and all of these would have the same one.
  return Object.defineProperty(handler, 'toString', { value: () => String(generator) })
}

function generatorInteraction<Context>({ signal, context }: Interaction<Context>): GeneratorInteraction<Context> {
  return {
    ask: yieldedAsk,
    step: (name, work, options) => yielded(({ step }) => step(name, work, options)),
    gate: (action, run, options) => yielded(({ gate }) => gate(action, run, options)),
    signal,
    context,
  }
}

async function drive<Result>(running: AskingGenerator<Result>, interaction: Interaction): Promise<Result> {
  let next = await running.next()
  while (next.done !== true) {
    const perform = performOf(next.value) ?? performPlain(next.value)
    if (perform === undefined) throw await stopped(running)
    const done = await outcomeOf(perform, interaction)
    next = done.ok ? await running.next(done.value) : await running.throw(done.error)
  }
  return next.value
}

type PerformResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown }

async function outcomeOf(perform: Perform, interaction: Interaction): Promise<PerformResult> {
  try {
    return { ok: true, value: await perform(interaction) }
  } catch (error) {
    return { ok: false, error }
  }
}

/** Ends the generator instead of throwing into it, so that the author's own `catch` cannot hide the mistake. */
async function stopped(running: AskingGenerator<unknown>): Promise<AssentError> {
  await running.return(undefined)
  return new AssentError(
    'misconfigured',
    'This tool yielded a value that is not an ask, a step or a gate. Yield one of these, as in yield* ask.text(…).',
  )
}
