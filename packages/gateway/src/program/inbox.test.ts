import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openSqlite } from '@assent/store'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { overHttp, redeem, SigningBrowser } from '../../../../test-kit/gateway/signing-browser.ts'
import { freePort } from '../../../../test-kit/listen.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../test-kit/mcp/scripted-client.ts'
import { aFolder, aProcessOf, aRunningGateway, assent, assentHere, type Variables } from './process.suite.ts'
import { localKeyRing } from './state.ts'

const local = { principal: 'local', groups: [] }
const inEurope = { action: 'accept', content: { region: 'eu' } }

async function aGatewayWithInbox(variables: Variables = {}) {
  execFileSync('npm', ['run', '--silent', 'web'])
  const gateway = await aRunningGateway(
    `asks: { surfaces: [client, inbox] }\nservers: { a: ${aProcessOf('2026-07-28')} }`,
    variables,
  )
  const store = await openSqlite(join(gateway.folder, 'assent.db'), {
    keys: localKeyRing(join(gateway.folder, 'assent.db')),
  })
  closeAfterTest(() => store.close())
  return { gateway, store }
}

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[PROG-15] the person of a %s client that cannot ask is asked in the configured inbox',
  async (generation) => {
    const { gateway, store } = await aGatewayWithInbox()
    const client = await aClient(generation, gateway.url, { elicitation: 'none' })

    const calling = client.call('ask', { questions: [whichRegion] })
    await answerInInbox(store, await firstAsk(store, local), inEurope, local)

    expect(await calling).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
  },
)

test('[PROG-15] the inbox is served next to the endpoint, and its API requires a sign-in', async () => {
  const { gateway } = await aGatewayWithInbox()
  const get = (path: string) => fetch(new URL(path, gateway.url))

  const [page, me, mcp] = [await get('/'), await get('/api/me'), await get('/mcp')]

  expect(page.status).toBe(200)
  expect(await page.text()).toContain('<title>')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(me.status).toBe(401)
  expect(mcp.status).toBe(400)
  expect(gateway.received.err).not.toContain('sign-in')
})

test('[PROG-15] no inbox is served unless configured, and adding one needs a restart', async () => {
  const plain = await aRunningGateway(`servers: { a: ${aProcessOf('2026-07-28')} }`)
  expect((await fetch(new URL('/', plain.url))).status).toBe(404)

  await plain.reload(`asks: { surfaces: [client, inbox] }\nservers: { a: ${aProcessOf('2026-07-28')} }`)

  expect(plain.lines()).toContainEqual(expect.objectContaining({ level: 'warn', settings: 'asks.surfaces' }))
  expect((await fetch(new URL('/', plain.url))).status).toBe(404)
  const client = await aClient('2026-07-28', plain.url, { elicitation: 'none' })
  await expect(client.call('ask', { questions: [whichRegion] })).rejects.toThrow()
})

test('[PROG-17] `assent inbox link` signs in to a running gateway, and the session survives its restart', async () => {
  const { gateway, store } = await aGatewayWithInbox({ ASSENT_LISTEN: `127.0.0.1:${await freePort()}` })
  const client = await aClient('2026-07-28', gateway.url, { elicitation: 'none' })
  const calling = client.call('ask', { questions: [whichRegion] })
  const { id } = await firstAsk(store, local)
  const { host, port } = new URL(gateway.url)
  const origin = `http://localhost:${port}`
  const around = { ASSENT_LISTEN: host, ASSENT_STORE: `sqlite:${gateway.folder}/assent.db` }

  const { code, out, err } = await assent(['inbox', 'link', '--config', join(gateway.folder, 'assent.yaml')], {
    folder: gateway.folder,
    variables: around,
  })

  expect(code).toBe(0)
  expect(out).toMatch(new RegExp(`^${origin}/sign-in#code=[\\w-]{43}\n$`))
  expect(err).toContain('works once')
  const browser = await SigningBrowser.signIn(out.trim())
  expect((await redeem(out.trim(), overHttp(origin))).response.status).toBe(401)
  const answer = { decisionId: 'decision-0000000001', answer: inEurope }
  expect((await browser.post(`/api/asks/${id}/answer`, answer)).status).toBe(200)
  expect(await calling).toMatchObject({ content: [{ type: 'text', text: 'done' }] })

  await gateway.stop('SIGKILL')
  const anew = await aRunningGateway(
    `asks: { surfaces: [client, inbox] }\nservers: { a: ${aProcessOf('2026-07-28')} }`,
    around,
  )
  expect(new URL(anew.url).host).toBe(host)
  const history = await browser.get('/api/history')
  expect(history.status).toBe(200)
  expect(JSON.stringify(await history.json())).toContain(id)
})

test.each([
  ['asks: { surfaces: [client] }', 'has no inbox', 1],
  ['asks: { surfaces: [client, inbox] }\nlisten: 127.0.0.1:0', 'a random port', 1],
  ['asks: { surfces: [inbox] }', 'Did you mean `surfaces`', 1],
  [
    'asks: { surfaces: [inbox] }\nstore: postgres://unknown@127.0.0.1:1/x\nkeys: { k: "${env:K}" }',
    'PostgreSQL cannot',
    3,
  ],
])('[PROG-17] with %j no link is printed, and the reason is reported', async (config, words, code) => {
  const folder = await aFolder({ 'assent.yaml': `servers: { a: { command: my-server } }\n${config}\n` })
  const variables = { XDG_STATE_HOME: folder, K: Buffer.alloc(32, 7).toString('base64') }

  const ended = await assentHere(['inbox', 'link', '--config', join(folder, 'assent.yaml')], variables)

  expect(ended).toMatchObject({ code, out: '' })
  expect(ended.err).toContain(words)
})
