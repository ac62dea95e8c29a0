import { expect, test } from 'vitest'
import { openPostgres, openSqlite } from './index.ts'

test.each<[string, unknown]>([
  ['no options', undefined],
  ['no keys', {}],
  ['a list of keys', { keys: [{ id: 'k1', secret: new Uint8Array(32) }] }],
])('[STORE-66] a store is not opened with %s, and the error names what it needs', async (_, options) => {
  const refusal = { code: 'misconfigured', message: expect.stringContaining('createKeyRing([{ id, secret }])') }
  await expect(openSqlite(':memory:', options as never)).rejects.toMatchObject(refusal)
  await expect(openPostgres('postgres://127.0.0.1:1/none', options as never)).rejects.toMatchObject(refusal)
})
