import { expect, test } from 'vitest'
import { FreshMap } from './fresh-map.ts'

test('[INBOX-1] a cached value is kept for its time, and the oldest is dropped when there are too many', () => {
  let nowMs = 0
  const map = new FreshMap<number>(100, 2, () => nowMs)
  map.set('a', 1)
  nowMs = 50
  map.set('b', 2)
  expect([map.get('a'), map.get('b')]).toEqual([1, 2])

  nowMs = 100
  expect([map.get('a'), map.get('b')]).toEqual([undefined, 2])
  map.set('c', 3)
  map.set('b', 4)
  map.set('d', 5)
  expect([map.get('c'), map.get('b'), map.get('d')]).toEqual([undefined, 4, 5])
  map.delete('b')
  expect(map.get('b')).toBeUndefined()
})
