// What a handler gets in place of the SDK's context: `ask`, `step`, `gate`, and the context itself.

import { AssentError } from '@assent/core'
import { type Ask, createAsk } from './ask/ask.ts'
import * as describe from './ask/describe.ts'
import type { Run } from './ask/run.ts'
import { pageStepPrefix, type StepContext, type StepOptions } from './ask/step.ts'
import type { ToolInput } from './ask/tool-input.ts'
import { actionOf, type ToolIdentity } from './gate/action.ts'
import { createGate, type Gate } from './gate/gate.ts'
import { fingerprintOf } from './journal/journal.ts'
import type { Jsonify } from './run/jsonify.ts'
import { askForSecret } from './secrets/ask-for-secret.ts'
import type { ServerContext } from './server/server-context.ts'

export interface Interaction<Context = unknown> {
  readonly ask: Ask
  /** Does something once, however often the handler runs, and keeps its result as JSON. */
  readonly step: Step
  /** Runs something only after a person approved exactly it, and only once for that approval. */
  readonly gate: Gate
  /** Aborts when the caller cancels. */
  readonly signal: AbortSignal
  /** The context that the MCP SDK passed. */
  readonly context: Context
}

export type Step = <Value>(
  name: string,
  work: (context: StepContext) => Value | PromiseLike<Value>,
  options?: StepOptions,
) => Promise<Jsonify<Awaited<Value>>>

export interface InteractionParts<Context> {
  readonly run: Run
  readonly serverContext: ServerContext
  readonly identity: ToolIdentity
  readonly principal: string
  readonly input: ToolInput
  readonly signal: AbortSignal
  readonly context: Context
}

export function createInteraction<Context>(parts: InteractionParts<Context>): Interaction<Context> {
  const { run, identity, input, signal, context } = parts
  const pages = new Map<string, number>()
  const ask = createAsk({
    run,
    input,
    secret: (description) => {
      // By its question and not by its position: parallel branches may take turns differently in each round.
      const page = fingerprintOf(description)
      const count = (pages.get(page) ?? 0) + 1
      pages.set(page, count)
      return askForSecret(description, `${pageStepPrefix}${page} ${count}`, parts)
    },
    approval: (title, action, settings) => describe.approve(title, actionOf(identity, title, action), settings),
  })
  // The stored result is what the work returned, after JSON.
  const step: Step = (name, work, options) =>
    run.promises.guard(
      { kind: 'step', label: name },
      async () => (await run.once(name, work, options)) as Jsonify<Awaited<ReturnType<typeof work>>>,
    )
  const interaction = { ask, step, gate: createGate(parts), signal, context }
  runs.set(interaction, run)
  return interaction
}

const runs = new WeakMap<object, Run>()

/** The run behind an interaction, for the SDK's own wrappers of handlers. */
export function runOf(interaction: object): Run {
  const run = runs.get(interaction)
  if (run !== undefined) return run
  throw new AssentError('misconfigured', 'A handler gets its interaction from Assent: register it, or wrap it.')
}
