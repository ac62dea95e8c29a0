// Planted faults: an interaction that breaks one promise of the SDK. The proof has to find each of them.

import { AssentError, type Interaction } from '@assent/sdk'
import type { Timed } from './timed.ts'

interface Fault {
  readonly name: string
  /** The figures, one of which must not be zero. */
  readonly foundBy: readonly (keyof Timed)[]
  readonly plant: (interaction: Interaction) => Interaction
}

// The planted functions have the shape of the real ones, without their type parameters.
type AnyStep = (name: string, work: (context: never) => unknown) => Promise<unknown>
type AnyGate = (
  action: Parameters<Interaction['gate']>[0],
  work: (approved: never, context: never) => unknown,
) => Promise<unknown>

function withStep(interaction: Interaction, step: (real: AnyStep) => AnyStep): Interaction {
  return { ...interaction, step: step(interaction.step as AnyStep) as Interaction['step'] }
}

function withGate(interaction: Interaction, gate: (real: AnyGate) => AnyGate): Interaction {
  return { ...interaction, gate: gate(interaction.gate as AnyGate) as Interaction['gate'] }
}

export const faults: readonly Fault[] = [
  {
    name: 'steps are not in the journal',
    foundBy: ['effects'],
    plant: (interaction) => withStep(interaction, () => async (_, work) => work(undefined as never)),
  },
  {
    name: 'a step that is not repeated is not noticed',
    foundBy: ['diverged'],
    plant: (interaction) => withStep(interaction, () => async (_, work) => work(undefined as never)),
  },
  {
    name: 'a gate runs before it is approved',
    foundBy: ['gates'],
    plant: (interaction) =>
      withGate(interaction, (gate) => async (action, work) => {
        const value = await work(action.arguments as never, undefined as never)
        return gate(action, () => value)
      }),
  },
  {
    name: 'a gate loses its receipt',
    foundBy: ['receipts'],
    plant: (interaction) =>
      withGate(interaction, (gate) => async (action, work) => ({
        ...((await gate(action, work)) as object),
        receipt: undefined,
      })),
  },
  {
    name: 'a promise is not guarded',
    foundBy: ['rejections'],
    plant: (interaction) =>
      withStep(interaction, (step) => (name, work) => {
        const done = step(name, work)
        void Promise.resolve(done).then(() => undefined)
        return done
      }),
  },
  {
    name: 'a missing await is not noticed',
    foundBy: ['unawaited'],
    plant: (interaction) => {
      const observed = <Value>(asked: Value): Value => {
        if (asked instanceof Promise)
          asked.then(
            () => undefined,
            () => undefined,
          )
        return asked
      }
      const ask = new Proxy(interaction.ask, {
        get: (target, name) => {
          const method = Reflect.get(target, name) as (...given: unknown[]) => unknown
          return (...given: unknown[]) => observed(method.apply(target, given))
        },
      })
      return { ...interaction, ask }
    },
  },
  {
    name: 'a gate that is not awaited is not noticed',
    foundBy: ['meanwhile'],
    plant: (interaction) =>
      withGate(interaction, (gate) => (action, work) => {
        const gated = gate(action, work)
        gated.then(
          () => undefined,
          () => undefined,
        )
        return gated
      }),
  },
  {
    name: 'a repeating handler is stopped',
    foundBy: ['alarms'],
    plant: (interaction) =>
      withStep(interaction, () => () => Promise.reject(new AssentError('out_of_order', 'planted'))),
  },
]
