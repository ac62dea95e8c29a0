// The memory of open and past questions in the gateway after garbage collection, and the sockets.

import type { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Line, type OpenQuestion, openLine, openQuestion, settleQuestion, whereTo } from './client.ts'
import { takeTurn } from './latency.ts'
import type { Served } from './processes.ts'
import { newAgent } from './ways.ts'
import type { Weight } from './weigh.ts'
import { generations } from './words.ts'

export interface Added {
  readonly count: number
  readonly rssBytes: number
  readonly heapBytes: number
  readonly sockets: number
}

const atOnce = 50
const warmTrips = 2_000
const quietMs = 300
const idleMs = 20_000

/**
 * Opens this many questions for 2026-07-28 clients, measures the gateway, and answers all of them.
 *
 * @param people the number of people who share the calls evenly
 * @param isHeld whether each call keeps its own connection to the server open
 */
export async function weighOpen(gateway: Served, count: number, people: number, isHeld = false): Promise<Added> {
  const fresh = await gateway.ask<Weight>('weigh')
  const travel = async <T>(items: readonly T[], work: (agent: Agent, item: T) => Promise<void>) => {
    const agent = newAgent()
    await inParallel(items, (item) => work(agent, item))
    agent.destroy()
  }
  const numbers = (total: number) => Array.from({ length: total }, (_, n) => n)
  const placeOf = (agent: Agent, n: number) => whereTo(gateway.url, agent, `person-${n % people}`)

  await travel(numbers(Math.min(count, warmTrips)), async (agent, n) => {
    const where = placeOf(agent, n)
    await settleQuestion(where, await openQuestion(where))
  })
  const before = await weighIdle(gateway, fresh.sockets)

  const open: { readonly n: number; readonly question: OpenQuestion }[] = []
  await travel(numbers(count), async (agent, n) => {
    open.push({ n, question: await openQuestion(placeOf(agent, n)) })
  })
  const after = await weighIdle(gateway, fresh.sockets + (isHeld ? count : 0))

  await travel(open, (agent, { n, question }) => settleQuestion(placeOf(agent, n), question))
  return { ...difference(before, after, count), sockets: after.sockets - fresh.sockets }
}

/** Idle connections belong to no question, so they get time to close first. */
async function weighIdle(gateway: Served, sockets: number): Promise<Weight> {
  const endsAt = performance.now() + idleMs
  for (;;) {
    await sleep(quietMs)
    const weight = await gateway.ask<Weight>('weigh')
    if (weight.sockets <= sockets || performance.now() > endsAt) return weight
  }
}

export interface Growth {
  readonly trips: number
  readonly heapBytes: number
  readonly rssBytes: number
}

/**
 * The growth of the gateway's heap after a tenth of the trips; clients of both revisions take turns. The rest is measured in two
 * halves, and twice the smaller growth counts: a leak grows in both, a cache that fills or a late timer in one.
 */
export async function weighGrowth(gateway: Served, trips: number, withinMs: number): Promise<Growth> {
  const agent = newAgent()
  const lines: Line[] = []
  for (let n = 0; n < atOnce; n++) {
    lines.push(await openLine(generations[n % 2] ?? '2026-07-28', gateway.url, agent, `person-${n}`))
  }
  const early = trips / 10
  const travel = async (tripsPerTurn: number) =>
    (await takeTurn(lines, { tripsPerTurn, turnMs: (withinMs * tripsPerTurn) / trips }, () => 0)).length
  const first = await travel(early)
  await sleep(quietMs)
  const before = await gateway.ask<Weight>('weigh')
  const half = (trips - early) / 2
  const second = await travel(half)
  await sleep(quietMs)
  const midway = await gateway.ask<Weight>('weigh')
  const third = await travel(half)
  await sleep(quietMs)
  const after = await gateway.ask<Weight>('weigh')
  agent.destroy()
  const halves = [midway.heapBytes - before.heapBytes, after.heapBytes - midway.heapBytes]
  return { ...difference(before, after, first + second + third), heapBytes: 2 * Math.min(...halves) }
}

function difference(before: Weight, after: Weight, count: number): Added & Growth {
  return {
    count,
    trips: count,
    rssBytes: after.rssBytes - before.rssBytes,
    heapBytes: after.heapBytes - before.heapBytes,
    sockets: after.sockets - before.sockets,
  }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  const worker = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
