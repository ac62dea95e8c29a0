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
  return { events, stream: { token, keepAlive: note('alive'), end: note('end') } }
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

test('[INBOX-8] streams whose sessions cannot be read stay open for some checks; then their pages reconnect', async () => {
  const errors: unknown[] = []
  let isAway = true
  const validOf = async (tokens: readonly string[]) => {
    if (isAway) throw new Error('unavailable')
    return tokens
  }
  const streams = new OpenStreams(validOf, (error) => errors.push(error))
  const [one, other] = [aStream('a'), aStream('b')]
  for (const { stream } of [one, other]) onTestFinished(streams.add(stream))
  const check = () => vi.advanceTimersByTimeAsync(inboxLimits.keepAliveMs)

  for (let count = 1; count < inboxLimits.failedSessionChecks; count++) await check()
  isAway = false
  await check()
  isAway = true
  for (let count = 1; count < inboxLimits.failedSessionChecks; count++) await check()
  expect(new Set([...one.events, ...other.events])).toEqual(new Set(['alive']))

  await check()
  expect([one.events.at(-1), other.events.at(-1)]).toEqual(['end', 'end'])
  // Once per check, not once per stream.
  expect(errors).toHaveLength(2 * inboxLimits.failedSessionChecks - 1)
})

test('[INBOX-8] many sessions are read in parts, and a check that takes long is not started twice', async () => {
  let finish: () => void = () => undefined
  const validOf = vi.fn(async (tokens: readonly string[]) => {
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    return tokens
  })
  const streams = new OpenStreams(validOf)
  const all = Array.from({ length: inboxLimits.sessionsChecked + 1 }, (_, at) => aStream(`t${at}`))
  for (const { stream } of all) onTestFinished(streams.add(stream))

  await vi.advanceTimersByTimeAsync(2 * inboxLimits.keepAliveMs)
  expect(validOf).toHaveBeenCalledTimes(1)
  finish()
  await vi.advanceTimersByTimeAsync(0)
  finish()
  await vi.advanceTimersByTimeAsync(0)

  expect(validOf.mock.calls.map(([tokens]) => tokens.length)).toEqual([inboxLimits.sessionsChecked, 1])
  expect(all.map(({ events }) => events)).toEqual(all.map(() => ['alive']))
})
