import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openSqlite } from '@assent/store'
import { expect, test } from 'vitest'
import { whichRegion } from '../contract/asking.suite.ts'
import { aClient } from '../contract/clients.suite.ts'
import { answerInInbox, firstAsk } from '../contract/inbox.suite.ts'
import { putAwayLater } from '../contract/stage.suite.ts'
import { aProcessOf, aRunningGateway } from './process.suite.ts'

const local = { principal: 'local', groups: [] }
const inEurope = { action: 'accept', content: { region: 'eu' } }

async function aGatewayWithInbox(more = '') {
  execFileSync('npm', ['run', '--silent', 'web'])
  const gateway = await aRunningGateway(
    `asks: { surfaces: [client, inbox] }\nservers: { a: ${aProcessOf('2026-07-28')} }${more}`,
  )
  const store = await openSqlite(join(gateway.folder, 'assent.db'))
  putAwayLater(() => store.close())
  return { gateway, store }
}

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[PROG-15] with an inbox in its configuration, a %s client that cannot ask has its person asked there',
  async (generation) => {
    const { gateway, store } = await aGatewayWithInbox()
    const client = await aClient(generation, gateway.url, { elicitation: 'none' })

    const calling = client.call('ask', { questions: [whichRegion] })
    await answerInInbox(store, await firstAsk(store, local), inEurope, local)

    expect(await calling).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
  },
)

test('[PROG-15] the inbox is served beside the endpoint, to those who signed in', async () => {
  const { gateway } = await aGatewayWithInbox()
  const get = (path: string) => fetch(new URL(path, gateway.url))

  const [page, me, mcp] = [await get('/'), await get('/api/me'), await get('/mcp')]

  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<title>')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(me.status).toBe(401)
  expect(mcp.status).toBe(400)
  expect(gateway.heard.err).not.toContain('sign-in')
})

test('[PROG-15] without an inbox there is none, and one that is taken out or put in waits for a restart', async () => {
  const plain = await aRunningGateway(`servers: { a: ${aProcessOf('2026-07-28')} }`)
  expect((await fetch(new URL('/', plain.url))).status).toBe(404)

  await plain.reload(`asks: { surfaces: [client, inbox] }\nservers: { a: ${aProcessOf('2026-07-28')} }`)

  expect(plain.lines()).toContainEqual(expect.objectContaining({ level: 'warn', settings: 'asks.surfaces' }))
  expect((await fetch(new URL('/', plain.url))).status).toBe(404)
  const client = await aClient('2026-07-28', plain.url, { elicitation: 'none' })
  await expect(client.call('ask', { questions: [whichRegion] })).rejects.toThrow()
})
