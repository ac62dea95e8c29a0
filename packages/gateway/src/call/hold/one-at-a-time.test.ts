import { expect, test } from 'vitest'
import { OneAtATime } from './one-at-a-time.ts'

test('[RUN-4] work for a call is known until it ends, also when it fails, and that of other calls is independent', async () => {
  const one = new OneAtATime()
  const { promise, resolve } = Promise.withResolvers<number>()
  const log: string[] = []
  const running = one.run('call', () => promise)
  const waiting = one.ended('call').then(() => log.push('ended'))
  await one.ended('other')
  expect([one.has('call'), one.has('other'), log]).toEqual([true, false, []])

  resolve(1)

  expect(await running).toBe(1)
  await waiting
  expect([one.has('call'), log]).toEqual([false, ['ended']])
  await expect(one.run('call', () => Promise.reject(new Error('A bug.')))).rejects.toThrow('A bug.')
  expect(one.has('call')).toBe(false)
  await one.ended('call')
})
