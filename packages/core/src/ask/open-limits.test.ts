import { expect, test } from 'vitest'
import { AssentError, isAssentError } from '../errors.ts'
import { isTooManyOpen, TooManyOpen } from './open-limits.ts'

const limits = { perCaller: 1, perServer: 2, perTenant: 3, total: 4 }

test('[FLEET-8] the error for one ask too many names the limit and what to do', () => {
  const messages = (['caller', 'server', 'tenant', 'total'] as const).map(
    (limit) => new TooManyOpen(limit, limits, 'deploy').message,
  )

  expect(messages).toEqual([
    expect.stringMatching(
      /^You may have 1 question open .* This question was not asked\. Answer some of them, then try again\.$/,
    ),
    expect.stringMatching(
      /^The server deploy may have 2 questions open .* This question was not asked\. Try again when/,
    ),
    expect.stringMatching(/^This tenant may have 3 questions open .* This question was not asked\. Try again when/),
    expect.stringMatching(
      /^All tenants together may have 4 questions open .* This question was not asked\. Try again later\.$/,
    ),
  ])
})

test('[FLEET-8] the error has the code `limit_exceeded` and is recognised by its shape', () => {
  const error = new TooManyOpen('server', limits, 'deploy')

  expect(isAssentError(error, 'limit_exceeded')).toBe(true)
  expect([isTooManyOpen(error), error.limit]).toEqual([true, 'server'])
  expect(isTooManyOpen(new AssentError('limit_exceeded', 'too large'))).toBe(false)
  expect(isTooManyOpen({ limit: 'server' })).toBe(false)
  expect(isTooManyOpen({ name: 'AssentError', limit: 'server' })).toBe(false)
  expect(isTooManyOpen(Object.assign(new Error('x'), { limit: 'server' }))).toBe(false)
  expect(isTooManyOpen(undefined)).toBe(false)
})
