import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { isId, isName, newId } from './ids.ts'

const random = (count: number) => new Uint8Array(randomBytes(count))

test('[IDS-1] an id is its kind, ten characters of time and 128 random bits', () => {
  const ones = (count: number) => new Uint8Array(count).fill(255)

  expect(newId('ask', 0, ones)).toBe('ask_0000000000zzzzzzzzzzzzzzzzzzzzzzzzzw')
  expect(newId('call', 31, (count) => new Uint8Array(count))).toBe(`call_000000000z${'0'.repeat(26)}`)
  expect(newId('grant', Date.UTC(2026, 6, 28), random)).toMatch(/^grant_01[0-9a-hjkmnp-tv-z]{34}$/)
})

test('[IDS-1] an id made later sorts later, up to the largest time', () => {
  const timesMs = [0, 1, 31, 32, 1_023, 1_024, Date.UTC(2026, 0), Date.UTC(2026, 0) + 1, 2 ** 49, 2 ** 50 - 1]
  const ids = timesMs.map((nowMs) => newId('state', nowMs, random))

  expect(ids.toSorted()).toEqual(ids)
})

test('[IDS-1] every random bit is in the id', () => {
  const ids = new Set<string>()
  for (let bit = 0; bit < 128; bit++) {
    ids.add(newId('ask', 0, (count) => new Uint8Array(count).fill(1 << (bit & 7), bit >> 3, (bit >> 3) + 1)))
  }

  expect(ids.size).toBe(128)
})

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('[IDS-2] the time %d is refused', (nowMs) => {
  expect(() => newId('ask', nowMs, random)).toThrow(RangeError)
})

test.each([0, 15, 17])('[IDS-2] %i random bytes are refused', (count) => {
  expect(() => newId('ask', 0, () => new Uint8Array(count))).toThrow(RangeError)
})

test('[IDS-3] an id is recognised by its kind and its exact shape', () => {
  const id = newId('ask', Date.UTC(2026, 6, 28), random)

  expect(isId(id, 'ask')).toBe(true)
  expect(isId(id, 'call')).toBe(false)
  for (const other of ['', 'ask_', id.slice(0, -1), `${id}0`, `${id}\n`, id.toUpperCase(), `${id.slice(0, -1)}l`]) {
    expect(isId(other, 'ask')).toBe(false)
  }
})

test.each(['github', 'Ada Lovelace', 'https://id.example#ada', '日本語', 'x'.repeat(256)])(
  '[IDS-3] %j is a valid name',
  (name) => {
    expect(isName(name)).toBe(true)
  },
)

test.each(['', 'x'.repeat(257), 'a\nb', 'a\0', '\u007f', '\u0085', 'a\u2028', 'a\u2029', '\ud800'])(
  '[IDS-3] %j is not a valid name',
  (name) => {
    expect(isName(name)).toBe(false)
  },
)
