import { expect } from 'vitest'
import type { Box, Store } from '../index.ts'
import { minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const limits = { keepMs: minuteMs, inBox: 100, ofOne: 50 }
const never = new AbortController().signal

function aLetter(store: Store, body: string, principal = 'ann') {
  return { id: store.letters.newId(Date.now()), tenant: 'acme', principal, body }
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

onEachEngine('[STORE-20] a letter is read by its addressee alone, once, in the order of sending', async ({ open }) => {
  const [from, to] = [await open(), await open({ pollMs: 100 })]
  const [box, other] = [to.letters.open('one'), to.letters.open('two')]
  for (const body of ['first', 'second', 'third']) await from.letters.send('one', aLetter(from, body), limits)

  expect(await bodiesOf(box, 3)).toEqual(['first', 'second', 'third'])
  await nothingMore(box)
  await nothingMore(other)
})

onEachEngine('[STORE-20] what is sent to all is read by each, once', async ({ open }) => {
  const [from, to] = [await open({ pollMs: 100 }), await open({ pollMs: 100 })]
  const boxes = [from.letters.open('one'), to.letters.open('two'), to.letters.open('three')]
  for (const body of ['first', 'second']) await from.letters.sendToAll(aLetter(from, body), limits)

  for (const box of boxes) {
    expect(await bodiesOf(box, 2)).toEqual(['first', 'second'])
    await nothingMore(box)
  }
})

onEachEngine('[STORE-20] a full box refuses, also when one sender alone would fill it', async ({ open }) => {
  const store = await open()
  const few = { keepMs: minuteMs, inBox: 3, ofOne: 2 }
  const send = (principal: string) => store.letters.send('one', aLetter(store, 'x', principal), few)

  expect([await send('ann'), await send('ann'), await send('ann')]).toEqual([true, true, false])
  expect([await send('ben'), await send('ben')]).toEqual([true, false])
})

onEachEngine('[STORE-20] a letter that nobody read in time is not delivered, and is forgotten', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock, pollMs: 50 })
  await store.letters.send('one', aLetter(store, 'late'), limits)
  await store.letters.send('two', aLetter(store, 'late'), limits)
  clock.advance(minuteMs)

  await nothingMore(store.letters.open('one'))
  expect((await store.sweep()).forgotten).toBe(1)
})

onEachEngine('[STORE-20] it is known how long a box was not read', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock, pollMs: 50 })
  expect(await store.letters.waitsMs('one')).toBe(0)

  await store.letters.send('one', aLetter(store, 'first'), limits)
  clock.advance(5_000)
  await store.letters.send('one', aLetter(store, 'second'), limits)
  clock.advance(1_000)
  expect([await store.letters.waitsMs('one'), await store.letters.waitsMs('two')]).toEqual([6_000, 0])

  const box = store.letters.open('one')
  await bodiesOf(box, 2)
  box.close()
  expect(await store.letters.waitsMs('one')).toBe(0)
})
