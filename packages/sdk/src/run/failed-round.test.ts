// Work that would start while its call already fails: because the handler made a mistake, or because it has thrown.

import { describe, expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import { sdkLimits } from '../limits.ts'
import { roundsOf } from '../rounds.suite.ts'
import type { DurableStore, StepClaim } from '../server/durable.ts'
import type { Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'

type Handler = (interaction: Interaction) => Promise<string>

const surface: Surface = {
  name: 'client',
  refuses: () => undefined,
  put: async () => ({ kind: 'answered', answer: { action: 'accept', content: { text: 'x' } } }),
}

async function live(handler: Handler): Promise<unknown> {
  const tool = createAssent({ log: false }).interactive<[], unknown, unknown>(handler, { name: 'tool' })
  return tool(onSurface(surface))
}

async function replayed(handler: Handler, store?: DurableStore): Promise<unknown> {
  const { interactive } = createAssent({ log: false, ...(store === undefined ? {} : { store }) })
  return roundsOf(interactive, (_, interaction) => handler(interaction))()
}

/** Two steps of one name: a mistake that ends the call. */
async function makeMistake({ step }: Interaction): Promise<unknown> {
  return Promise.all([step('twice', () => 1), step('twice', () => 2)])
}

/** What happens while the work of another step is about to start. */
const failures: readonly [string, (interaction: Interaction) => unknown][] = [
  ['made a mistake', makeMistake],
  ['has thrown', () => Promise.reject(new Error('no disk'))],
]
const failLater = async (interaction: Interaction, fail: (interaction: Interaction) => unknown) => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  await fail(interaction)
}

const retryTime = () => new Promise((resolve) => setTimeout(resolve, sdkLimits.retryFirstMs * 2))

describe.each([
  ['2025', live],
  ['2026-07-28', replayed],
] as const)('on %s', (_, call) => {
  test('[SDK-38] a handler that catches its own mistake starts nothing more, and asks nothing more', async () => {
    const pay = vi.fn()
    const put = vi.spyOn(surface, 'put')
    await expect(
      call(async (interaction) => {
        await makeMistake(interaction).catch(() => undefined)
        await interaction.ask.text('Name?').catch(() => undefined)
        await interaction.step('pay', pay).catch(() => undefined)
        return 'paid'
      }),
    ).rejects.toMatchObject({ code: 'misconfigured', message: 'Two steps of this handler are called "twice".' })
    expect(pay).not.toHaveBeenCalled()
    expect(put).not.toHaveBeenCalled()
    put.mockRestore()
  })

  test.each(failures)('[SDK-38] a step is not tried again when the handler %s meanwhile', async (_, fail) => {
    const work = vi.fn(() => Promise.reject(new Error('busy')))
    await expect(
      call(async (interaction) => {
        await Promise.all([interaction.step('pay', work, { retry: 1 }), failLater(interaction, fail)])
        return 'paid'
      }),
    ).rejects.toThrow()
    await retryTime()
    expect(work).toHaveBeenCalledTimes(1)
  })

  test('[SDK-38] a step that is begun after the handler has ended does not start', async () => {
    const work = vi.fn()
    let later: () => unknown = () => undefined
    await call(async ({ step }) => {
      later = () => step('late', work)
      return 'done'
    })
    later()
    await retryTime()
    expect(work).not.toHaveBeenCalled()
  })
})

describe('with a store', () => {
  function slowStore() {
    const claimed = Promise.withResolvers<void>()
    const finished: string[] = []
    const steps: DurableStore['steps'] = {
      claim: async ({ name }): Promise<StepClaim> => {
        if (name === 'step pay') await claimed.promise
        return { kind: 'yours' }
      },
      finish: async ({ name, outcome }) => finished.push(`${name}: ${outcome}`) > 0,
      keep: async ({ outcome }) => outcome,
    }
    return { claimed, finished, store: { steps } as unknown as DurableStore }
  }

  test.each(failures)('[SDK-38] work does not start if the handler %s while the step was claimed', async (_, fail) => {
    const { store, claimed, finished } = slowStore()
    const pay = vi.fn()
    await expect(
      replayed(async (interaction) => {
        await Promise.all([interaction.step('pay', pay), failLater(interaction, fail)])
        return 'paid'
      }, store),
    ).rejects.toThrow()
    claimed.resolve()
    // Stored as not run, so that a repeated round does not report it as unclear.
    await vi.waitFor(() => expect(finished.join()).toContain('was not run: its call had already failed'))
    expect(pay).not.toHaveBeenCalled()
  })

  test('[SDK-38] a step that its handler does not await runs, also when the handler has returned meanwhile', async () => {
    const { store, claimed } = slowStore()
    const pay = vi.fn()
    await replayed(async ({ step }) => {
      void step('pay', pay)
      return 'done'
    }, store)
    claimed.resolve()
    await vi.waitFor(() => expect(pay).toHaveBeenCalledTimes(1))
  })
})

test.each([
  ['2025', live],
  ['2026-07-28', replayed],
] as const)('[SDK-11] a step without work ends the call on %s', async (_, call) => {
  const calling = call(({ step }) => step<string>('build', undefined as never).catch(() => 'caught'))
  await expect(calling).rejects.toMatchObject({
    code: 'misconfigured',
    message: 'The second argument of a step or gate is a function: its work.',
  })
})
