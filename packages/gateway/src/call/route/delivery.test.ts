import type { Store } from '@assent/store'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { relayLimits, setLimits } from '../../limits.ts'
import type { Answers, Outcome } from '../model.ts'
import { deliver } from './delivery.ts'

const done: Outcome = { kind: 'finished', result: {} }
const asks = new Map([
  ['one', 'ask_1'],
  ['two', 'ask_2'],
])
const yes = { result: { action: 'accept' } }
const given: Answers = { one: yes, two: { error: { code: -1, message: 'expired' } }, elsewhere: yes }

let restore: () => void
beforeEach(() => {
  restore = setLimits(relayLimits, { storeGraceMs: 20 })
})
afterEach(() => restore())

/** Records what is marked, in order. */
function delivering(fail: { delivered?: () => Promise<void>; undelivered?: () => Promise<boolean> } = {}) {
  const log: string[] = []
  const errors: unknown[] = []
  const store = {
    asks: {
      delivered: async (tenant: string, id: string) => {
        log.push(`${tenant} ${id} delivered`)
        await fail.delivered?.()
      },
      undelivered: async (tenant: string, id: string, isCertain: boolean) => {
        log.push(`${tenant} ${id} undelivered ${isCertain}`)
        return fail.undelivered?.() ?? true
      },
    },
  } as unknown as Store
  const to = { store, tenant: 'acme', asks, onError: (error: unknown) => errors.push(error) }
  return { to, log, errors }
}

test('[WAIT-9] a person’s answers are marked as delivered; an error and an answer without an ask are not', async () => {
  const { to, log, errors } = delivering()

  expect(await deliver(to, given, async () => done)).toBe(done)

  expect(log).toEqual(['acme ask_1 delivered'])
  expect(errors).toEqual([])
})

test('[WAIT-9] an answer that the server had stopped waiting for is marked as undelivered, after the first mark', async () => {
  const { to, log } = delivering()
  const outcome = { ...done, undelivered: ['one', 'elsewhere'] }

  expect(await deliver(to, { one: yes, two: yes }, async () => outcome)).toBe(outcome)

  expect(log).toEqual(['acme ask_1 delivered', 'acme ask_2 delivered', 'acme ask_1 undelivered true'])
})

test('[WAIT-9] a store that fails or hangs does not delay the answer; its errors are reported', async () => {
  const hangs = () => new Promise<never>(() => undefined)
  const failing = vi.fn(async (): Promise<boolean> => {
    throw new Error('The store is down.')
  })
  const { to, errors } = delivering({ delivered: hangs, undelivered: failing })
  let isSent = false

  const outcome = await deliver(to, { one: yes, two: yes }, async () => {
    isSent = true
    return { ...done, undelivered: ['one', 'two'] }
  })

  expect(outcome.kind).toBe('finished')
  expect(isSent).toBe(true)
  expect(failing).toHaveBeenCalledTimes(2)
  expect(errors).toEqual([
    expect.objectContaining({ code: 'store_unavailable' }),
    new Error('The store is down.'),
    new Error('The store is down.'),
  ])
})
