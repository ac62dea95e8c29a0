import { AssentError } from '@assent/core'
import { expect, test } from 'vitest'
import { DuplicateKey, type Engine } from './engine.ts'
import { kindOf, MeasuredEngine, type MeasuredStep } from './measured.ts'
import { atomic, backgroundQuery, query } from './statement.ts'

const reading = query('reading', '\n select 1')
const writing = query('writing', 'update asks set tool = tool')
const several = atomic('several', { name: 'a', sql: 'select 1' }, { name: 'b', sql: 'insert into asks' })
const slow = backgroundQuery('slow', 'delete from asks')

/** An engine on which every step has this result. */
function anEngine(end: () => Promise<never[]>) {
  const steps: MeasuredStep[] = []
  const inner = { run: end, runRepeatable: end, batch: end, close: async () => undefined, nowMs: 5, pool: undefined }
  const engine = new MeasuredEngine(inner as Engine, (step) => steps.push(step))
  return { engine, steps }
}

test('[STORE-43] reads, writes and background work are counted separately', () => {
  expect([reading, writing, several, slow].map(kindOf)).toEqual(['read', 'write', 'write', 'background'])
})

test('[STORE-43] every way to run a step reports its time', async () => {
  const { engine, steps } = anEngine(async () => [])
  await engine.run(reading, {})
  await engine.runRepeatable(writing, {})
  await engine.batch(writing, [])

  expect(steps.map(({ name, kind }) => [name, kind])).toEqual([
    ['reading', 'read'],
    ['writing', 'write'],
    ['writing', 'background'],
  ])
  for (const { ms } of steps) expect(ms).toBeGreaterThanOrEqual(0)
  expect(steps.every((step) => !('failure' in step))).toBe(true)
  expect(engine.nowMs).toBe(5)
})

test.each([
  [new AssentError('store_unavailable', 'away'), 'unavailable'],
  [new Error('syntax'), 'failed'],
  [new DuplicateKey('asks', undefined), undefined],
])('[STORE-43] a failed step is reported, and its error is rethrown: %s', async (error, failure) => {
  const { engine, steps } = anEngine(() => Promise.reject(error))

  await expect(engine.run(writing, {})).rejects.toBe(error)

  expect(steps.map((step) => step.failure)).toEqual([failure])
})
