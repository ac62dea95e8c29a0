import { expect, test } from 'vitest'
import { fitted } from './fitted.ts'

test('[TERM-11] a text takes exactly the columns it was given, by what a terminal draws', () => {
  expect(fitted('abc', 5)).toBe('abc  ')
  expect(fitted('abcde', 5)).toBe('abcde')
  expect(fitted('abcdef', 5)).toBe('abcd…')
  expect(fitted('部署服务名称', 6)).toBe('部署 …')
  expect(fitted('部署', 6)).toBe('部署  ')
  expect(fitted('abc', 0)).toBe('')
})
