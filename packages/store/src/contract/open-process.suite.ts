// A separate process that opens a store on request, raises one ask, and reports the result.

import { retried, tookTooLong } from '../../../../test-kit/retried.ts'
import { openPostgres, openSqlite } from '../index.ts'
import { aForm, testKeys } from './drafts.suite.ts'

const [engine, address = '', schema = ''] = process.argv.slice(2)

process.once('message', async () => {
  try {
    // Many processes start at once, so the machine may be too busy for the usual timeouts.
    const open = () =>
      engine === 'postgres'
        ? openPostgres(address, { keys: testKeys, schema, connections: 1, connectTimeoutMs: 60_000 })
        : openSqlite(address, { keys: testKeys, busyTimeoutMs: 60_000 })
    const store = await retried(open, tookTooLong)
    const draft = aForm()
    await retried(() => store.asks.raise(draft))
    await store.close()
    process.send?.('opened', () => process.disconnect())
  } catch (error) {
    process.send?.(String(error), () => process.disconnect())
  }
})
process.send?.('ready')
