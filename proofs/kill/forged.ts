// Requests to the cluster listeners that no replica has sealed, or that were sent before: none may be served.

import { randomUUID } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { createKeyRing } from '@assent/core'
import type { LiveReplica } from '@assent/store'
import {
  type ForwardedRequest,
  type Forwarding,
  ownPath,
  sealForward,
  sealHeader,
} from '../../packages/gateway/src/cluster/forward-seal.ts'
import { clusterLimits } from '../../packages/gateway/src/limits.ts'
import type { SeededRandom } from '../../test-kit/random.ts'

/** How many were sent, and which of them were served although they must not be. Genuine ones must be served. */
export interface Forgeries {
  readonly sent: number
  readonly accepted: readonly string[]
  readonly genuineRefused: number
}

const served = 200
/** Any other status means that the seal was accepted, also if the request then failed. */
const refused = 421

export async function forgeRequests(
  count: number,
  replicas: readonly LiveReplica[],
  secret: string,
  nowMs: () => number,
  random: SeededRandom,
): Promise<Forgeries> {
  const ring = createKeyRing([{ id: 'proof', secret: Buffer.from(secret, 'base64') }])
  const strange = createKeyRing([{ id: 'proof', secret: Buffer.alloc(32, 7) }])
  const agent = new Agent({ keepAlive: true })
  const accepted: string[] = []
  let genuineRefused = 0
  const request: ForwardedRequest = { method: 'GET', path: ownPath, headers: { accept: 'text/plain' }, body: '' }
  const ways: Readonly<
    Record<string, (to: LiveReplica, forwarding: Forwarding) => [string, Partial<ForwardedRequest>]>
  > = {
    'sealed with another key': (_, forwarding) => [sealForward(strange, request, forwarding, nowMs()), {}],
    'for another replica': (_, forwarding) => [
      sealForward(ring, request, { ...forwarding, to: randomUUID() }, nowMs()),
      {},
    ],
    'changed seal': (_, forwarding) => {
      const sealed = sealForward(ring, request, forwarding, nowMs())
      const at = 20 + random.int(sealed.length - 20)
      return [`${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`, {}]
    },
    'another path': (_, forwarding) => [sealForward(ring, request, forwarding, nowMs()), { path: '/mcp' }],
    'another method': (_, forwarding) => [sealForward(ring, request, forwarding, nowMs()), { method: 'DELETE' }],
    'another header': (_, forwarding) => [
      sealForward(ring, request, forwarding, nowMs()),
      { headers: { accept: 'text/plain', 'mcp-session-id': randomUUID() } },
    ],
    'half of it for another person': (_, forwarding) => {
      const [one, other] = ['person-0', 'person-1'].map((principal) =>
        sealForward(ring, request, { ...forwarding, principal }, nowMs()),
      ) as [string, string]
      const half = one.length >> 1
      return [`${one.slice(0, half)}${other.slice(half)}`, {}]
    },
    'another body': (_, forwarding) => {
      const post = { ...request, method: 'POST', path: '/mcp', body: '{"id":1}' }
      return [sealForward(ring, post, forwarding, nowMs()), { ...post, body: '{"id":2}' }]
    },
    'another tenant': (_, forwarding) => [sealForward(ring, request, { ...forwarding, tenant: 'other' }, nowMs()), {}],
    'from itself': (to, forwarding) => {
      const own = { ...request, path: '/mcp' }
      return [sealForward(ring, own, { ...forwarding, from: to.id }, nowMs()), own]
    },
    'too old': (_, forwarding) => [
      sealForward(ring, request, forwarding, nowMs() - clusterLimits.forwardValidMs - 1_000),
      {},
    ],
    'no seal': () => ['', {}],
  }
  const names = Object.keys(ways)
  // One that was killed is listed until its lease ends; another process has its address.
  const living: LiveReplica[] = []
  for (const to of replicas) {
    const forwarding = { from: randomUUID(), to: to.id, tenant: 'default', principal: 'person-0', groups: [] }
    const status = await statusOf(agent, to, request, sealForward(ring, request, forwarding, nowMs())).catch(() => 0)
    if (status === served) living.push(to)
  }
  if (living.length === 0) return { sent: 0, accepted, genuineRefused }
  for (let sent = 0; sent < count; sent++) {
    const to = living[sent % living.length] as LiveReplica
    const forwarding = { from: randomUUID(), to: to.id, tenant: 'default', principal: 'person-0', groups: [] }
    // Every other one is a replay of a genuine request.
    if (sent % 2 === 0) {
      const sealed = sealForward(ring, request, forwarding, nowMs())
      if ((await statusOf(agent, to, request, sealed)) !== served) genuineRefused += 1
      if ((await statusOf(agent, to, request, sealed)) !== refused) accepted.push('replayed')
      continue
    }
    const name = names[(sent >> 1) % names.length] as string
    const [sealed, changes] = ways[name]?.(to, forwarding) ?? ['', {}]
    if ((await statusOf(agent, to, { ...request, ...changes }, sealed)) !== refused) accepted.push(name)
  }
  agent.destroy()
  return { sent: count, accepted, genuineRefused }
}

function statusOf(agent: Agent, { address }: LiveReplica, request: ForwardedRequest, sealed: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = sealed === '' ? request.headers : { ...request.headers, [sealHeader]: sealed }
  httpRequest(new URL(request.path, address), { method: request.method, headers, agent })
    .on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    .on('error', reject)
    .end(request.body)
  return promise
}
