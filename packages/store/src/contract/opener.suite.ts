// A process of its own that opens a store when told, raises one ask, and says how it went.

import { openPostgres, openSqlite } from '../index.ts'
import { aForm, testKeys } from './drafts.suite.ts'

const [engine, place = '', schema = ''] = process.argv.slice(2)

process.once('message', async () => {
  try {
    const store = await (engine === 'postgres'
      ? openPostgres(place, { keys: testKeys, schema, connections: 1 })
      : openSqlite(place, { keys: testKeys }))
    await store.asks.raise(aForm())
    await store.close()
    process.send?.('opened', () => process.disconnect())
  } catch (error) {
    process.send?.(String(error), () => process.disconnect())
  }
})
process.send?.('ready')
