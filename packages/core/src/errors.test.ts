import { expect, test } from 'vitest'
import { AssentError, isAssentError } from './errors.ts'

test('[ERRORS-1] an error has its code, message and cause', () => {
  const cause = new Error('below')
  const error = new AssentError('declined', 'The person said no.', { cause })

  expect(error).toMatchObject({ name: 'AssentError', code: 'declined', message: 'The person said no.', cause })
  expect(new AssentError('declined', 'No.')).not.toHaveProperty('cause')
})

test('[ERRORS-1] an error is distinguished by its code', () => {
  const error = new AssentError('declined', 'No.')

  expect(isAssentError(error)).toBe(true)
  expect(isAssentError(error, 'declined')).toBe(true)
  expect(isAssentError(error, 'cancelled')).toBe(false)
})

test('[ERRORS-1] an error from another copy of the package is recognised', () => {
  const fromAnotherCopy = Object.assign(new Error('No.'), { name: 'AssentError', code: 'declined' })

  expect(fromAnotherCopy).not.toBeInstanceOf(AssentError)
  expect(isAssentError(fromAnotherCopy, 'declined')).toBe(true)
})

test.each<[string, unknown]>([
  ['any other error', new Error('No.')],
  ['an error that only has a code', Object.assign(new Error('No.'), { code: 'declined' })],
  ['an error that only has the name', Object.assign(new Error('No.'), { name: 'AssentError' })],
  ['an object that looks like one', { name: 'AssentError', code: 'declined', message: 'No.' }],
  ['nothing', undefined],
])('[ERRORS-1] %s is not an AssentError', (_, value) => {
  expect(isAssentError(value)).toBe(false)
})
