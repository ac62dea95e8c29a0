import { boolean, form, number } from '@assent/core'
import { expect, test } from 'vitest'
import { BoundedCache } from './bounded-cache.ts'
import { sdkLimits } from './limits.ts'
import { cachedSchema } from './run/cached-schema.ts'

test('[SDK-2] the same form is encoded as the same frozen schema object', () => {
  const one = cachedSchema(form({ n: number({ min: 1 }) }), '2026-07-28')
  const again = cachedSchema(form({ n: number({ min: 1 }) }), '2026-07-28')
  const other = cachedSchema(form({ n: number({ min: 2 }) }), '2026-07-28')
  if (!one.ok || !again.ok || !other.ok) throw new Error('These forms can be encoded.')

  expect(again.schema).toBe(one.schema)
  expect(other.schema).not.toEqual(one.schema)
  expect(Object.isFrozen(one.schema.properties)).toBe(true)
  expect(cachedSchema(form({ b: boolean() }), '2025-06-18')).toMatchObject({ ok: true })
})

test('[SDK-2] the cache is bounded, and an entry that is too long is not stored', () => {
  const cache = new BoundedCache<object>()
  const first = cache.getOrCompute('0', () => ({}))
  for (let index = 1; index < sdkLimits.cacheEntries; index++) cache.getOrCompute(String(index), () => ({}))
  expect(cache.getOrCompute('0', () => ({}))).toBe(first)
  cache.getOrCompute('one more', () => ({}))
  expect(cache.getOrCompute('0', () => ({}))).not.toBe(first)

  const long = 'x'.repeat(sdkLimits.cacheKeyChars + 1)
  expect(cache.getOrCompute(long, () => ({}))).not.toBe(cache.getOrCompute(long, () => ({})))
})
