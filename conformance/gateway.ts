// A gateway in front of one server, with a store and a key of its own that go when it closes.
//
// It is configured as a user would configure it and nothing else: no option exists for the sake of the suite.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyRing } from '@assent/core'
import { openSqlite } from '@assent/store'
import { startGateway } from 'assent'

export interface Gateway {
  readonly url: string
  close(): Promise<void>
}

export async function openGateway(name: string, upstreamUrl: string): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-conformance-'))
  const keys = createKeyRing([{ id: 'conformance', secret: randomBytes(32) }])
  const store = await openSqlite(join(folder, 'assent.db'), { keys })
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0 },
    servers: { [name]: { url: upstreamUrl } },
    store,
    keys,
  })
  return {
    url: gateway.url,
    async close() {
      await gateway.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
