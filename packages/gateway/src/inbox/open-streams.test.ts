import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { inboxLimits } from './limits.ts'
import { OpenStreams } from './open-streams.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
})

function aStream(token: string) {
  const events: string[] = []
  const note = (event: string) => () => void events.push(event)
  return { events, stream: { token, keepAlive: note('alive'), end: note('end'), fail: note('fail') } }
}

test('[INBOX-8] the sessions of all open streams are checked at once, and a stream ends with its session', async () => {
  const validOf = vi.fn(async (tokens: readonly string[]) => tokens.filter((token) => token !== 'b'))
  const streams = new OpenStreams(validOf)
  const [first, again, second] = [aStream('a'), aStream('a'), aStream('b')]
  const removals = [first, again, second].map(({ stream }) => streams.add(stream))

  await vi.advanceTimersByTimeAsync(inboxLimits.keepAliveMs)
  expect(validOf.mock.calls).toEqual([[['a', 'b']]])
  expect([first, again, second].map(({ events }) => events)).toEqual([['alive'], ['alive'], ['end']])

  for (const remove of removals) remove()
  await vi.advanceTimersByTimeAsync(2 * inboxLimits.keepAliveMs)
  expect(validOf).toHaveBeenCalledTimes(1)
})

test('[INBOX-8] a stream whose session cannot be checked is closed, and its page reconnects', async () => {
  const streams = new OpenStreams(() => Promise.reject(new Error('unavailable')))
  const { events, stream } = aStream('a')
  onTestFinished(streams.add(stream))

  await vi.advanceTimersByTimeAsync(inboxLimits.keepAliveMs)
  expect(events).toEqual(['fail'])
})
