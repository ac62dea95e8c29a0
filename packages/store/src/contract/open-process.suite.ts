// A separate process that opens a store on request, raises one ask, and reports the result.

import { openPostgres, openSqlite } from '../index.ts'
import { aForm, testKeys } from './drafts.suite.ts'

const [engine, address = '', schema = ''] = process.argv.slice(2)

process.once('message', async () => {
  try {
    const store = await (engine === 'postgres'
      ? openPostgres(address, { keys: testKeys, schema, connections: 1 })
      : openSqlite(address, { keys: testKeys }))
    await store.asks.raise(aForm())
    await store.close()
    process.send?.('opened', () => process.disconnect())
  } catch (error) {
    process.send?.(String(error), () => process.disconnect())
  }
})
process.send?.('ready')
