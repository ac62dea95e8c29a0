// The memory of waiting calls in the replicas that asked, without open connections; and whether a few of them can still be
// listed, answered and continued quickly.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Served } from '../relay/processes.ts'
import type { Weight } from '../relay/weigh.ts'
import { quantile, whole } from '../store/figures.ts'
import type { Kept, Picked } from './open.ts'
import type { ClusterEnv } from './test-env.ts'

export interface OpenSize {
  readonly open: number
  readonly people: number
  readonly picked: number
}

export interface OpenWeight {
  /** The memory of the largest replica after the last call, before garbage collection. */
  readonly rssMb: number
  /** Per ask, in one replica, after garbage collection. */
  readonly bytesEach: number
  readonly sockets: number
  readonly p99: { readonly listMs: number; readonly answerMs: number; readonly resumeMs: number }
}

const warmUp = 1_000
const connectionsEndMs = 60_000

export async function openWeight(
  testEnv: ClusterEnv,
  replicas: readonly Served[],
  size: OpenSize,
  say: (line: string) => void,
): Promise<OpenWeight> {
  const urls = replicas.map(({ url }) => url)
  const { open: count, people, picked: keep } = size
  await testEnv.do({ kind: 'open', urls, people, count: warmUp, keep: 0 })
  const before = await weighAll(replicas)
  const startedAt = performance.now()
  const { kept } = await testEnv.do<{ kept: Kept[] }>({ kind: 'open', urls, people, count, keep })
  const tookMs = performance.now() - startedAt
  const after = await weighAll(replicas, before)
  const picked = await testEnv.do<Picked>({ kind: 'pick', urls, kept })

  const rssMb = megabytes(Math.max(...after.map(({ rssBeforeBytes }) => rssBeforeBytes)))
  const heap = sumOf(after, ({ heapBytes }) => heapBytes) - sumOf(before, ({ heapBytes }) => heapBytes)
  // A pool may have closed some earlier connections.
  const sockets = Math.max(0, sumOf(after, (one) => one.sockets) - sumOf(before, (one) => one.sockets))
  const states = kept.map((one) => (one.asked === 'client' ? one.question : one.waiting).state.length)
  say(
    `${whole(count)} calls of ${whole(people)} people wait, half of them with the client and half in the inbox, opened at ${whole((1_000 * count) / tookMs)}/s over ${replicas.length} replicas; each caller holds a state of at most ${Math.max(...states)} characters`,
  )
  for (const [index, { rssBytes, rssBeforeBytes, heapBytes }] of after.entries()) {
    say(
      `replica ${index + 1}: ${whole(megabytes(before[index]?.rssBytes ?? 0))} MB before, ${whole(megabytes(rssBeforeBytes))} MB after, ${whole(megabytes(rssBytes))} MB once garbage is collected, ${whole(megabytes(heapBytes))} MB of it in the heap`,
    )
  }
  const p99 = {
    listMs: quantile(picked.listMs, 0.99),
    answerMs: quantile(picked.answerMs, 0.99),
    resumeMs: quantile(picked.resumeMs, 0.99),
  }
  say(
    `${kept.length} of them, each step at another replica, p99: listed ${p99.listMs.toFixed(1)} ms, answered ${p99.answerMs.toFixed(1)} ms, continued ${p99.resumeMs.toFixed(1)} ms`,
  )
  return { rssMb, bytesEach: heap / count, sockets, p99 }
}

/** Idle connections belong to no ask, so they get time to close first. */
async function weighAll(replicas: readonly Served[], before?: readonly Weight[]): Promise<Weight[]> {
  const endsAt = performance.now() + connectionsEndMs
  let least: Weight[] | undefined
  for (;;) {
    const weights = await Promise.all(replicas.map((replica) => replica.ask<Weight>('weigh')))
    // The memory is that of the first measurement, before the cleanup.
    least ??= weights
    const isDone = before === undefined || sumOf(weights, (one) => one.sockets) <= sumOf(before, (one) => one.sockets)
    if (isDone || performance.now() > endsAt)
      return least.map((one, index) => ({ ...one, sockets: weights[index]?.sockets ?? one.sockets }))
    await sleep(500)
  }
}

function sumOf(weights: readonly Weight[], of: (weight: Weight) => number): number {
  return weights.reduce((sum, weight) => sum + of(weight), 0)
}

function megabytes(bytes: number): number {
  return bytes / 2 ** 20
}
