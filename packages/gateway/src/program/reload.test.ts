// Reloads of the real program: what they change, and when they are refused.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../../../test-kit/listen.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { audience } from '../../../../test-kit/oidc/provider.ts'
import { aProvider, type TestProvider } from '../../../../test-kit/oidc/token-provider.ts'
import { until } from '../../../../test-kit/until.ts'
import { aRawServer, asks, call, complete, type Sender } from '../contract/wire.suite.ts'
import { aKey, aRunningGateway, type RunningGateway } from './process.suite.ts'

const identityOf = ({ issuer }: TestProvider) => `identity: { issuer: "${issuer}", audience: "${audience}" }`
const inEurope = { where: { action: 'accept', content: { region: 'eu' } } }

const bearer = async (provider: TestProvider) => ({ headers: { authorization: `Bearer ${await provider.token()}` } })

/** A request that waits too long for the keys of the issuer is refused, so this may take several requests. */
async function untilAccepted(gateway: RunningGateway, sender: Sender): Promise<void> {
  await until(async () => ((await call(gateway.url, {}, {}, sender)).status === 200 ? true : undefined))
}

function errorsOf(gateway: RunningGateway): string {
  return gateway
    .lines()
    .filter(({ level }) => level === 'error')
    .map(({ msg }) => msg)
    .join('\n')
}

test.each([
  ['cannot be reached', async (provider: TestProvider) => void (await provider.stop()), 'ECONNREFUSED'],
  ['has another name in its metadata', async () => undefined, 'names another issuer'],
])('[PROG-8] a reload with an issuer that %s is refused, and the previous one stays', async (what, spoil, reason) => {
  const [good, other] = [await aProvider(), await aProvider()]
  const server = await aRawServer(() => complete)
  const config = `${identityOf(good)}\nservers: { a: { url: ${server.url} } }`
  const gateway = await aRunningGateway(config)
  const sender = await bearer(good)
  await untilAccepted(gateway, sender)
  await spoil(other)
  const issuer = what === 'cannot be reached' ? other.issuer : other.issuer.replace('127.0.0.1', 'localhost')

  await gateway.reload(config.replace(good.issuer, issuer))

  expect(errorsOf(gateway)).toContain(reason)
  expect(errorsOf(gateway)).toContain('The new configuration is refused; the previous one stays in force.')
  expect((await call(gateway.url, {}, {}, sender)).status).toBe(200)
})

test('[PROG-8] a reload switches agents to another reachable issuer', async () => {
  const [first, second] = [await aProvider(), await aProvider()]
  const server = await aRawServer(() => complete)
  const config = `${identityOf(first)}\nservers: { a: { url: ${server.url} } }`
  const gateway = await aRunningGateway(config)

  await gateway.reload(config.replace(first.issuer, second.issuer))

  expect((await call(gateway.url, {}, {}, await bearer(first))).status).toBe(401)
  expect((await call(gateway.url, {}, {}, await bearer(second))).status).toBe(200)
})

test('[PROG-8] a reload that keeps the issuer works while the issuer is down', async () => {
  const provider = await aProvider()
  const server = await aRawServer(() => complete)
  const config = `${identityOf(provider)}\nservers: { a: { url: ${server.url} } }`
  const gateway = await aRunningGateway(config)
  const sender = await bearer(provider)
  await untilAccepted(gateway, sender)
  await provider.stop()
  const before = errorsOf(gateway)

  await gateway.reload(`${config}\nasks: { wait: 5m }`)

  expect(errorsOf(gateway)).toBe(before)
  expect((await call(gateway.url, {}, {}, sender)).status).toBe(200)
})

test('[PROG-8] a reload without identity is refused if other machines can reach the gateway', async () => {
  const provider = await aProvider()
  const server = await aRawServer(() => complete)
  const port = await freePort()
  const open = `listen: 0.0.0.0:${port}\n${identityOf(provider)}\nservers: { a: { url: ${server.url} } }`
  // Without ASSENT_LISTEN, because the variable would override the file after the reload too.
  const gateway = await aRunningGateway(open, { ASSENT_LISTEN: undefined })
  const local = gateway.url.replace('0.0.0.0', '127.0.0.1')

  await gateway.reload(open.replace(identityOf(provider), '').replace('0.0.0.0', '127.0.0.1'))

  expect((await call(local, {})).status).toBe(401)
  expect(errorsOf(gateway)).toContain('identity was removed, but this gateway still listens on 0.0.0.0')
})

test('[PROG-8] reloads rotate keys: the old key still opens what it sealed, and the new key seals', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const config = (keys: string) => `keys: { ${keys} }\nservers: { a: { url: ${server.url} } }`
  const [k1, k2] = [`k1: "${aKey}"`, `k2: "${Buffer.alloc(32, 9).toString('base64')}"`]
  const gateway = await aRunningGateway(config(k1))
  const { requestState: old } = (await call(gateway.url, {})).message.result
  const sealedBy = (state: unknown) => String(state).split('.')[1]

  await gateway.reload(config(`${k2}, ${k1}`))
  const { requestState: fresh } = (await call(gateway.url, {})).message.result
  const continued = await call(gateway.url, {}, { requestState: old, inputResponses: inEurope })
  await gateway.reload(config(k2))
  const refused = await call(gateway.url, {}, { requestState: old, inputResponses: inEurope })
  const kept = await call(gateway.url, {}, { requestState: fresh, inputResponses: inEurope })

  expect([sealedBy(old), sealedBy(fresh)]).toEqual(['k1', 'k2'])
  expect(continued.message.result).toMatchObject(complete.result)
  expect(refused.message.error).toBeDefined()
  expect(kept.message.result).toMatchObject(complete.result)
  expect(gateway.received.err).not.toContain('after a restart')
})

test('[PROG-7] with port 0, callers get the inbox address with the real port', async () => {
  execFileSync('npm', ['run', '--silent', 'web'])
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await aRunningGateway(
    `asks: { surfaces: [inbox] }\nlimits: { request_hold: 100ms }\nservers: { a: { url: ${server.url} } }`,
  )
  let round = (await call(gateway.url, {})).message.result
  for (let waits = 0; waits < 12 && round.resultType === 'input_required'; waits++)
    round = (await call(gateway.url, {}, { requestState: round.requestState })).message.result

  const { port } = new URL(gateway.url)
  expect(JSON.stringify(round)).toContain(`:${port}/`)
  expect(JSON.stringify(round)).not.toContain(':0/')
})

test('[PROG-7] without --config the gateway reads assent.yaml in its working directory, and logs so', async () => {
  const gateway = await aRunningGateway('servers: { a: { command: b } }', {}, { isConfigNamed: false })

  const file = join(gateway.folder, 'assent.yaml')
  expect(readFileSync(file, 'utf8')).toContain('servers')
  expect(gateway.lines()).toContainEqual(expect.objectContaining({ msg: 'Configuration read.', file }))
})
