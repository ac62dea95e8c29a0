import { askLimits } from '@assent/core'
import { expect, test } from 'vitest'
import { candidateCalls } from './candidate-calls.ts'

function called(given: object): Parameters<typeof candidateCalls>[0][number] {
  return { method: 'tools/call', params: { name: 'deploy', ...given } }
}

test('[SHARE-3] of a call that may have asked, its name and arguments are kept, and nothing else', () => {
  const given = { arguments: { env: 'prod' }, requestState: 'sealed', inputResponses: {}, _meta: { a: 1 } }
  expect(candidateCalls([called(given), called({})])).toEqual([
    { method: 'tools/call', params: { name: 'deploy', arguments: { env: 'prod' } } },
    { method: 'tools/call', params: { name: 'deploy', arguments: {} } },
  ])
})

test('[SHARE-3] the arguments of all candidates together are bounded: larger ones are left out, not shown as empty', () => {
  const large = { arguments: { text: 'x'.repeat(askLimits.formCallBytes / 2) } }
  expect(candidateCalls([called(large)])[0]?.params).toHaveProperty('arguments')
  expect(candidateCalls([called(large), called({})])).toEqual([
    { method: 'tools/call', params: { name: 'deploy' } },
    { method: 'tools/call', params: { name: 'deploy', arguments: {} } },
  ])
})

test('[SHARE-3] arguments without a canonical form are left out', () => {
  expect(candidateCalls([called({ arguments: { half: '\ud800' } })])[0]?.params).toEqual({ name: 'deploy' })
})

test('[SHARE-3] the newest calls are kept if there are too many', () => {
  const calls = Array.from({ length: askLimits.oneOf + 1 }, (_, at) => called({ arguments: { at } }))
  const kept = candidateCalls(calls)
  expect(kept).toHaveLength(askLimits.oneOf)
  expect(kept[0]?.params).toMatchObject({ arguments: { at: 1 } })
})
