// Measures open inbox pages: how much memory each takes in a gateway, and how long a decision takes to reach all pages of its person.
//
// One gateway with PostgreSQL; the pages are in two other processes. Each page is one connection. The number of pages is limited by
// the files that a process may open, 20,000 here. Memory per page is measured at two counts, so that larger ones can be computed.

import { randomBytes } from 'node:crypto'
import { createKeyRing, newId, soleApprover } from '@assent/core'
import { openPostgres, type Store } from '@assent/store'
import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { deployedNodeOptions } from '../cluster/deployed.ts'
import { acceptAsk } from '../cluster/person.ts'
import type { ReplicaSettings } from '../cluster/replica.ts'
import { Processes, type Served } from '../relay/processes.ts'
import { newAgent } from '../relay/ways.ts'
import type { Weight } from '../relay/weigh.ts'
import { quantile, whole } from '../store/figures.ts'
import { inFreshSchema } from '../store/test-db.ts'
import { nowMs } from './clock.ts'
import type { WatchCommand } from './watchers.ts'

/** As many as one person may have. */
const pagesEach = 24
const watcherCount = 2

/** A form that the bench's people know how to answer. */
const question = {
  kind: 'form',
  message: 'Where, and how many?',
  form: {
    fields: [
      { kind: 'choice', name: 'region', required: true, options: [{ value: 'eu' }, { value: 'us' }] },
      { kind: 'number', name: 'replicas', required: true, integer: true },
    ],
  },
} as const

/** The quick form runs on a busy machine: its limits find a broken stream, not a slower one. */
const sizes = {
  full: { people: 624, decisions: 400, bytesMost: 20_000, p99MostMs: 150 },
  quick: { people: 32, decisions: 20, bytesMost: 60_000, p99MostMs: 5_000 },
} as const

export const run: Measurement = async ({ quick }) => {
  const size = sizes[quick ? 'quick' : 'full']
  const { pages, bytesEach, halfBytesEach, rssMb, delaysMs, late } = await measured(size)
  const goals: Goal[] = [
    { what: 'memory of an open page', value: bytesEach, unit: 'bytes', most: size.bytesMost },
    {
      what: 'from a decision to the last page, p99',
      value: quantile(delaysMs, 0.99),
      unit: 'ms',
      most: size.p99MostMs,
    },
    { what: 'pages that missed a decision', value: late, unit: '', most: 0 },
  ]
  say(`with half of the pages: ${whole(halfBytesEach)} bytes each`)
  return {
    reached: goals.every(isMet),
    goals,
    figure:
      `streams: ${whole(pages)} open pages in one gateway take ${whole(bytesEach)} bytes each, ${whole(rssMb)} MB in all; a decision reaches ` +
      `all ${pagesEach} pages of its person after ${quantile(delaysMs, 0.5).toFixed(1)} ms (p50), ${quantile(delaysMs, 0.99).toFixed(1)} ms (p99)`,
  }
}

interface Size {
  readonly people: number
  readonly decisions: number
}

function measured({ people, decisions }: Size) {
  return inFreshSchema((testDb) =>
    Processes.within(async (processes) => {
      const secret = randomBytes(32)
      const server = await processes.serve('server', ['2026-07-28', 'http'])
      const settings: ReplicaSettings = {
        database: testDb.url,
        schema: testDb.schema,
        secret: secret.toString('base64'),
        server: server.url,
        holdMs: 0,
      }
      const gateway = await processes.serve('clusterReplica', [JSON.stringify(settings)], deployedNodeOptions())
      const names = Array.from({ length: people }, (_, number) => `person ${number}`)
      const watchers = await Promise.all(Array.from({ length: watcherCount }, () => processes.serve('watchers', [])))
      const before = await weight(gateway)
      // The first half of the people, then the other half: memory at two counts.
      const cookies = await open(gateway, watchers, names.slice(0, people / 2))
      const half = await weight(gateway)
      for (const cookie of await open(gateway, watchers, names.slice(people / 2))) cookies.push(cookie)
      const after = await weight(gateway)
      const pages = people * pagesEach
      say(`${whole(pages)} pages of ${whole(people)} people are open: ${whole(after.sockets - before.sockets)} sockets`)

      const keys = createKeyRing([{ id: 'bench', secret }])
      const store = await openPostgres(testDb.url, { keys, schema: testDb.schema, connections: 2 })
      try {
        const delays = await decide(store, gateway, watchers, names, cookies, decisions)
        return {
          pages,
          bytesEach: (after.rssBytes - before.rssBytes) / pages,
          halfBytesEach: (half.rssBytes - before.rssBytes) / (pages / 2),
          rssMb: after.rssBytes / 2 ** 20,
          ...delays,
        }
      } finally {
        await store.close()
      }
    }),
  )
}

function weight(gateway: Served): Promise<Weight> {
  return gateway.ask<Weight>('weigh')
}

/** Half of the people in each process. Returns their cookies in the order of the names. */
async function open(gateway: Served, watchers: readonly Served[], names: readonly string[]): Promise<string[]> {
  const share = Math.ceil(names.length / watchers.length)
  const cookies: string[] = []
  for (const [index, watcher] of watchers.entries()) {
    const links: string[] = []
    for (const invite of names.slice(index * share, (index + 1) * share))
      links.push((await gateway.ask<{ link: string }>({ invite })).link)
    const command: WatchCommand = { kind: 'open', url: gateway.url, links, pages: pagesEach }
    cookies.push(...(await watcher.ask<{ cookies: string[] }>(command, openWithinMs)).cookies)
  }
  return cookies
}

const openWithinMs = 10 * 60_000
const arriveWithinMs = 10_000

/** One person after the other decides; the time is from sending the decision until the last of their pages has it. */
async function decide(
  store: Store,
  gateway: Served,
  watchers: readonly Served[],
  names: readonly string[],
  cookies: readonly string[],
  count: number,
): Promise<{ delaysMs: number[]; late: number }> {
  const agent = newAgent()
  const delaysMs: number[] = []
  let late = 0
  const half = names.length / 2
  const share = Math.ceil(half / watchers.length)
  try {
    for (let number = 0; number < count; number++) {
      const at = Math.floor((number * names.length) / count)
      const [principal = '', cookie = ''] = [names[at], cookies[at]]
      const watcher = watchers[Math.floor((at % half) / share)]
      const id = newId('ask', Date.now(), randomBytes)
      await store.asks.raise({
        tenant: 'default',
        id,
        asker: { server: 'bench', tool: 'ask' },
        principal,
        question,
        approvalRule: soleApprover(principal),
        decideWithinMs: 600_000,
        useWithinMs: 300_000,
      })
      const sentMs = nowMs()
      await acceptAsk(agent, new URL(gateway.url).origin, cookie, id)
      const command: WatchCommand = { kind: 'await', ask: id, count: pagesEach, withinMs: arriveWithinMs }
      const { atMs } = (await watcher?.ask<{ atMs: number[] }>(command)) ?? { atMs: [] }
      late += pagesEach - atMs.length
      delaysMs.push(Math.max(...atMs) - sentMs)
    }
    return { delaysMs, late }
  } finally {
    agent.destroy()
  }
}

function say(line: string): void {
  console.log(`streams: ${line}`)
}
