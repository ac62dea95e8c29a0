import type { AskView } from '@assent/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AskNotifier, isWithin, type NotifierParts } from './ask-notifier.ts'
import { standaloneLimits } from './limits.ts'

const { notifyAfterMs, notifyEveryMs, notificationAsks, openEveryMs } = standaloneLimits
const inboxUrl = 'http://127.0.0.1:7421/'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function viewOf(id: string, state: AskView['state']['kind'] = 'open'): AskView {
  const asker = { server: 'Your agent', isAgent: true }
  return {
    id,
    asker,
    caller: { client: 'Codex', folder: 'notes' },
    headline: `Ask ${id}?`,
    state: { kind: state },
  } as AskView
}

function open(parts: Partial<NotifierParts> = {}) {
  const show = vi.fn(async () => undefined)
  const onError = vi.fn()
  const read = async (id: string) => viewOf(id)
  const given = { read, inboxUrl, show, hasOpenPage: () => false, isQuiet: () => false, onError, ...parts }
  const notifier = new AskNotifier(given)
  return { notifier, show, onError, raised: (id: string) => notifier.notify({ id, change: 'raised' }) }
}

test('[NOTIFY-1] a new question shows who asks and its title', async () => {
  const { raised, show } = open()
  raised('a')
  await vi.advanceTimersByTimeAsync(notifyAfterMs - 1)
  expect(show).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)

  expect(show.mock.calls).toEqual([[{ title: 'Codex in notes', text: 'Ask a?', url: `${inboxUrl}asks/a` }]])
})

test('[NOTIFY-1] many questions share a notification, and the next one waits', async () => {
  const { raised, show } = open()
  for (const id of ['a', 'b', 'c']) raised(id)
  await vi.advanceTimersByTimeAsync(notifyAfterMs)
  raised('d')
  await vi.advanceTimersByTimeAsync(notifyEveryMs - 1)
  expect(show.mock.calls).toEqual([[{ title: 'Assent', text: '3 questions are waiting for you.', url: inboxUrl }]])
  await vi.advanceTimersByTimeAsync(1)
  expect(show).toHaveBeenCalledTimes(2)

  for (let more = 0; more < notificationAsks + 5; more++) raised(String(more))
  await vi.advanceTimersByTimeAsync(notifyEveryMs)
  expect(show).toHaveBeenLastCalledWith(
    expect.objectContaining({ text: `${notificationAsks} questions are waiting for you.` }),
  )
})

test('[NOTIFY-1] a question that has ended shows nothing', async () => {
  const { notifier, raised, show } = open()
  raised('a')
  notifier.notify({ id: 'a', change: 'settled' })
  await vi.advanceTimersByTimeAsync(notifyAfterMs)

  const ended = open({ read: async (id) => (id === 'a' ? viewOf(id, 'expired') : undefined) })
  ended.raised('a')
  ended.raised('b')
  ended.notifier.notify({ id: 'c', change: 'voted' })
  await vi.advanceTimersByTimeAsync(notifyAfterMs)

  expect([show, ended.show].map(({ mock }) => mock.calls)).toEqual([[], []])
})

test('[NOTIFY-1] in quiet hours, and after the end, nothing is shown', async () => {
  const quiet = open({ isQuiet: () => true })
  quiet.raised('a')
  const ended = open()
  ended.raised('a')
  ended.notifier.end()
  await vi.advanceTimersByTimeAsync(notifyAfterMs + notifyEveryMs)

  expect([quiet.show, ended.show].map(({ mock }) => mock.calls)).toEqual([[], []])
})

test('[NOTIFY-1] a program that is missing, or fails again and again, is not tried any more', async () => {
  const missing = Object.assign(new Error('notify-send is missing'), { code: 'ENOENT' })
  for (const [error, tries] of [
    [missing, 1],
    [new Error('It failed.'), standaloneLimits.notificationFailures],
  ] as const) {
    const { raised, show, onError } = open()
    show.mockRejectedValue(error)
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      raised(id)
      await vi.advanceTimersByTimeAsync(notifyAfterMs + notifyEveryMs)
    }

    expect(show).toHaveBeenCalledTimes(tries)
    expect(onError).toHaveBeenCalledTimes(tries)
    expect(onError).toHaveBeenLastCalledWith(new Error('The notification of a question was not shown.'))
  }
})

test('[NOTIFY-1] after a failure of the store, or a single failure to show it, the next question notifies', async () => {
  const read = vi.fn(async (id: string) => viewOf(id)).mockRejectedValueOnce(new Error('The store is unavailable.'))
  const { raised, show, onError } = open({ read })
  const raiseAll = async (...ids: string[]) => {
    for (const id of ids) {
      raised(id)
      await vi.advanceTimersByTimeAsync(notifyAfterMs + notifyEveryMs)
    }
  }
  await raiseAll('a', 'b')
  expect([show.mock.calls.length, onError.mock.calls.length]).toEqual([1, 1])

  for (let times = 0; times < 3; times++) {
    show.mockRejectedValueOnce(new Error('It failed.')).mockRejectedValueOnce(new Error('It failed.'))
    await raiseAll('c', 'd', 'e')
  }
  expect(show).toHaveBeenCalledTimes(10)
})

test('[NOTIFY-2] a question opens its page if no page is open, and not again soon after', async () => {
  const openTab = vi.fn(async () => undefined)
  let isOpen = true
  const { raised, show } = open({ openTab, hasOpenPage: () => isOpen })
  const raise = async (...ids: string[]) => {
    for (const id of ids) raised(id)
    await vi.advanceTimersByTimeAsync(notifyAfterMs + notifyEveryMs)
  }
  await raise('a')
  isOpen = false
  expect(openTab).not.toHaveBeenCalled()
  await raise('b')
  expect(openTab.mock.calls).toEqual([['/asks/b']])
  await raise('c')
  expect(openTab).toHaveBeenCalledTimes(1)

  await vi.advanceTimersByTimeAsync(openEveryMs)
  await raise('d', 'e')
  expect(openTab.mock.calls).toEqual([['/asks/b'], ['/']])
  expect(show).toHaveBeenCalledTimes(4)
})

test('[NOTIFY-2] in quiet hours no page opens; without notifications, or if they fail, one does', async () => {
  const quiet = vi.fn(async () => undefined)
  open({ openTab: quiet, isQuiet: () => true }).raised('a')
  const alone = vi.fn(async () => undefined)
  const parts = { inboxUrl, read: async (id: string) => viewOf(id), hasOpenPage: () => false, isQuiet: () => false }
  new AskNotifier({ ...parts, openTab: alone, onError: vi.fn() }).notify({ id: 'a', change: 'raised' })
  const failing = vi.fn(async () => undefined)
  const { raised, show } = open({ openTab: failing })
  show.mockRejectedValue(Object.assign(new Error('notify-send is missing'), { code: 'ENOENT' }))
  for (const id of ['a', 'b']) {
    raised(id)
    await vi.advanceTimersByTimeAsync(notifyAfterMs + openEveryMs)
  }

  expect([quiet, alone, failing].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 2])
})

test('[NOTIFY-2] a page that cannot be opened is reported, and the notification is still shown', async () => {
  const openTab = vi.fn(async () => {
    throw new Error('No browser could be opened.')
  })
  const { raised, show, onError } = open({ openTab })
  raised('a')
  await vi.advanceTimersByTimeAsync(notifyAfterMs)

  expect(show).toHaveBeenCalledTimes(1)
  expect(onError.mock.calls).toEqual([[new Error('No browser could be opened.')]])
})

test('[NOTIFY-1] quiet hours may include midnight', () => {
  const at = (time: string) => new Date(`2026-11-17T${time}:00`)
  const isQuiet = (hours: string | undefined) =>
    ['06:59', '07:00', '12:00', '21:59', '22:00', '23:30', '00:00'].filter((time) => isWithin(hours, at(time)))

  expect(isQuiet(undefined)).toEqual([])
  expect(isQuiet('22:00-07:00')).toEqual(['06:59', '22:00', '23:30', '00:00'])
  expect(isQuiet('07:00-22:00')).toEqual(['07:00', '12:00', '21:59'])
  expect(isQuiet('07:00-07:00')).toEqual([])
})
