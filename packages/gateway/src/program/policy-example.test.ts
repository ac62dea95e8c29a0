import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { assentHere } from './process.suite.ts'

const example = (name: string) => fileURLToPath(new URL(`../../../../examples/policies/${name}`, import.meta.url))

test('[POLICY-43] the example of the guide has no mistakes, and its test cases pass', async () => {
  const config = example('assent.yaml')

  expect(await assentHere(['policy', 'check', config])).toMatchObject({ code: 0, err: '' })
  expect(await assentHere(['policy', 'test', example('cases.yaml'), '--config', config])).toMatchObject({
    code: 0,
    out: expect.stringContaining('6 of 6 cases pass.'),
  })
})
