import { expect, test } from 'vitest'
import { LongTransactions } from './long-transactions.ts'

test('[TLOG-10] a process that no longer observes transactions reports no age', () => {
  const transactions = new LongTransactions(() => undefined)
  transactions.observe('100:105:100', 0)
  transactions.observe('100:106:100', 60_000)
  expect(transactions.oldestMs(65_000)).toBe(65_000)
  expect(transactions.oldestMs(3_660_000)).toBe(0)
  transactions.observe('100:107:100', 3_661_000)
  expect(transactions.oldestMs(3_661_000)).toBe(3_661_000)
})

test('[TLOG-10] a transaction that has written and stays open is reported once, with its age', () => {
  const found: string[] = []
  const transactions = new LongTransactions((transaction) => found.push(transaction))
  transactions.observe('100:105:100,103', 0)
  transactions.observe('100:200:100', 9_000)
  expect([found, transactions.oldestMs(9_500)]).toEqual([[], 9_500])
  transactions.observe('100:210:100', 10_000)
  transactions.observe('100:220:100', 30_000)
  expect(found).toEqual(['100'])
  transactions.observe('215:230:215', 31_000)
  expect(transactions.oldestMs(31_500)).toBe(500)
  transactions.observe('231:231:', 32_000)
  expect(transactions.oldestMs(60_000)).toBe(0)
  // SQLite has no transactions of others.
  transactions.observe('17', 33_000)
  expect([found, transactions.oldestMs(60_000)]).toEqual([['100'], 0])
})
