// Changing the issuer by a reload: for agents and for the inbox, at the same moment.
import { execFileSync } from 'node:child_process'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { aProcessOf, aRunningGateway } from '../../packages/gateway/src/program/process.suite.ts'
import { freePort } from '../../test-kit/listen.ts'
import { whichRegion } from '../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../test-kit/mcp/scripted-client.ts'
import { agentToken, LoginBrowser } from '../../test-kit/oidc/login-browser.ts'
import { anIssuer, audience, inboxClient, type TestIssuer } from '../../test-kit/oidc/provider.ts'
import { until } from '../../test-kit/until.ts'
import { me, signIn, startLogin, untilReady } from './login-env.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
beforeAll(() => {
  execFileSync('npm', ['run', '--silent', 'web'])
})

async function aTeam() {
  const origin = `http://127.0.0.1:${await freePort()}`
  const issuers: TestIssuer[] = []
  for (let count = 0; count < 2; count++) {
    const issuer = await anIssuer([`${origin}/sign-in/callback`])
    onTestFinished(() => issuer.stop())
    issuers.push(issuer)
  }
  const [first, second] = issuers as [TestIssuer, TestIssuer]
  const config = `
identity: { issuer: "${first.url}", audience: "${audience}" }
inbox: { url: "${origin}", client_id: ${inboxClient.id}, client_secret: "${inboxClient.secret}" }
asks: { surfaces: [inbox] }
servers: { a: ${aProcessOf('2026-07-28')} }`
  const gateway = await aRunningGateway(config, { ASSENT_LISTEN: new URL(origin).host })
  await untilReady(origin)
  return { origin, first, second, config, gateway }
}

const openIn = async (browser: LoginBrowser, origin: string) =>
  ((await (await browser.request(`${origin}/api/asks`)).json()) as { asks: unknown[] }).asks

test('[PROG-18] a reload with another issuer applies to agents and to the inbox at the same time', async () => {
  const { origin, first, second, config, gateway } = await aTeam()
  const ann = new LoginBrowser()
  await signIn(ann, 'ann', undefined, origin)
  expect(await me(ann, origin)).toMatchObject({ status: 200, name: 'Ann Lee' })

  await gateway.reload(config.replace(first.url, second.url))

  // A person signed in at the issuer before has no session now; one who signs in at the new issuer gets the agent's asks.
  expect((await me(ann, origin)).status).toBe(401)
  expect((await startLogin(ann, undefined, origin)).origin).toBe(second.url)
  await signIn(ann, 'ann', undefined, origin)
  const token = await agentToken(second.url, 'ann')
  const client = await aClient('2026-07-28', gateway.url, { elicitation: 'none', token })
  void client.call('ask', { questions: [whichRegion] }).catch(() => undefined)
  const found = await until(async () => ((await openIn(ann, origin)).length === 1 ? true : undefined))
  const stranger = await aClient('2026-07-28', gateway.url, { token: await agentToken(first.url, 'ann') }).catch(
    (error: unknown) => error,
  )

  expect(found).toBe(true)
  expect(stranger).toBeInstanceOf(Error)
  expect(gateway.received.err).not.toContain('after a restart')
})

test('[PROG-18] a reload with an unreachable issuer changes neither', async () => {
  const { origin, first, second, config, gateway } = await aTeam()
  const ann = new LoginBrowser()
  await signIn(ann, 'ann', undefined, origin)
  await second.stop()

  await gateway.reload(config.replace(first.url, second.url))

  expect(gateway.lines()).toContainEqual(
    expect.objectContaining({ msg: 'The new configuration is refused; the previous one stays in force.' }),
  )
  expect((await me(ann, origin)).status).toBe(200)
  expect((await startLogin(new LoginBrowser(), undefined, origin)).origin).toBe(first.url)
})

test('[PROG-18] a reload can change the inbox’s client id and secret, and sessions stay valid', async () => {
  const { origin, config, gateway } = await aTeam()
  const ann = new LoginBrowser()
  await signIn(ann, 'ann', undefined, origin)

  await gateway.reload(config.replace(inboxClient.id, 'another'))

  expect((await startLogin(new LoginBrowser(), undefined, origin)).searchParams.get('client_id')).toBe('another')
  expect((await me(ann, origin)).status).toBe(200)
})

test('[PROG-18] removing `identity` takes effect only after a restart, for both, and is logged', async () => {
  const { origin, config, gateway } = await aTeam()
  const ann = new LoginBrowser()
  await signIn(ann, 'ann', undefined, origin)
  const without = config
    .replace(/^identity:.*$/m, '')
    .replace(/client_id:.*secret: "[^"]*" }/, '}')
    .replace(', }', ' }')

  await gateway.reload(without)

  expect(gateway.lines()).toContainEqual(expect.objectContaining({ level: 'warn', settings: 'identity inbox' }))
  expect((await me(ann, origin)).status).toBe(200)
  expect((await fetch(gateway.url, { method: 'POST', body: '{}' })).status).toBe(401)
})
