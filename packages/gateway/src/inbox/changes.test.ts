// The change stream (server-sent events), on both engines.

import { expect } from 'vitest'
import {
  anApproval,
  anAsk,
  ann,
  type Browser,
  ben,
  type InboxEnv,
  onEachEngine,
  signIn,
  tenant,
} from './inbox-env.suite.ts'
import { inboxLimits } from './limits.ts'

interface Event {
  readonly event: string
  readonly data: { readonly id?: string; readonly change?: string }
}

onEachEngine(
  '[INBOX-5] an open page receives changes to its person’s asks as they happen, and no others',
  async ({ store, another, app }: InboxEnv) => {
    const inbox = app()
    const pages = [await follow(await signIn(inbox, ann)), await follow(await signIn(inbox, ben))] as const
    for (const page of pages) expect((await page.next()).event).toBe('now')
    const elsewhere = await another()

    const mine = await store.asks.raise(anAsk())
    const both = await elsewhere.asks.raise(anApproval(['person:ann', 'person:ben'], 1))
    await elsewhere.asks.answer({ tenant, id: both.id, person: ben, via: 'terminal', answer: { action: 'decline' } })
    await store.asks.withdraw(tenant, mine.id, 'caller-gone')

    expect(await taken(pages[0], 4)).toEqual([
      [mine.id, 'raised'],
      [both.id, 'raised'],
      [both.id, 'settled'],
      [mine.id, 'withdrawn'],
    ])
    expect(await taken(pages[1], 2)).toEqual([
      [both.id, 'raised'],
      [both.id, 'settled'],
    ])
    await Promise.all(pages.map((page) => page.close()))
  },
)

onEachEngine(
  '[STORE-45] a replica reads no ask for a change that concerns none of its pages',
  async ({ store, another, app }: InboxEnv) => {
    const statements: string[] = []
    const elsewhere = await another({ pollMs: 600_000, onStep: ({ name }) => statements.push(name) })
    const inbox = app({ store: elsewhere })
    const page = await follow(await signIn(inbox, ben))
    expect((await page.next()).event).toBe('now')
    // Signals arrive from now on: this one does.
    const raiseUntilSeen = async () => {
      const first = page.next()
      let isSeen = false
      void first.then(() => {
        isSeen = true
      })
      while (!isSeen) {
        await store.asks.raise(anApproval(['person:ben'], 1))
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    await raiseUntilSeen()
    await new Promise((resolve) => setTimeout(resolve, 300))
    statements.length = 0

    const { id } = await store.asks.raise(anAsk())
    await store.asks.withdraw(tenant, id, 'caller-gone')
    await new Promise((resolve) => setTimeout(resolve, 300))

    // A signal of a SQLite file names nothing, so there the changes are read, but no ask.
    const expected = elsewhere.notifications.transport === 'file' ? /^(read_changes_|read_position$)/ : /^$/
    expect(statements.filter((name) => !expected.test(name))).toEqual([])
    await page.close()
  },
)

onEachEngine(
  '[INBOX-5] without any signal, an open page receives changes at the next poll',
  async ({ store, another, app }: InboxEnv) => {
    const inbox = app({ store: await another({ pollMs: 100, ...({ wake: 'nats://127.0.0.1:9' } as object) }) })
    const page = await follow(await signIn(inbox, ben))
    await page.next()
    const { id } = await store.asks.raise(anApproval(['group:ops'], 1))

    expect(await taken(page, 1)).toEqual([[id, 'raised']])
    await page.close()
  },
)

onEachEngine(
  '[INBOX-5] a page that reconnects is sent `now` before the first change, whatever position it sends',
  async ({ store, another, app }: InboxEnv) => {
    const statements: string[] = []
    const measured = await another({ onStep: ({ name }) => statements.push(name) })
    const browser = await signIn(app({ store: measured }), ann)
    for (const sent of ['', '0', '1:1:', '5:3:', '999999', `1:9:${'3,'.repeat(5_000)}4`]) {
      statements.length = 0
      const page = await follow(browser, sent)
      expect((await page.next()).event).toBe('now')
      const ask = await store.asks.raise(anAsk())
      expect(await taken(page, 1)).toEqual([[ask.id, 'raised']])
      await page.close()
      // Only the reader that all pages share has read changes.
      expect(statements.filter((name) => /^read_changes_(?!500$)/.test(name))).toEqual([])
    }
  },
)

onEachEngine('[INBOX-5] streams are limited per person, and closing one frees its slot', async ({ app }: InboxEnv) => {
  const browser = await signIn(app(), ann)
  const pages = []
  for (let count = 0; count < inboxLimits.streamsPerPerson; count++) pages.push(await follow(browser))
  for (const page of pages) await page.next()
  expect((await browser.get('/api/changes')).status).toBe(429)
  await pages[0]?.close()
  expect((await browser.get('/api/changes')).status).toBe(200)
  await Promise.all(pages.map((page) => page.close()))
})

onEachEngine(
  '[FLEET-5] streams end before their process stops, and a page that reconnects elsewhere is sent `now`',
  async ({ store, app }: InboxEnv) => {
    const [stopping, staying] = [app(), app()]
    const browser = await signIn(stopping, ann)
    const page = await follow(browser)
    await page.next()

    stopping.endStreams()
    await expect(page.next()).rejects.toThrow('ended')
    const again = await follow(browser)
    await expect(again.next()).rejects.toThrow('ended')

    const elsewhere = await follow(browser.at(staying))
    expect((await elsewhere.next()).event).toBe('now')
    const ask = await store.asks.raise(anAsk())
    expect(await taken(elsewhere, 1)).toEqual([[ask.id, 'raised']])
    await elsewhere.close()
  },
)

onEachEngine('[INBOX-5] a HEAD request opens no stream', async ({ app }: InboxEnv) => {
  const inbox = app()
  const browser = await signIn(inbox, ann)
  for (let count = 0; count < inboxLimits.streamsPerPerson; count++) {
    const { status, headers } = await browser.signing.request('HEAD', '/api/changes', {})
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  }
  expect(inbox.openPages).toBe(0)
  const page = await follow(browser)
  expect((await page.next()).event).toBe('now')
  expect(inbox.openPages).toBe(1)
  await page.close()
})

async function taken(page: Page, count: number): Promise<[id?: string, change?: string][]> {
  const events: Event[] = []
  while (events.length < count) {
    const event = await page.next()
    if (event.event === 'ask') events.push(event)
  }
  return events.map(({ data }) => [data.id ?? '', data.change ?? ''])
}

interface Page {
  next(): Promise<Event>
  close(): Promise<void>
}

async function follow(browser: Browser, lastEventId?: string): Promise<Page> {
  const response = await browser.get('/api/changes', lastEventId === undefined ? {} : { 'last-event-id': lastEventId })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    next: async () => {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end >= 0) {
          const fields = Object.fromEntries(
            text
              .slice(0, end)
              .split('\n')
              .map((line) => line.split(/: (.*)/s, 2) as [string, string]),
          )
          text = text.slice(end + 2)
          if (fields.event !== undefined) {
            return { event: fields.event, data: JSON.parse(fields.data ?? '{}') }
          }
          continue
        }
        const { value, done } = await reader.read()
        if (done) throw new Error('The stream has ended.')
        text += decoder.decode(value, { stream: true })
      }
    },
    close: () => reader.cancel(),
  }
}
