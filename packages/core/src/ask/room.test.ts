import { expect, test } from 'vitest'
import { AssentError, isAssentError } from '../errors.ts'
import { isTooManyOpen, TooManyOpen } from './room.ts'

const limits = { perCaller: 1, perServer: 2, perTenant: 3, total: 4 }

test('[FLEET-8] whoever asks for one too many hears which limit it is, and what to do', () => {
  const words = (['caller', 'server', 'tenant', 'total'] as const).map(
    (full) => new TooManyOpen(full, limits, 'deploy').message,
  )

  expect(words).toEqual([
    expect.stringMatching(/^You may have 1 question open .* Nobody was asked\. Answer some of them, then try again\.$/),
    expect.stringMatching(/^The server deploy may have 2 questions open .* Nobody was asked\. Try again when/),
    expect.stringMatching(/^Here 3 questions may be open .* Nobody was asked\. Try again when/),
    expect.stringMatching(/^Everyone together may have 4 questions open .* Nobody was asked\. Try again later\.$/),
  ])
})

test('[FLEET-8] it is a limit that was exceeded, and is told apart from others by its shape', () => {
  const error = new TooManyOpen('server', limits, 'deploy')

  expect(isAssentError(error, 'limit_exceeded')).toBe(true)
  expect([isTooManyOpen(error), error.full]).toEqual([true, 'server'])
  expect(isTooManyOpen(new AssentError('limit_exceeded', 'too large'))).toBe(false)
  expect(isTooManyOpen({ full: 'server' })).toBe(false)
  expect(isTooManyOpen({ name: 'AssentError', full: 'server' })).toBe(false)
  expect(isTooManyOpen(Object.assign(new Error('x'), { full: 'server' }))).toBe(false)
  expect(isTooManyOpen(undefined)).toBe(false)
})
