import { expect, test, vi } from 'vitest'
import { RoundEnd } from './round-end.ts'

/** A round whose turns of the event loop are taken by hand. */
function roundOf(earlierReached: () => Promise<void> | undefined = () => undefined) {
  const turns: (() => void)[] = []
  const round = new RoundEnd({ earlierReached, nextTurn: (check) => turns.push(check) })
  const turn = () => turns.splice(0).map((check) => check()).length
  return { round, turn }
}

test('[SDK-9] a round ends one turn after a question is open', async () => {
  const { round, turn } = roundOf()
  expect(turn()).toBe(0)
  round.opened()
  round.opened()
  expect(round.isOver).toBe(false)
  expect(turn()).toBe(1)
  expect(round.isOver).toBe(true)
  await round.ended
})

test('[SDK-9] a round does not end while work is running, and without a question it does not end at all', async () => {
  const { round, turn } = roundOf()
  await round.track(async () => 1)
  expect(turn()).toBe(0)
  const working = Promise.withResolvers<void>()
  const tracked = round.track(() => working.promise)
  round.opened()
  expect(turn()).toBe(0)
  working.resolve()
  await tracked
  expect(turn()).toBe(1)
  expect(round.isOver).toBe(true)
})

test('[SDK-9] work that starts in the last turn keeps the round open, also if it fails', async () => {
  const { round, turn } = roundOf()
  round.opened()
  const working = Promise.withResolvers<void>()
  const tracked = round.track(() => working.promise)
  expect(turn()).toBe(1)
  expect(round.isOver).toBe(false)
  working.reject(new Error('no disk'))
  await expect(tracked).rejects.toThrow('no disk')
  turn()
  expect(round.isOver).toBe(true)
})

test('[SDK-10] a round does not end before earlier rounds were reached again', async () => {
  const reached = Promise.withResolvers<void>()
  let isReached = false
  const { round, turn } = roundOf(() => (isReached ? undefined : reached.promise))
  round.opened()
  turn()
  expect(round.isOver).toBe(false)
  isReached = true
  reached.resolve()
  await vi.waitFor(() => expect(turn()).toBe(1))
  expect(round.isOver).toBe(true)
})

test('[SDK-9] a round that was ended stays ended', async () => {
  const { round, turn } = roundOf()
  round.opened()
  round.end()
  await round.ended
  turn()
  round.opened()
  expect(turn()).toBe(0)
  expect(round.isOver).toBe(true)
})
