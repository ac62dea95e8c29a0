// The list of open asks in the terminal, with a feed and a service that the test controls.

import type { AskView } from '@assent/core'
import { expect, test } from 'vitest'
import type { AskService } from '../ask-service.ts'
import type { ChangeFeed, Follower } from '../changes.ts'
import { ann } from '../inbox-env.suite.ts'
import { LiveAsks } from './live-asks.ts'

test('[TLOG-42] in a database that was restored, the list in the terminal is read again', async () => {
  const stored = new Map(['ask_1', 'ask_2'].map((id, at) => [id, openAsk(id, at)]))
  const service = {
    read: async (_: unknown, id: string) => {
      const ask = stored.get(id)
      return ask === undefined ? { ok: false } : { ok: true, view: { ask } }
    },
    page: async () => ({ asks: [...stored.values()] }),
  } as unknown as AskService
  let follower: Follower | undefined
  const feed = {
    follow: async (_: unknown, given: Follower) => {
      follower = given
      given.begin()
    },
  } as unknown as ChangeFeed
  const onError = (error: unknown) => {
    throw error
  }
  const live = new LiveAsks({ service, feed, person: ann, now: () => 0, onError })
  await live.start(new AbortController().signal)
  const ids = () => live.list().map(({ id }) => id)
  expect(ids()).toEqual(['ask_2', 'ask_1'])

  stored.delete('ask_1')
  stored.set('ask_3', openAsk('ask_3', 3))
  follower?.begin()
  await expect.poll(ids).toEqual(['ask_3', 'ask_2'])
})

function openAsk(id: string, raisedAtMs: number): AskView {
  return { id, raisedAtMs, decideByMs: 1_000, state: { kind: 'open' } } as unknown as AskView
}
