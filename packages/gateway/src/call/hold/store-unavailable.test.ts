import { AssentError } from '@assent/core'
import { expect, test } from 'vitest'
import { unavailable, unavailableRetryLater } from './store-unavailable.ts'

const storeError = new AssentError('store_unavailable', 'The connection broke.')
const otherErrors = [new AssentError('limit_exceeded', 'Too large.'), new TypeError('A bug.')]

test('[STORE-15] a call that fails because the store is unavailable returns an error and no result', () => {
  expect(unavailable(storeError)).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringMatching(/^The gateway cannot reach its database.*: check/) },
  })
  expect(unavailable(storeError)).not.toHaveProperty('status')
})

test('[STORE-15] a request that can be retried gets the status 503 and the advice to retry', () => {
  expect(unavailableRetryLater(storeError)).toMatchObject({
    kind: 'failed',
    status: 503,
    error: { message: expect.stringContaining('retry later') },
  })
})

test('[STORE-15] any other error is not reported as an unavailable store', () => {
  for (const error of otherErrors) {
    expect(() => unavailable(error)).toThrow(error)
    expect(() => unavailableRetryLater(error)).toThrow(error)
  }
})
