import { afterEach, expect, test, vi } from 'vitest'
import { downstreamLimits } from '../limits.ts'
import type { Call } from '../relay/exchange.ts'
import { tellOfWaiting } from './waiting.ts'

afterEach(() => {
  vi.useRealTimers()
})

function aWaitingCall(token: string | undefined) {
  const said: number[] = []
  let last = 0
  const call: Call = {
    tenant: 'default',
    principal: 'ann',
    scope: '',
    method: 'tools/call',
    params: token === undefined ? {} : { _meta: { progressToken: token } },
    client: { info: {}, declared: {}, capabilities: {} },
    notify: ({ params }) => {
      last = Number(params?.progress)
      said.push(last)
    },
    progressed: () => last,
    signal: new AbortController().signal,
  }
  return { call, said, serverReports: (progress: number) => (last = progress) }
}

test('[ROUTE-20] while a person decides, each progress report is larger than the one before, the server’s included', () => {
  vi.useFakeTimers()
  const { call, said, serverReports } = aWaitingCall('t')
  serverReports(3)

  const stop = tellOfWaiting(call)
  vi.advanceTimersByTime(3 * downstreamLimits.keepAliveMs)
  stop()
  vi.advanceTimersByTime(3 * downstreamLimits.keepAliveMs)

  expect(said).toHaveLength(3)
  for (const [index, progress] of said.entries())
    expect(progress).toBeGreaterThan(index === 0 ? 3 : (said[index - 1] ?? 0))
  // The server's own next report, one step further, is still larger than ours.
  expect(said.at(-1)).toBeLessThan(3.001)
})

test('[ROUTE-20] a caller that gave no progress token receives no progress', () => {
  vi.useFakeTimers()
  const { call, said } = aWaitingCall(undefined)

  const stop = tellOfWaiting(call)
  vi.advanceTimersByTime(3 * downstreamLimits.keepAliveMs)
  stop()

  expect(said).toEqual([])
})
