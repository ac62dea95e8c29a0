import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Pulse, type PulseLine } from './pulse.ts'

/** A line that says what it is told to, when it is told to. */
function aLine() {
  const asked: PromiseWithResolvers<number | undefined>[] = []
  const line: PulseLine = {
    isOpen: true,
    ask: () => {
      const question = Promise.withResolvers<number | undefined>()
      asked.push(question)
      return question.promise
    },
    drop: () => asked.at(-1)?.reject(new Error('dropped')),
  }
  return { line, asked }
}

async function aPulse() {
  const { line, asked } = aLine()
  let away = 0
  const pulse = new Pulse({ line, onAway: () => away++, onTrouble: () => undefined })
  onTestFinished(() => pulse.close())
  const answered = async (nowMs: number) => {
    const before = asked.length
    while (asked.length === before) await new Promise((resolve) => setTimeout(resolve, 10))
    asked.at(-1)?.resolve(nowMs)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const beginning = pulse.begin()
  asked.at(-1)?.resolve(1_000_000)
  await beginning
  return { pulse, asked, answered, away: () => away }
}

test('[FLEET-11] a time that is told once is not believed when it is another than before; told twice, it is', async () => {
  const { pulse, answered } = await aPulse()
  const isAbout = (ms: number) => Math.abs((pulse.nowMs ?? 0) - ms) < 60_000

  expect(isAbout(1_000_000)).toBe(true)
  await answered(900_000_000)
  expect(isAbout(1_000_000)).toBe(true)
  await answered(Number.NaN)
  expect(isAbout(1_000_000)).toBe(true)
  await answered(500_000_000)
  await answered(500_002_000)
  expect(isAbout(500_000_000)).toBe(true)
})

test('[FLEET-11] an answer that was long on its way moves no deadline, wherever on it the clock was read', async () => {
  const { pulse, asked } = await aPulse()
  const truthMs = () => performance.now() + aheadMs
  const aheadMs = (pulse.nowMs ?? 0) - performance.now()
  while (asked.length < 2) await sleep(10)

  await sleep(2_000)
  asked.at(-1)?.resolve(truthMs())
  await new Promise((resolve) => setImmediate(resolve))

  expect(Math.abs((pulse.nowMs ?? 0) - truthMs())).toBeLessThan(500)
})

test('[FLEET-11] the time that it takes to open a line is not taken for the way of what is said on it', async () => {
  const line: PulseLine = {
    isOpen: false,
    ask: async (onSent) => {
      await sleep(2_000)
      onSent()
      return performance.now() + 1_000_000
    },
    drop: () => undefined,
  }
  const pulse = new Pulse({ line, onAway: () => undefined, onTrouble: () => undefined })
  onTestFinished(() => pulse.close())
  await pulse.begin()

  expect(Math.abs((pulse.nowMs ?? 0) - performance.now() - 1_000_000)).toBeLessThan(500)
})

test('[FLEET-10] a refusal is an answer: whoever waits goes on waiting', async () => {
  const { pulse, asked, away } = await aPulse()
  const work = Promise.withResolvers<string>()
  const watched = pulse.watch(() => work.promise, true)
  const before = asked.length
  for (let beats = 1; beats <= 2; beats++) {
    while (asked.length < before + beats) await new Promise((resolve) => setTimeout(resolve, 10))
    asked.at(-1)?.resolve(undefined)
  }
  work.resolve('done')

  expect(await watched).toBe('done')
  expect(away()).toBe(0)
})
