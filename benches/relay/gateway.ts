// The gateway of the relay bench: Assent embedded as a user would do it, in a process that reports its memory.
//
// `gateway.ts <settings as JSON>`. Over stdio it accepts no commands.

import { randomBytes } from 'node:crypto'
import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import { type ServerConfig, serveStdio, startGateway } from 'assent'
import { profiler } from './profile.ts'
import { weigh } from './weigh.ts'
import { personHeader } from './words.ts'

export interface GatewaySettings {
  readonly front: 'http' | 'stdio'
  readonly server: ServerConfig
  readonly database: string
}

const { front, server, database } = JSON.parse(process.argv[2] ?? '') as GatewaySettings
const keys = createKeyRing([{ id: 'bench', secret: randomBytes(32) }])
const parts = {
  servers: { bench: server },
  store: await openSqlite(database, { keys }),
  keys,
  onError: (error: unknown) => console.error(error),
}
const profile = profiler()

// Ends when the bench is interrupted.
process.on('disconnect', () => process.exit())
process.on('message', (command: 'weigh' | 'cpu' | 'profile' | 'profiled') => {
  if (command === 'weigh') process.send?.(weigh())
  else if (command === 'cpu') process.send?.({ cpuUs: process.cpuUsage().user + process.cpuUsage().system })
  else if (command === 'profile') void profile.start().then(() => process.send?.({}))
  else void profile.stop().then((lines) => process.send?.({ lines }))
})
if (front === 'stdio') await serveStdio(parts)
else {
  const gateway = await startGateway({
    ...parts,
    // The bench needs ten thousand open questions of one caller.
    openAsks: { perCaller: 100_000, total: 100_000 },
    listen: { host: '127.0.0.1', port: 0 },
    identify: ({ headers }) => ({ principal: String(headers[personHeader] ?? 'nobody'), groups: [] }),
  })
  process.send?.({ url: gateway.url })
}
