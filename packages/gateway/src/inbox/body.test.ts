// Limits on a request body, checked before it is parsed.

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { createKeyRing, newId } from '@assent/core'
import { expect, onTestFinished, test } from 'vitest'
import { anAsk, ann, fromOurPage, onSqlite, send, signIn } from './inbox-env.suite.ts'
import { inboxLimits } from './limits.ts'
import { PlayClient } from './playground/client-2025-11-25.ts'
import { PlayApi } from './playground/play-api.ts'
import { SecretPages } from './secrets/secret-pages.ts'
import { respondWith } from './serve-node.ts'

/** One megabyte that takes the parser a second. */
const parts = `{"code":[${'1,'.repeat(524_000)}1]}`
/** The same for routes with the size limit of an answer: within the byte limit, over the limit of parts. */
const manyParts = `{"decisionId":"d","answer":[${'1,'.repeat(500_000)}1]}`

test('[LOCAL-9] a body that is too large or has too many parts is refused before it is parsed, on every route', async () => {
  await onSqlite(async ({ store, app }) => {
    const play = new PlayApi({
      client: new PlayClient(new PassThrough(), new PassThrough()),
      server: 's',
      target: 't',
      openPages: () => 0,
    })
    const token = 'a-token-of-a-server-that-asks'
    const pages = new SecretPages({
      store,
      tenant: 'acme',
      keys: createKeyRing([{ id: 'k', secret: Buffer.alloc(32, 1) }]),
    })
    pages.use({ vault: { url: 'http://127.0.0.1:1/mcp', secrets: { token } } })
    const inbox = app({ play, secretPages: pages })
    const browser = await signIn(inbox, ann)
    const { id } = await store.asks.raise(anAsk())
    const attempts: readonly [route: string, () => Promise<Response>][] = [
      ['sign-in', () => send(inbox, 'POST', '/api/sign-in', fromOurPage, parts)],
      ['sign-in start', () => send(inbox, 'POST', '/api/sign-in/start', fromOurPage, parts)],
      ['answer', () => browser.post(`/api/asks/${id}/answer`, manyParts)],
      ['play', () => browser.post('/api/play/runs', manyParts)],
      [
        'server',
        () =>
          send(
            inbox,
            'PUT',
            `/server/secrets/${newId('secret', Date.now(), randomBytes)}`,
            { authorization: `Bearer ${token}` },
            manyParts,
          ),
      ],
    ]
    for (const [route, attempt] of attempts) {
      // Parsing takes several hundred milliseconds each time. Of many refusals one is quick, even on a busy machine.
      let quickestMs = Number.POSITIVE_INFINITY
      for (let n = 0; n < 30 && quickestMs >= 200; n++) {
        const startedAt = performance.now()
        const { status } = await attempt()
        quickestMs = Math.min(quickestMs, performance.now() - startedAt)
        expect([route, status]).toEqual([route, 413])
      }
      expect([route, quickestMs < 200]).toEqual([route, true])
    }
    const small = JSON.stringify({ code: 'x'.repeat(inboxLimits.signInBytes) })
    expect((await send(inbox, 'POST', '/api/sign-in', fromOurPage, small)).status).toBe(413)
  })
})

test('[LOCAL-10] the body of a request that is refused for its headers is not read into memory', async () => {
  await onSqlite(async ({ app }) => {
    const inbox = app()
    const server = createServer((request, response) => void respondWith(inbox.fetch, request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const clients: Socket[] = []
    onTestFinished(() => {
      for (const one of clients) one.destroy()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const head = (path: string, bytes: number) =>
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:7420\r\norigin: http://127.0.0.1:7420\r\nassent-inbox: 1\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`
    const send = (path: string, bytes: number, sent: number) =>
      new Promise<string>((resolve, reject) => {
        const client = connect(port, '127.0.0.1', () => client.write(head(path, bytes) + 'x'.repeat(sent)))
        clients.push(client)
        client.setEncoding('utf8').once('data', (reply: string) => resolve(reply.slice(9, 12)))
        client.on('error', reject)
      })
    // Refused immediately, although the body never ends.
    expect(await send('/api/asks/ask_1/answer', 1_048_576, 600_000)).toBe('401')
    expect(await send('/api/sign-in', 1_048_576, 100)).toBe('413')
  })
})
