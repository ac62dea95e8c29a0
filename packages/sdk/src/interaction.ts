// What a handler gets in place of the SDK's context: `ask`, `step`, `gate`, and the context itself.

import { type Ask, createAsk } from './ask/ask.ts'
import * as describe from './ask/describe.ts'
import type { Run } from './ask/run.ts'
import { actionOf, type ToolIdentity } from './gate/action.ts'
import { createGate, type Gate } from './gate/gate.ts'
import { askForSecret } from './secrets/ask-for-secret.ts'
import type { ServerContext } from './server/server-context.ts'

export interface Interaction<Context = unknown> {
  readonly ask: Ask
  /** Does something once, however often the handler runs, and keeps its result, which must be JSON. */
  readonly step: Step
  /** Runs something only after a person approved exactly it, and only once for that approval. */
  readonly gate: Gate
  /** Aborts when the caller cancels. */
  readonly signal: AbortSignal
  /** The context that the MCP SDK passed. */
  readonly context: Context
}

export type Step = <Value>(name: string, work: () => Value | Promise<Value>) => Promise<Value>

export interface InteractionParts<Context> {
  readonly run: Run
  readonly serverContext: ServerContext
  readonly identity: ToolIdentity
  readonly principal: string
  readonly signal: AbortSignal
  readonly context: Context
}

export function createInteraction<Context>(parts: InteractionParts<Context>): Interaction<Context> {
  const { run, identity, signal, context } = parts
  let pages = 0
  const ask = createAsk({
    run,
    secret: (description) => {
      pages++
      return askForSecret(description, `secret ${pages}`, parts)
    },
    approval: (title, action, settings) => describe.approve(title, actionOf(identity, title, action), settings),
  })
  // The stored result is what the work returned, after JSON; a result that JSON cannot represent was refused.
  const step: Step = (name, work) =>
    run.promises.guard(
      { kind: 'step', label: name },
      async () => (await run.once(name, work)) as Awaited<ReturnType<typeof work>>,
    )
  return { ask, step, gate: createGate(parts), signal, context }
}
