import { afterEach, expect, test, vi } from 'vitest'
import { clientLimits } from '../../limits.ts'
import type { Call } from '../model.ts'
import { reportWaiting } from './waiting-progress.ts'

afterEach(() => {
  vi.useRealTimers()
})

function aWaitingCall(token: string | undefined) {
  const sent: number[] = []
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
      sent.push(last)
    },
    progressed: () => last,
    signal: new AbortController().signal,
  }
  return { call, sent, serverReports: (progress: number) => (last = progress) }
}

test('[ROUTE-20] while a person decides, each progress report is larger than the one before, the server’s included', () => {
  vi.useFakeTimers()
  const { call, sent, serverReports } = aWaitingCall('t')
  serverReports(3)

  const stop = reportWaiting(call, () => undefined)
  vi.advanceTimersByTime(3 * clientLimits.keepAliveMs)
  stop()
  vi.advanceTimersByTime(3 * clientLimits.keepAliveMs)

  expect(sent).toHaveLength(3)
  for (const [index, progress] of sent.entries())
    expect(progress).toBeGreaterThan(index === 0 ? 3 : (sent[index - 1] ?? 0))
  // The server's own next report, one step further, is still larger than ours.
  expect(sent.at(-1)).toBeLessThan(3.001)
})

test('[ROUTE-20] a caller that gave no progress token receives no progress', () => {
  vi.useFakeTimers()
  const { call, sent } = aWaitingCall(undefined)

  const stop = reportWaiting(call, () => undefined)
  vi.advanceTimersByTime(3 * clientLimits.keepAliveMs)
  stop()

  expect(sent).toEqual([])
})

test('[ROUTE-20] a token may be a number, and the first report of a caller without progress is larger than zero', () => {
  vi.useFakeTimers()
  const notify = vi.fn()
  const { progressed: _none, ...call } = aWaitingCall(undefined).call

  const stop = reportWaiting({ ...call, params: { _meta: { progressToken: 0 } }, notify }, () => undefined)
  vi.advanceTimersByTime(clientLimits.keepAliveMs)
  stop()

  expect(notify.mock.calls).toEqual([
    [
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 0, progress: 1e-6, message: expect.stringContaining('Waiting for a person') },
      },
    ],
  ])
})

test('[ROUTE-20] the text of a progress report links to the question once the inbox is open', () => {
  vi.useFakeTimers()
  const { call } = aWaitingCall('t')
  const links = [undefined, 'http://127.0.0.1:7421/asks/ask_1']
  const messages: unknown[] = []

  const stop = reportWaiting({ ...call, notify: ({ params }) => void messages.push(params?.message) }, () =>
    links.shift(),
  )
  vi.advanceTimersByTime(2 * clientLimits.keepAliveMs)
  stop()

  const text = 'Waiting for a person to answer in the inbox'
  expect(messages).toEqual([`${text}.`, `${text}: http://127.0.0.1:7421/asks/ask_1`])
})
