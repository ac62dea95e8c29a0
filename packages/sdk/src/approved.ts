// `approved(handler, …)`: a whole tool that runs only after a person approved its arguments.
//
// It is a gate around the handler: the handler gets the approved arguments, runs once for that approval, and its
// result is stored. Whether an approval is needed is decided once per call. Everything but a clear `false` means that it is.

import type { Editable } from './ask/editable.ts'
import type { AskOptions } from './ask/options.ts'
import { ownStepPrefix } from './ask/step.ts'
import { frozenCopy } from './frozen.ts'
import { type Interaction, runOf } from './interaction.ts'
import type { Jsonify } from './run/jsonify.ts'
import { asStepResult } from './run/step-entry.ts'

export interface ApprovedOptions<Arguments> extends AskOptions {
  /** Whether these arguments need an approval: always, without it. Only `false` means that they do not. */
  readonly when?: (given: Arguments) => boolean | Promise<boolean>
  /** A short title of what will happen. */
  readonly title: string | ((given: Arguments) => string)
  /** The server's own description of it; shown apart from what Assent shows of the call. */
  readonly describe?: (given: Arguments) => string
  /** Arguments that the person may change before they approve. */
  readonly editable?: Editable
  /** How long the approval may wait to be used, in milliseconds. */
  readonly useWithinMs?: number
}

/** What an approved handler can use. `ask`, `step` and `gate` would be inside the gate, where they fail. */
export type ApprovedInteraction<Context = unknown> = Pick<Interaction<Context>, 'signal' | 'context'>

/**
 * Requires an approval for a tool:
 *
 *     assent.tool(server, 'delete', { inputSchema }, approved(remove, { title: 'Delete a file', when: ({ path }) => isShared(path) }))
 *
 * The handler is the work of a gate, so it gets no `ask`, `step` or `gate`. If it needs them, use `gate` in an ordinary handler.
 */
export function approved<Arguments, Context = unknown, Result = string>(
  /** Gets a deeply frozen copy of the arguments, approved or not. Its result is returned after JSON, like that of a step. */
  handler: (given: Readonly<Arguments>, interaction: ApprovedInteraction<Context>) => Result | Promise<Result>,
  options: ApprovedOptions<Arguments>,
): (given: Arguments, interaction: Interaction<Context>) => Promise<Jsonify<Result>>
/** A tool without arguments: the person approves its title. */
export function approved<Context = unknown, Result = string>(
  handler: (interaction: ApprovedInteraction<Context>) => Result | Promise<Result>,
  options: ApprovedOptions<undefined>,
): (interaction: Interaction<Context>) => Promise<Jsonify<Result>>
export function approved(
  handler: (...given: never[]) => unknown,
  options: ApprovedOptions<never>,
): (...given: unknown[]) => Promise<unknown> {
  const asking = async (...received: unknown[]): Promise<unknown> => {
    const interaction = received.at(-1) as Interaction
    const given = received.slice(0, -1) as never[]
    const { when, title, describe, ...asked } = options
    if (when !== undefined && !(await isNeeded(interaction, () => when(given[0] as never)))) {
      const copied = given.length === 0 ? [] : [frozenCopy(given[0]), ...given.slice(1)]
      return asStepResult(await handler(...([...copied, interaction] as never[])))
    }
    const claim = describe?.(given[0] as never)
    const action = {
      ...asked,
      title: typeof title === 'string' ? title : title(given[0] as never),
      arguments: (given[0] ?? {}) as Readonly<Record<string, never>>,
      ...(claim === undefined ? {} : { claim }),
    }
    const { value } = await interaction.gate(action, (allowed) => {
      const replaced = given.length === 0 ? [] : [allowed, ...given.slice(1)]
      return handler(...([...replaced, interaction] as never[]))
    })
    return value
  }
  // A handler without a name is identified by its source text, and all of these would have the same one.
  return Object.defineProperty(asking, 'toString', { value: () => String(handler) })
}

/** A step, so that a condition that changes between two rounds cannot skip an approval that was asked for. */
async function isNeeded(interaction: Interaction, when: () => boolean | Promise<boolean>): Promise<boolean> {
  const decide = async () => (await when()) !== false
  return (await runOf(interaction).once(`${ownStepPrefix}is an approval needed?`, decide, { isOwn: true })) !== false
}
