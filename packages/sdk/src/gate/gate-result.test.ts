import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { AssentError } from '@assent/core'
import { describe, expect, test, vi } from 'vitest'
import type { StepOptions } from '../ask/step.ts'
import { createAssent } from '../assent.ts'
import { verifyReceipt } from '../index.ts'
import type { Interaction } from '../interaction.ts'
import { sdkLimits } from '../limits.ts'
import { accept, type CallRound, roundsOf } from '../rounds.suite.ts'
import { approvingAnswer, runLiveGate } from './live-gate.suite.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const settings = { signing: { keyId: 'k1', privateKey } }

type Handler = (interaction: Interaction) => Promise<string>

async function live(handler: Handler): Promise<string> {
  return (await runLiveGate(handler, () => accept(), settings)).text
}

async function replayed(handler: Handler): Promise<string> {
  const play = roundsOf(createAssent(settings).interactive, (_, interaction) => handler(interaction))
  let round = await play()
  for (let rounds = 1; round.state !== undefined && rounds < 5; rounds++) {
    const answers = Object.fromEntries(
      Object.entries(round.questions).map(([key, { message }]) => [
        key,
        message === 'Note?' ? accept({ text: 'x' }) : approvingAnswer,
      ]),
    )
    round = await play(undefined, { state: round.state, answers })
  }
  return round.text
}

describe.each([
  ['2025', live],
  ['2026-07-28', replayed],
] as const)('the result of a gate on %s', (_, call) => {
  test.each<[string, () => unknown, unknown]>([
    ['nothing', () => undefined, undefined],
    ['an optional member', () => ({ id: 1, error: undefined }), { id: 1 }],
    ['a date', () => ({ at: new Date(0) }), { at: '1970-01-01T00:00:00.000Z' }],
  ])('[GATE-11] may contain %s, and comes with its receipt', async (_, work, expected) => {
    const ran = vi.fn(work)
    let value: unknown = 'not called'
    const text = await call(async ({ gate }) => {
      const result = await gate({ title: 'Delete', arguments: {} }, ran)
      value = result.value
      return result.receipt
    })
    expect(value).toEqual(expected)
    expect(verifyReceipt(text, publicKey).ok).toBe(true)
    expect(ran).toHaveBeenCalledTimes(1)
  })

  test('[GATE-3] nothing runs if the arguments are replaced while the person decides', async () => {
    const ran = vi.fn()
    const text = await call(async ({ gate }) => {
      let reads = 0
      const action = {
        title: 'Delete',
        get arguments() {
          reads += 1
          return { path: reads === 1 ? '/tmp/a' : '/etc' }
        },
      }
      return gate(action, ran).then(
        () => 'ran',
        (error: unknown) => String((error as { code?: string }).code),
      )
    })
    expect(text).toBe('grant_refused')
    expect(ran).not.toHaveBeenCalled()
  })

  test('[SDK-11] a step inside the work of a gate is refused', async () => {
    const inner = vi.fn()
    const calling = call(async ({ gate, step }) => {
      const work = () => step('inner', inner)
      return String((await gate({ title: 'Delete', arguments: {} }, work)).value)
    })
    await expect(calling).rejects.toThrow('The work of a gate, or a handler in approved(), contains the step "inner".')
    expect(inner).not.toHaveBeenCalled()
  })

  test.each<[string, () => unknown, string]>([
    ['fails', () => Promise.reject(new Error('no disk')), 'no disk'],
    ['returns what JSON cannot represent', () => 1n, '"Delete" was done, but its result cannot be stored'],
  ])('[GATE-11] the receipt is on the error of work that %s', async (_, work, message) => {
    const text = await call(async ({ gate }) => {
      const failed = await gate({ title: 'Delete', arguments: {} }, work).catch((error: unknown) => error)
      const { receipt, message: why } = failed as { receipt: string; message: string }
      return JSON.stringify([receipt, why])
    })
    const [receipt, why] = JSON.parse(text) as [string, string]
    expect(why).toContain(message)
    expect(verifyReceipt(receipt, publicKey).ok).toBe(true)
  })

  test('[SDK-31] the work gets its key, signal, attempt and receipt, and can be retried', async () => {
    const keys: string[] = []
    const text = await call(async ({ gate }) => {
      const { value, receipt } = await gate(
        { title: 'Delete', arguments: {} },
        (_approved, context) => {
          keys.push(context.key)
          expect(context.signal.aborted).toBe(false)
          if (context.attempt === 1) throw new Error('busy')
          return context.receipt
        },
        { retry: 1 },
      )
      return String(value === receipt)
    })
    expect(text).toBe('true')
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })
})

test('[GATE-11] the receipt and the result are the same in every round', async () => {
  const seen = new Set<string>()
  const ran = vi.fn()
  await replayed(async ({ ask, gate }) => {
    const { value, receipt } = await gate({ title: 'Delete', arguments: {} }, ran)
    seen.add(`${receipt} ${value}`)
    return ask.text('Note?')
  })
  expect(seen.size).toBe(1)
  expect(ran).toHaveBeenCalledTimes(1)
})

test('[GATE-12] a gate with keys and without a store is reported once', async () => {
  const log = vi.fn()
  const keys = [{ id: 'k1', secret: randomBytes(32) }]
  const handler: Handler = async ({ gate }) => String((await gate({ title: 'Delete', arguments: {} }, () => 1)).value)
  const play = roundsOf(createAssent({ keys, log }).interactive, (_, interaction) => handler(interaction))
  await play()
  await play()
  expect(log).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ code: 'misconfigured', message: expect.stringContaining('without a `store`') }),
  )
  const silent = vi.fn()
  await roundsOf(createAssent({ log: silent }).interactive, (_, interaction) => handler(interaction))()
  expect(silent).not.toHaveBeenCalled()
})

describe('[SDK-12] a gate in a call that is almost full', () => {
  const approved = async (play: CallRound) => {
    const { state } = await play()
    return play(undefined, { state, answers: { 'ask-1': approvingAnswer } })
  }
  const inRounds = (handler: Handler) =>
    roundsOf(createAssent(settings).interactive, (_, interaction) => handler(interaction))

  test('[GATE-11] uses no approval and runs nothing if its receipt and its result have no place', async () => {
    const ran = vi.fn()
    const gating = (steps: number, options: StepOptions = {}) =>
      inRounds(async ({ step, gate }) => {
        for (let n = 0; n < steps; n++) await step(`step ${n}`, () => n)
        return (await gate({ title: 'Deploy', arguments: {} }, ran, options)).receipt
      })
    await expect(approved(gating(sdkLimits.entries - 2))).rejects.toMatchObject({ code: 'limit_exceeded' })
    const large = gating(1, { maxResultChars: sdkLimits.journalChars })
    await expect(approved(large)).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('A gate was not run'),
    })
    await expect(approved(gating(1, { retry: -1 }))).rejects.toMatchObject({ code: 'misconfigured' })
    expect(ran).not.toHaveBeenCalled()
    const fitting = await approved(gating(sdkLimits.entries - 3))
    expect(verifyReceipt(fitting.text, publicKey).ok).toBe(true)
  })

  test('[GATE-11] whose result leaves no room for a later question ends the call with its receipt', async () => {
    const play = inRounds(async ({ ask, gate }) => {
      await gate({ title: 'Deploy', arguments: {} }, () => 'x'.repeat(sdkLimits.journalChars))
      return ask.text('Note?')
    })
    const error = await approved(play).catch((thrown: AssentError) => thrown)
    expect(error).toMatchObject({ code: 'limit_exceeded' })
    const receipt = (error as AssentError).message.split(' ').at(-1)
    expect(verifyReceipt(receipt, publicKey).ok).toBe(true)
  })
})
