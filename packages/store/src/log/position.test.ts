import { expect, test } from 'vitest'
import { isAhead, isRestored, readFrom, sinceParams } from './position.ts'

const row = (id: number | null, snapshot = '20:25:20,22', is_standby = 0) => ({ id, snapshot, is_standby })

test('[TLOG-9] a read ends at its snapshot, or between two pages of it', () => {
  expect(readFrom('10:12:', [row(null)], 2)).toEqual({ entries: [], position: '20:25:20,22', more: false })
  expect(readFrom('10:12:', [row(4)], 2)).toMatchObject({ position: '20:25:20,22', more: false })
  const first = readFrom('10:12:', [row(4), row(7)], 2)
  expect(first).toMatchObject({ position: '10:12:|20:25:20,22|7', more: true })
  expect(sinceParams('acme', first.position)).toEqual({
    tenant: 'acme',
    after: '10:12:',
    until: '20:25:20,22',
    after_id: 7,
  })
  // The page ends at the snapshot of the first one: later entries come after it.
  expect(readFrom(first.position, [row(9, '30:30:')], 2)).toMatchObject({ position: '20:25:20,22', more: true })
})

test('[TLOG-9] on SQLite a position is the number of the last entry', () => {
  expect(readFrom('3', [row(null, '9')], 2)).toEqual({ entries: [], position: '3', more: false })
  expect(readFrom('3', [row(4, '9'), row(5, '9')], 2)).toMatchObject({ position: '5', more: true })
})

test.each([
  '',
  'x',
  '-1',
  '10:12',
  '10:12:,',
  '10:12:|5',
  '1|2|3',
  '5:3:',
  '0:5:',
  '1:9:3,2',
  '1:9:3,3',
  '5:5:7',
  '5:9:4',
])('[TLOG-9] what is no position leads to the beginning, and PostgreSQL does not read it (%s)', (text) => {
  expect(sinceParams('acme', text)).toEqual({ tenant: 'acme', after: '1:1:', until: null, after_id: 0 })
  expect(isAhead(text, '20:25:20')).toBe(true)
})

test('[TLOG-9] a position of another or a newer database is noticed', () => {
  for (const position of ['0', '10:12:', '10:25:', '1:1:|20:25:20|7']) expect(isAhead(position, '20:25:20')).toBe(false)
  for (const position of ['10:26:', '17', '1:1:|20:26:|7', 'x']) expect(isAhead(position, '20:25:20')).toBe(true)
  expect([isAhead('7', '7'), isAhead('8', '7'), isAhead('1:1:', '7')]).toEqual([false, true, true])
})

test('[TLOG-42] a standby that is behind a position returns nothing and keeps the position', () => {
  for (const position of ['20:26:22', '1:1:|20:26:|7'])
    expect(readFrom(position, [row(9, '25:25:', 1)], 2)).toEqual({ entries: [], position, more: false })
  expect(readFrom('20:25:22', [row(9, '25:25:', 1)], 2)).toMatchObject({ entries: [{ id: 9 }], position: '25:25:' })
  expect(isRestored('20:26:22', [row(null, '25:25:', 1)])).toBe(false)
  expect(isRestored('20:26:22', [row(null, '25:25:', 0)])).toBe(true)
  expect(isRestored('20:25:22', [row(null, '25:25:', 0)])).toBe(false)
})
