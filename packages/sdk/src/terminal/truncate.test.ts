import { expect, test } from 'vitest'
import { truncateToWidth } from './truncate.ts'

test('[TERM-11] a text takes exactly the given number of terminal columns', () => {
  expect(truncateToWidth('abc', 5)).toBe('abc  ')
  expect(truncateToWidth('abcde', 5)).toBe('abcde')
  expect(truncateToWidth('abcdef', 5)).toBe('abcd…')
  expect(truncateToWidth('部署服务名称', 6)).toBe('部署 …')
  expect(truncateToWidth('部署', 6)).toBe('部署  ')
  expect(truncateToWidth('abc', 0)).toBe('')
})
