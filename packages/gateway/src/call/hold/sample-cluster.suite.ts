// Two replicas that reach each other over HTTP on this machine, and requests as a replica receives them.

import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { createKeyRing, type JsonObject } from '@assent/core'
import type { Store } from '@assent/store'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { listen } from '../../../../../test-kit/listen.ts'
import { Forwarder } from '../../cluster/forwarder.ts'
import type { Heartbeat } from '../../cluster/heartbeat.ts'
import { ClusterListener, type ForwardedIn, type ListenerOptions } from '../../cluster/listener.ts'
import { Peers } from '../../cluster/peers.ts'
import { PlainNetworks } from '../../cluster/plain-networks.ts'
import { clusterLimits, setLimits } from '../../limits.ts'
import type { ToOthers } from './remote-calls.ts'
import { tenant } from './sample-calls.suite.ts'

const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])

/** Sets how often a sender checks the call that it has forwarded, until the test ends. */
export function lookEvery(forwardLookMs: number): void {
  closeAfterTest(setLimits(clusterLimits, { forwardLookMs }))
}

/** How this replica reaches the others. */
export function othersOf(replica: string, store: Store): ToOthers {
  const peers = new Peers(replica, store, () => false)
  const plain = new PlainNetworks(undefined)
  const forwarder = new Forwarder({ peers, keys, nowMs: () => store.nowMs(), plain, onFailed: () => undefined })
  closeAfterTest(() => forwarder.close())
  return { peers, forwarder }
}

/** Serves the requests of other replicas, and announces the address. */
export async function serveOthers(
  store: Store,
  heartbeat: Heartbeat,
  handlers: ListenerOptions['handlers'],
  onError: (error: unknown) => void = () => undefined,
): Promise<void> {
  const { replica } = heartbeat
  const onRefused = () => undefined
  const listener = new ClusterListener({
    replica,
    tenant,
    keys,
    nowMs: () => store.nowMs(),
    handlers,
    onRefused,
    onError,
  })
  const { origin, close } = await listen(listener.server)
  closeAfterTest(close)
  await heartbeat.announce(origin)
}

/** A request as a replica receives it, and what it writes. */
export function received(body: JsonObject | string, by: { tenant?: string; principal?: string } = {}) {
  let status = 0
  let text = ''
  const response = new PassThrough()
  const written = Object.assign(response, {
    writeHead: (code: number) => {
      status = code
      return written
    },
    flushHeaders: () => undefined,
  })
  const read = () => {
    text += String(response.read() ?? '')
    return text === ''
      ? []
      : text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as JsonObject)
  }
  const forwarded = {
    response: written,
    by: { tenant, principal: 'ann', groups: [], from: 'b', to: 'a', ...by },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  } as unknown as ForwardedIn
  return { forwarded, response, status: () => status, lines: read }
}
