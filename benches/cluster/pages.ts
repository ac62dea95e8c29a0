// Decisions of replicas on a database with a synchronous standby, with an open inbox page at each replica, in turns with none.

import type { Served } from '../relay/processes.ts'
import { median, quantile, whole } from '../store/figures.ts'
import type { Decided } from './decide.ts'
import type { ClusterEnv } from './test-env.ts'

/** Added to each commit by a proxy between the database and its standby. */
export const commitDelayMs = 5

export interface PagesSize {
  readonly turns: number
  readonly turnMs: number
  readonly people: number
}

export interface WithPages {
  /** Decisions per second. */
  readonly closed: number
  readonly open: number
  /** The median of the ratios of neighbouring turns. */
  readonly ratio: number
  /** Whether every page received changes. */
  readonly isLive: boolean
}

export async function withPages(
  testEnv: ClusterEnv,
  replicas: readonly Served[],
  { turns, turnMs, people }: PagesSize,
  say: (line: string) => void,
): Promise<WithPages> {
  const urls = replicas.map(({ url }) => url)
  const lifeMs: Record<'closed' | 'open', number[]> = { closed: [], open: [] }
  const rates: Record<'closed' | 'open', number[]> = { closed: [], open: [] }
  let isLive = true
  const decide = async (pages: 'closed' | 'open') => {
    if (pages === 'open') await testEnv.do({ kind: 'watch', urls })
    const decided = await testEnv.do<Decided>({ kind: 'decide', way: 'inbox', urls, people, forMs: turnMs })
    rates[pages].push((1_000 * decided.count) / decided.tookMs)
    lifeMs[pages].push(...decided.lifeMs)
    if (pages === 'closed') return
    const { changes } = await testEnv.do<{ changes: readonly number[] }>({ kind: 'unwatch' })
    isLive &&= changes.every((count) => count > 0)
  }
  // Until frequently used code is optimized in all processes.
  await testEnv.do<Decided>({ kind: 'decide', way: 'inbox', urls, people, forMs: turnMs })
  for (let turn = 0; turn < turns; turn++)
    for (const pages of turn % 2 === 0 ? (['closed', 'open'] as const) : (['open', 'closed'] as const))
      await decide(pages)
  const ratio = median(rates.open.map((rate, turn) => rate / (rates.closed[turn] ?? Number.NaN)))
  const inWords = (pages: 'closed' | 'open') =>
    `${whole(median(rates[pages]))} decisions/s, p50 ${quantile(lifeMs[pages], 0.5).toFixed(0)} ms, p99 ${quantile(lifeMs[pages], 0.99).toFixed(0)} ms`
  say(
    `${replicas.length} replicas, synchronous standby with ${commitDelayMs} ms per commit: ${inWords('closed')}; with an open page at each: ${inWords('open')} (×${ratio.toFixed(2)})`,
  )
  return { closed: median(rates.closed), open: median(rates.open), ratio, isLive }
}
