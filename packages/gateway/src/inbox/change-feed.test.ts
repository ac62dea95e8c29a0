// The reader of changes, with a store whose reads the test controls.

import type { Person } from '@assent/core'
import type { ChangesRead, Store } from '@assent/store'
import { expect, test } from 'vitest'
import { ChangeFeed, type Follower } from './changes.ts'
import { ann, ben, tenant } from './inbox-env.suite.ts'

const nothingNew: ChangesRead = { changes: [], position: '4', more: false }

/** A store at position 4. Each read of changes, and each wait for one, ends when the test resolves it. */
function aStore() {
  const reads: ((read: ChangesRead) => void)[] = []
  const people: Person[] = []
  const waits: ((isNotified: boolean) => void)[] = []
  const listener = {
    add: (person: Person) => people.push(person),
    remove: () => undefined,
    since: () => new Promise<ChangesRead>((resolve) => reads.push(resolve)),
    wait: () => new Promise<boolean>((resolve) => waits.push(resolve)),
    close: () => undefined,
  }
  const changes = { listen: () => listener, last: async () => '4' }
  return { reads, waits, people, store: { changes } as unknown as Store }
}

function aFollower() {
  const events: unknown[] = []
  const follower: Follower = {
    begin: () => events.push('begin'),
    notify: (notice) => events.push(notice),
    end: () => undefined,
  }
  return { events, follower }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

test('[INBOX-5] a page that opens during a read begins after it, because that read did not include its person', async () => {
  const { store, reads, people } = aStore()
  const feed = new ChangeFeed(store, tenant, () => undefined)
  const { signal } = new AbortController()
  const [first, second] = [aFollower(), aFollower()]
  void feed.follow(ann, first.follower, signal)
  await settled()
  expect([reads.length, people]).toEqual([1, [ann]])

  void feed.follow(ben, second.follower, signal)
  await settled()
  expect(people).toEqual([ann, ben])
  expect(second.events).toEqual([])
  reads[0]?.({ ...nothingNew, position: '9' })
  await settled()

  expect(second.events).toEqual(['begin'])
})

test('[INBOX-5] a page that opens while the store cannot be read is served by the next read', async () => {
  const { store, reads } = aStore()
  const errors: unknown[] = []
  const feed = new ChangeFeed(store, tenant, (error) => errors.push(error))
  const { signal } = new AbortController()
  const { events, follower } = aFollower()
  void feed.follow(ann, follower, signal)
  await settled()
  reads[0]?.(Promise.reject(new Error('unavailable')) as never)
  await settled()

  expect(errors).toHaveLength(1)
  expect(events).toEqual(['begin'])
})

test('[INBOX-5] a follower that cannot begin is not kept, and can begin again', async () => {
  const { store, reads } = aStore()
  const failing = { ...store.changes, last: () => Promise.reject(new Error('The store is unavailable.')) }
  const parts = { changes: failing } as unknown as { changes: Store['changes'] }
  const feed = new ChangeFeed(parts as Store, tenant, () => undefined)
  const { events, follower } = aFollower()
  const leaving = new AbortController()

  await expect(feed.follow(ann, follower, leaving.signal)).rejects.toThrow('unavailable')
  expect(feed.following).toBe(0)

  parts.changes = store.changes
  void feed.follow(ann, follower, leaving.signal)
  await settled()
  reads[0]?.(nothingNew)
  await settled()
  expect([feed.following, events]).toEqual([1, ['begin']])
  leaving.abort()
  expect(feed.following).toBe(0)
})

test('[TLOG-42] in a database that was restored, every page reads everything again', async () => {
  const { store, reads, waits } = aStore()
  const feed = new ChangeFeed(store, tenant, () => undefined)
  const { signal } = new AbortController()
  const [first, second] = [aFollower(), aFollower()]
  void feed.follow(ann, first.follower, signal)
  await settled()
  reads[0]?.(nothingNew)
  await settled()
  waits[0]?.(true)
  await settled()
  // It begins after this read.
  void feed.follow(ben, second.follower, signal)
  reads[1]?.({ ...nothingNew, position: '2', isRestored: true })
  await settled()

  expect([first.events, second.events]).toEqual([['begin', 'begin'], ['begin']])
})
