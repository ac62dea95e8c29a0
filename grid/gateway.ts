// The gateway of the grid: Assent embedded as a user would do it, with a header that names the caller.

import { randomBytes } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import { linearPatterns, serveStdio, startGateway } from 'assent'
import { type GatewaySettings, ownSettings, personHeader } from './settings.ts'

// Flush the compile cache now, because this process may be killed at any time.
flushCompileCache()

const { transport, servers, database, askWaitMs } = ownSettings<GatewaySettings>()
const keys = createKeyRing([{ id: 'grid', secret: randomBytes(32) }])
const store = await openSqlite(database, { keys, patterns: linearPatterns })

if (transport === 'stdio') await serveStdio({ servers, store, keys, askWaitMs })
else {
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    servers,
    store,
    keys,
    askWaitMs,
    identify: ({ headers }) => ({ principal: String(headers[personHeader] ?? 'nobody'), groups: [] }),
  })
  process.send?.({ url: gateway.url })
}
