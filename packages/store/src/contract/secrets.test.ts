import type { AskDraft } from '@assent/core'
import { expect } from 'vitest'
import { addKey, signedAnswer } from '../../../../test-kit/store/passkeys.ts'
import type { Store } from '../index.ts'
import { aForm, anId, ann, ben, minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const sealed = 'sealed for deploy'

function aPage(changes: object = {}) {
  const id = anId('secret')
  const limits = { decideWithinMs: 10 * minuteMs, keepMs: 60 * minuteMs, perServer: 100, inAll: 1_000 }
  return { tenant: 'acme', id, server: 'deploy', publicKey: 'key', ...limits, ...changes }
}

function asking(page: string): AskDraft {
  const secret = { page, publicKey: 'key' }
  return aForm({ question: { kind: 'url', message: 'Token?', url: `https://a.example/secret/${page}`, secret } })
}

/** A page that Ann can use. */
async function opened(store: Store, changes: object = {}) {
  const page = aPage(changes)
  await store.secrets.open(page)
  await store.secrets.bind(page, 'ann')
  const ask = await store.asks.raise(asking(page.id))
  await store.secrets.link('acme', page.id, ask.id)
  const handing = { tenant: 'acme', id: ask.id, page: page.id, person: ann, sealed }
  return { page, ask, handing }
}

onEachEngine('[SECRET-1] a page is bound to one person, by its own server, once', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const page = aPage()
  expect(await store.secrets.open(page)).toBe(clock() + 10 * minuteMs)
  expect(await store.secrets.open(page)).toBe(clock() + 10 * minuteMs)
  for (const changes of [{ server: 'other' }, { publicKey: 'other' }]) {
    await expect(store.secrets.open({ ...page, ...changes })).rejects.toMatchObject({ code: 'validation_failed' })
  }

  expect(await store.secrets.bind({ ...page, server: 'other' }, 'ann')).toBeUndefined()
  expect(await store.secrets.bind({ ...page, tenant: 'umbrella' }, 'ann')).toBeUndefined()
  expect(await store.secrets.bind({ ...page, id: anId('secret') }, 'ann')).toBeUndefined()
  clock.advance(minuteMs)
  expect(await store.secrets.bind(page, 'ann')).toEqual({ publicKey: 'key', leftMs: 9 * minuteMs })
  expect(await store.secrets.bind(page, 'ben')).toBeUndefined()
  expect(await store.secrets.link('acme', page.id, 'ask-1')).toBe('ask-1')
  expect(await store.secrets.link('acme', page.id, 'ask-2')).toBe('ask-1')
  expect(await store.secrets.bind(page, 'ann')).toMatchObject({ askId: 'ask-1' })

  clock.advance(70 * minuteMs)
  expect(await store.secrets.bind(page, 'ann')).toBeUndefined()
  expect(await store.secrets.askOf('acme', page.id)).toBeUndefined()
})

onEachEngine('[SECRET-1] of several people who open a page at once, one gets it', async ({ open }) => {
  const stores = [await open(), await open()]
  const page = aPage()
  await stores[0]?.secrets.open(page)

  const bound = await Promise.all(Array.from({ length: 8 }, (_, n) => stores[n % 2]?.secrets.bind(page, `person-${n}`)))

  expect(bound.filter((one) => one !== undefined)).toHaveLength(1)
})

onEachEngine('[SECRET-2] a secret is handed over once, together with the accept of its ask', async ({ open }) => {
  const stores = [await open(), await open()]
  const [store] = stores as [Store]
  const { page, ask, handing } = await opened(store)
  expect(await store.secrets.collect(page, 64)).toEqual({ kind: 'empty', askId: ask.id })

  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => stores[n % 2]?.secrets.handOver({ ...handing, sealed: `sealed ${n}` })),
  )

  expect(answers.filter((one) => one?.kind === 'settled')).toHaveLength(1)
  expect(answers.filter((one) => one?.kind === 'ended')).toHaveLength(7)
  const winner = answers.findIndex((one) => one?.kind === 'settled')
  expect(await store.secrets.collect(page, 64)).toEqual({ kind: 'ready', sealed: `sealed ${winner}`, principal: 'ann' })
  expect((await store.asks.read('acme', ask.id))?.state).toMatchObject({
    kind: 'settled',
    answer: { action: 'accept' },
  })
})

onEachEngine('[SECRET-2] no other person can hand over the secret, and no other accept counts', async ({ open }) => {
  const store = await open()
  const { page, ask, handing } = await opened(store)
  const other = await opened(store)

  for (const wrong of [
    { person: ben },
    { tenant: 'umbrella' },
    { page: other.page.id },
    { id: other.ask.id },
    { id: anId('ask') },
  ]) {
    expect(await store.secrets.handOver({ ...handing, ...wrong })).toEqual({ kind: 'not-found' })
  }
  const bare = { tenant: 'acme', id: ask.id, person: ann, via: 'inbox', answer: { action: 'accept' } } as const
  expect(await store.asks.answer(bare)).toMatchObject({ kind: 'malformed' })
  expect(await store.secrets.collect(page, 64)).toEqual({ kind: 'empty', askId: ask.id })
  expect(await store.secrets.handOver(handing)).toMatchObject({ kind: 'settled' })
})

onEachEngine('[SECRET-2] an ask that only claims to belong to a page cannot be used to hand over', async ({ open }) => {
  const store = await open()
  const { page, handing } = await opened(store)
  const planted = await store.asks.raise(asking(page.id))

  await expect(store.secrets.handOver({ ...handing, id: planted.id })).rejects.toMatchObject({
    code: 'store_unavailable',
  })
  expect((await store.asks.read('acme', planted.id))?.state.kind).toBe('open')
  expect(await store.secrets.collect(page, 64)).toMatchObject({ kind: 'empty' })
})

onEachEngine('[SECRET-2] a declined, expired or withdrawn ask hands over nothing', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const declined = await opened(store)
  const released = await opened(store)
  const late = await opened(store)
  await store.asks.answer({ ...declined.handing, via: 'inbox', answer: { action: 'decline' } })
  await store.secrets.release(released.page)
  clock.advance(10 * minuteMs)

  for (const { handing } of [declined, released, late]) {
    expect(await store.secrets.handOver(handing)).toMatchObject({ kind: 'ended' })
  }
  expect(await store.secrets.collect(declined.page, 64)).toMatchObject({ kind: 'empty' })
  expect(await store.secrets.collect(released.page, 64)).toEqual({ kind: 'released' })
  expect((await store.asks.read('acme', released.ask.id))?.state.kind).toBe('withdrawn')
})

onEachEngine(
  '[SECRET-1] [SECRET-5] a secret is collected by its server until released, and then deleted',
  async (db) => {
    const store = await db.open()
    const { page, ask, handing } = await opened(store)
    await store.secrets.handOver(handing)

    expect(await store.secrets.collect({ ...page, server: 'other' }, 64)).toBeUndefined()
    expect(await store.secrets.collect({ ...page, tenant: 'umbrella' }, 64)).toBeUndefined()
    expect(await store.secrets.release({ ...page, server: 'other' })).toBe(false)
    for (let round = 0; round < 3; round++) {
      expect(await store.secrets.collect(page, 3)).toEqual({ kind: 'ready', sealed, principal: 'ann' })
    }
    expect(await store.secrets.collect(page, 3)).toBeUndefined()
    expect(await store.secrets.release(page)).toBe(true)

    expect(await store.secrets.collect(page, 64)).toEqual({ kind: 'released' })
    expect(JSON.stringify(await db.tamper('select * from secret_pages'))).not.toContain(sealed)
    const notes = []
    for await (const entry of store.audit.entries('acme')) if (entry.kind === 'note') notes.push(entry)
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatchObject({ subject: ask.id, body: JSON.stringify({ secret: 'collected', server: 'deploy' }) })
    expect((await store.audit.verify('acme')).ok).toBe(true)
  },
)

onEachEngine('[SECRET-5] [STORE-13] a secret that was not collected is deleted when it expires', async (db) => {
  const clock = stoppedClock()
  const store = await db.open({ clock })
  const { page, handing } = await opened(store)
  await store.secrets.handOver(handing)
  clock.advance(69 * minuteMs)
  expect(await store.secrets.collect(page, 64)).toMatchObject({ kind: 'ready' })
  clock.advance(minuteMs)

  expect(await store.secrets.collect(page, 64)).toBeUndefined()
  expect(await store.secrets.release(page)).toBe(false)
  expect((await store.sweep()).deleted).toBe(1)
  expect(await db.tamper('select id from secret_pages')).toEqual([])
})

onEachEngine('[SECRET-6] open pages are limited per server and for all servers', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const limits = { perServer: 2, inAll: 3 }
  const first = aPage(limits)
  expect(await store.secrets.open(first)).toBeDefined()
  expect(await store.secrets.open(aPage(limits))).toBeDefined()
  expect(await store.secrets.open(aPage(limits))).toBeUndefined()
  expect(await store.secrets.open(aPage({ ...limits, server: 'other' }))).toBeDefined()
  expect(await store.secrets.open(aPage({ ...limits, server: 'third' }))).toBeUndefined()

  await store.secrets.release(first)
  expect(await store.secrets.open(aPage(limits))).toBeDefined()
  clock.advance(70 * minuteMs)
  expect(await store.secrets.open(aPage(limits))).toBeDefined()
})

onEachEngine(
  '[PRESENCE-2] a secret is handed over with a passkey if its ask or the setting needs one',
  async ({ open }) => {
    const store = await open()
    const { key } = await addKey(store, 'ann')
    const { page, ask, handing } = await opened(store)
    expect(await store.secrets.handOver({ ...handing, needsPresence: true })).toEqual({
      kind: 'presence',
      problem: 'required',
    })
    const { presence, state } = signedAnswer(store, ask, 'ann', undefined, key)
    const other = await opened(store)
    const moved = { ...other.handing, needsPresence: true, presence, state }
    expect(await store.secrets.handOver(moved)).toMatchObject({ kind: 'presence' })
    const signed = signedAnswer(store, ask, 'ann', undefined, key)
    const handed = await store.secrets.handOver({
      ...handing,
      needsPresence: true,
      presence: signed.presence,
      state: signed.state,
    })
    expect(handed).toMatchObject({ kind: 'settled', ask: { state: { presence: { credentialId: key.id } } } })
    expect(await store.secrets.collect(page, 64)).toMatchObject({ kind: 'ready', sealed })
    expect(await store.record.verify('acme')).toMatchObject({ ok: true })
  },
)
