// The cost of a million open asks: one settle and one page of an inbox, compared with a thousand.
//
// Two schemas, measured in turns, one operation at a time. In both, Ann has a thousand asks and a group has all of them; in
// the large one Ann's asks are spread over the whole table. Pages are measured before settles: a settle leaves a dead entry
// until the next vacuum, and those would slow down the small schema and make the ratio look better.

import { randomBytes } from 'node:crypto'
import { type AskDraft, newId, type Person } from '@assent/core'
import type { Store } from '@assent/store'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { retried } from '../../test-kit/retried.ts'
import { median, quantile, say, seconds, whole } from './figures.ts'
import * as load from './load.ts'
import { inFreshSchema, type TestDb } from './test-db.ts'

export interface Scale {
  readonly few: number
  readonly many: number
  readonly pages: number
  readonly settles: number
  readonly seed: number
}

export interface ScaleResult {
  readonly settleRatio: number
  /** The worst of the lists. */
  readonly listRatio: number
  readonly worstList: string
}

interface Ground {
  readonly count: number
  readonly testDb: TestDb
  readonly store: Store
}

interface Operation {
  readonly title: string
  /** The operation is timed; the returned cleanup is not. */
  readonly prepare: (ground: Ground) => () => Promise<(() => Promise<void>) | undefined>
}

interface Lists {
  readonly title: string
  readonly person: Person
  readonly middle: boolean
  readonly server?: string
}

const tenants = 1
const tenant = load.tenantOf(0, tenants)
const asksOfAnn = 1_000
const warmUps = 20

export async function scale(options: Scale): Promise<ScaleResult> {
  return inFreshSchema((small) =>
    inFreshSchema(async (large) => {
      const grounds: Ground[] = []
      for (const [testDb, count] of [
        [small, options.few],
        [large, options.many],
      ] as const) {
        const startedAt = performance.now()
        await testDb.load({ from: 0, to: count, tenants, people: count / asksOfAnn, alsoToEveryone: true })
        say(`${whole(count)} open asks loaded and vacuumed in ${seconds(startedAt)}`)
        grounds.push({ count, testDb, store: await testDb.open(2) })
      }
      const lists = await measureLists(grounds, options.pages)
      const settleRatio = await measureSettles(grounds, options.settles, seededRandom(options.seed))
      return { settleRatio, ...lists }
    }),
  )
}

async function measureLists(grounds: readonly Ground[], pages: number): Promise<Omit<ScaleResult, 'settleRatio'>> {
  const operations = everyList().map((list) => ({
    title: list.title,
    prepare: (ground: Ground) => () => showPage(ground, list),
  }))
  const ratios = await compare(grounds, pages, operations)
  const listRatio = Math.max(...ratios)
  return { listRatio, worstList: operations[ratios.indexOf(listRatio)]?.title ?? '' }
}

function everyList(): Lists[] {
  const people = [
    ['Ann’s thousand', load.ann],
    ['everyone’s', load.someoneOfEveryone],
  ] as const
  return people.flatMap(([whose, person]) =>
    [false, true].flatMap((middle) => {
      const title = `${whose}, ${middle ? 'a page in the middle' : 'first page'}`
      return [
        { title, person, middle },
        { title: `${title}, of one server`, person, middle, server: 'deploy-3' },
      ]
    }),
  )
}

async function showPage({ count, testDb, store }: Ground, { person, middle, server }: Lists): Promise<undefined> {
  const wanted = {
    tenant,
    person,
    show: 'open',
    ...(server === undefined ? {} : { server }),
    ...(middle ? { cursor: cursorAt(count / 2, testDb.loadedAtMs) } : {}),
  } as const
  const page = await retried(() => store.inbox.page(wanted))
  if (page.asks.length !== 50 || page.next === undefined)
    throw new Error(`A page has ${page.asks.length} asks instead of 50, or no next page.`)
}

/** A cursor in the inbox's format. Walking there page by page would take ten thousand pages. */
function cursorAt(n: number, loadedAtMs: number): string {
  return Buffer.from(JSON.stringify([load.raisedAtMs(n, loadedAtMs), load.askId(n)])).toString('base64url')
}

/** Settles random open asks, and raises a new one for each, so that the number stays the same. */
async function measureSettles(grounds: readonly Ground[], settles: number, random: SeededRandom): Promise<number> {
  const left = new Map(grounds.map(({ count }) => [count, pickDistinct(random, count, settles + warmUps)]))
  const prepare = ({ count, store }: Ground) => {
    const n = left.get(count)?.pop() ?? 0
    const person = load.someoneOfEveryone
    const request = { tenant, id: load.askId(n), person, via: 'inbox', answer: yes, decisionId: `d-${n}` } as const
    return async () => {
      const { kind } = await retried(() => store.asks.answer(request))
      if (kind !== 'settled') throw new Error(`Ask ${n} should be settled, but is "${kind}".`)
      return () => raiseAnother(store, n)
    }
  }
  const [ratio = Number.NaN] = await compare(grounds, settles, [{ title: 'settle any one', prepare }])
  return ratio
}

const yes = { action: 'accept' } as const

async function raiseAnother(store: Store, n: number): Promise<void> {
  const draft: AskDraft = {
    tenant,
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: `deploy-${n % load.servers}`, tool: 'rollout' },
    principal: 'agent',
    question: load.question(),
    approvalRule: { approvers: ['person:p0', 'group:everyone'], excluded: [], approvals: 1, declines: 1 },
    decideWithinMs: load.decideWithinMs,
    useWithinMs: load.useWithinMs,
  }
  await retried(() => store.asks.raise(draft))
}

function pickDistinct(random: SeededRandom, below: number, count: number): number[] {
  const picked = new Set<number>()
  while (picked.size < Math.min(count, below)) picked.add(random.int(below))
  return [...picked]
}

/** Runs all operations in turns, on both schemas. Returns for each the ratio of the medians, large to small. */
async function compare(grounds: readonly Ground[], times: number, operations: readonly Operation[]): Promise<number[]> {
  const samples = operations.map(() => grounds.map((): number[] => []))
  for (let i = -warmUps; i < times; i++) {
    // The order alternates, because the second finds warm caches.
    const order = i % 2 === 0 ? [...grounds.entries()] : [...grounds.entries()].reverse()
    for (const [index, { prepare }] of operations.entries()) {
      for (const [which, ground] of order) {
        const operate = prepare(ground)
        const startedAt = performance.now()
        const tidy = await operate()
        if (i >= 0) samples[index]?.[which]?.push(performance.now() - startedAt)
        await tidy?.()
      }
    }
  }
  return operations.map(({ title }, index) => {
    const [small = [], large = []] = samples[index] ?? []
    const ratio = median(large) / median(small)
    const both = (share: number) => `${quantile(small, share).toFixed(2)} → ${quantile(large, share).toFixed(2)}`
    say(`${title}: ×${ratio.toFixed(2)}; p50 ${both(0.5)} ms, p95 ${both(0.95)} ms`)
    return ratio
  })
}
