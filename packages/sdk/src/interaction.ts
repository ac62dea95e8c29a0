// What a handler gets in place of the SDK's context: `ask`, `step`, `gate`, and the context itself.

import { type Ask, askOf } from './ask/ask.ts'
import * as describe from './ask/describe.ts'
import { actionOf, type Named } from './gate/action.ts'
import { type Gate, gateOf } from './gate/gate.ts'
import type { Run } from './run/run.ts'
import { secretOf } from './secrets/secret-of.ts'
import type { World } from './world.ts'

export interface Interaction<Context = unknown> {
  readonly ask: Ask
  /** Does something once, however often the handler runs, and keeps its result, which must be JSON. */
  readonly step: Step
  /** Runs something only after a person approved exactly it, and only once for that approval. */
  readonly gate: Gate
  /** Aborts when the caller cancels. */
  readonly signal: AbortSignal
  /** What the SDK passed. */
  readonly context: Context
}

export type Step = <Value>(name: string, work: () => Value | Promise<Value>) => Promise<Value>

export interface Parts<Context> {
  readonly run: Run
  readonly world: World
  readonly named: Named
  readonly principal: string
  readonly signal: AbortSignal
  readonly context: Context
}

export function interactionOf<Context>(parts: Parts<Context>): Interaction<Context> {
  const { run, named, signal, context } = parts
  let pages = 0
  const ask = askOf({
    run,
    secret: (description) => {
      pages++
      return secretOf(description, `secret ${pages}`, parts)
    },
    approval: (title, action, settings) => describe.approve(title, actionOf(named, title, action), settings),
  })
  // What was kept is what the work returned, as JSON gives it back; a result that JSON cannot hold has been refused.
  const step: Step = async (name, work) => (await run.once(name, work)) as Awaited<ReturnType<typeof work>>
  return { ask, step, gate: gateOf(parts), signal, context }
}
