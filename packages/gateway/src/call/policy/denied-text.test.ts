import { expect, test } from 'vitest'
import { policyText } from './text/policy-gate.ts'

test.each([
  [[], 'The policies could not be evaluated'],
  [['release'], 'The policy "release" could not be evaluated'],
  [['release', 'night'], 'The policies "release", "night" could not be evaluated'],
])('[POLICY-2] a caller reads which policies could not be evaluated: %j', (policies, text) => {
  expect(policyText.denied({ effect: 'deny', because: 'failed', policies, errors: [] })).toContain(
    `${text} for this call`,
  )
})

test('[MESSAGE-11] the title of an approval leaves out passwords and signatures in the address of a resource', () => {
  const tool = 'https://ann:hunter2@example.com/x?sig=abcdef'
  const action = { server: 'docs', kind: 'resource', tool, definitionDigest: '', arguments: {} } as const

  const title = policyText.title('docs', action, false)

  expect(title).toContain('example.com/x')
  expect(title).not.toMatch(/hunter2|abcdef/)
})
