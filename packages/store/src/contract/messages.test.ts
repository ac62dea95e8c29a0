import { expect } from 'vitest'
import type { Box, Store } from '../index.ts'
import { minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const limits = { keepMs: minuteMs, inBox: 100, ofOne: 50 }
const never = new AbortController().signal

function aMessage(store: Store, body: string, principal = 'ann') {
  return { id: store.messages.newId(Date.now()), tenant: 'acme', principal, body }
}

async function bodiesOf(box: Box, count: number): Promise<string[]> {
  const bodies: string[] = []
  while (bodies.length < count) bodies.push(...(await box.next(never)).map(({ body }) => body))
  return bodies
}

async function nothingMore(box: Box): Promise<void> {
  expect(await box.next(AbortSignal.timeout(300))).toEqual([])
  box.close()
}

onEachEngine('[STORE-20] a message is read only by its receiver, once, in the order of sending', async ({ open }) => {
  const [from, to] = [await open(), await open({ pollMs: 100 })]
  const [box, other] = [to.messages.open('one'), to.messages.open('two')]
  for (const body of ['first', 'second', 'third']) await from.messages.send('one', aMessage(from, body), limits)

  expect(await bodiesOf(box, 3)).toEqual(['first', 'second', 'third'])
  await nothingMore(box)
  await nothingMore(other)
})

onEachEngine('[STORE-20] a message to all is read by each replica, once', async ({ open }) => {
  const [from, to] = [await open({ pollMs: 100 }), await open({ pollMs: 100 })]
  const boxes = [from.messages.open('one'), to.messages.open('two'), to.messages.open('three')]
  for (const body of ['first', 'second']) await from.messages.sendToAll(aMessage(from, body), limits)

  // All at once: a box looks back only a few seconds when it is first read.
  const read = await Promise.all(boxes.map((box) => bodiesOf(box, 2)))
  expect(read).toEqual(boxes.map(() => ['first', 'second']))
  await Promise.all(boxes.map(nothingMore))
})

onEachEngine('[STORE-20] a full box refuses messages, also beyond the share of one sender', async ({ open }) => {
  const store = await open()
  const few = { keepMs: minuteMs, inBox: 3, ofOne: 2 }
  const send = (principal: string) => store.messages.send('one', aMessage(store, 'x', principal), few)

  expect([await send('ann'), await send('ann'), await send('ann')]).toEqual([true, true, false])
  expect([await send('ben'), await send('ben')]).toEqual([true, false])
})

onEachEngine('[STORE-20] an expired message is not delivered, and is deleted', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock, pollMs: 50 })
  await store.messages.send('one', aMessage(store, 'late'), limits)
  await store.messages.send('two', aMessage(store, 'late'), limits)
  clock.advance(minuteMs)

  await nothingMore(store.messages.open('one'))
  expect((await store.sweep()).deleted).toBe(1)
})

onEachEngine('[STORE-20] the age of the oldest unread message of a box can be read', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock, pollMs: 50 })
  expect(await store.messages.waitsMs('one')).toBe(0)

  await store.messages.send('one', aMessage(store, 'first'), limits)
  clock.advance(5_000)
  await store.messages.send('one', aMessage(store, 'second'), limits)
  clock.advance(1_000)
  expect([await store.messages.waitsMs('one'), await store.messages.waitsMs('two')]).toEqual([6_000, 0])

  const box = store.messages.open('one')
  await bodiesOf(box, 2)
  box.close()
  expect(await store.messages.waitsMs('one')).toBe(0)
})
