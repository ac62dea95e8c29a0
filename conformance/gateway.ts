// A gateway in front of one server, with its own store and key, which are removed when it closes.
//
// Configured as a user would configure it: there is no option for the suite.
import { startGateway } from 'assent'
import { openTestStore } from '../test-kit/store/open.ts'

export interface Gateway {
  readonly url: string
  close(): Promise<void>
}

export async function openGateway(name: string, upstreamUrl: string): Promise<Gateway> {
  const { store, keys, close } = await openTestStore()
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
      await close()
    },
  }
}
