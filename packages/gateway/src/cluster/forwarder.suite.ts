// The forwarder of replica a, and servers that act as replica b.

import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { LiveReplica } from '@assent/store'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { listen } from '../../../../test-kit/listen.ts'
import { keys } from './cluster.suite.ts'
import { Forwarder, type ForwarderOptions } from './forwarder.ts'
import { Peers } from './peers.ts'
import { PlainNetworks } from './plain-networks.ts'

/** For whom the tests forward. */
export const forAnn = { tenant: 'default', principal: 'issuer#ann', groups: ['ops'], client: 'agent' }

export function aForwarder(changes: Partial<ForwarderOptions> = {}) {
  const failures: Error[] = []
  /** Whether the leases of replicas b and c have ended; undefined while the store is unavailable. */
  const store = { isDead: false as boolean | undefined, looks: 0 }
  const live = async () => {
    store.looks += 1
    if (store.isDead === undefined) throw new Error('The store is unavailable.')
    return store.isDead ? [] : ['b', 'c'].map((id) => ({ id, address: `http://${id}` }))
  }
  const forwarder = new Forwarder({
    peers: new Peers('a', { replicas: { live } } as never, () => true),
    keys,
    nowMs: Date.now,
    plain: new PlainNetworks(),
    onFailed: (error) => failures.push(error),
    ...changes,
  })
  closeAfterTest(() => forwarder.close())
  return { forwarder, failures, store }
}

/** Replica b: a server that records its requests and connections. */
export async function aReceiver(respond: RequestListener) {
  const requests: { method?: string; path?: string; headers: IncomingMessage['headers']; body: string }[] = []
  const sockets: Socket[] = []
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    requests.push({
      ...(method === undefined ? {} : { method }),
      ...(path === undefined ? {} : { path }),
      headers,
      body,
    })
    respond(request, response)
  })
  server.on('connection', (socket) => sockets.push(socket))
  const { origin, port, close } = await listen(server)
  closeAfterTest(close)
  const to: LiveReplica = { id: 'b', address: origin }
  return { to, port, requests, sockets, close }
}
