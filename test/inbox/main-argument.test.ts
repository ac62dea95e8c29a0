// Which argument of an action a row shows.
import { expect, test } from 'vitest'
import { mainArgument } from '../../packages/inbox-web/src/ui/main-argument.ts'

const plain = (name: string, value: string) => ({ name, value, shape: 'plain' }) as const

test('[CARD-21] the main argument has a telling name, or is the first plain one, or the first one', () => {
  const labels = { name: 'labels', value: '{\n  "a": 1\n}', shape: 'json' } as const
  expect(mainArgument([])).toBeUndefined()
  expect(mainArgument([labels])).toEqual({ name: 'labels', value: '{ "a": 1 }' })
  expect(mainArgument([labels, plain('replicas', '4')])).toEqual({ name: 'replicas', value: '4' })
  expect(mainArgument([plain('image', 'app'), plain('path', '/'), plain('Env', 'production')])).toEqual({
    name: 'Env',
    value: 'production',
  })
})

test('[CARD-21] a list of texts and numbers is shown without brackets and quotes', () => {
  const list = (value: unknown) =>
    mainArgument([{ name: 'names', value: JSON.stringify(value, undefined, 2), shape: 'json' }])?.value
  expect(list(['demo-1', 'old mix'])).toBe('demo-1, old mix')
  expect(list([1, 2])).toBe('1, 2')
  expect(list([])).toBe('[]')
  expect(list([[1], 'b'])).toBe('[ [ 1 ], "b" ]')
  expect(list(['say "a"'])).toBe('[ "say \\"a\\"" ]')
})

test('[CARD-21] a long argument is cut, on one line', () => {
  const { value = '' } = mainArgument([plain('path', `a\n\n${'b'.repeat(10_000)}`)]) ?? {}
  expect(value).toMatch(/^a b+$/)
  expect(value).toHaveLength(120)
})
