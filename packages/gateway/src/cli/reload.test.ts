// What a reload changes, and when it is refused, in the program itself.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { whichRegion } from '../contract/asking.suite.ts'
import { aRawServer, asks, call, complete } from '../contract/wire.suite.ts'
import { aProvider, audience, type TestProvider } from '../identity/provider.suite.ts'
import { aFreePort, aKey, aRunningGateway, type RunningGateway } from './process.suite.ts'

const identityOf = ({ issuer }: TestProvider) => `identity: { issuer: "${issuer}", audience: "${audience}" }`
const inEurope = { where: { action: 'accept', content: { region: 'eu' } } }

const bearer = async (provider: TestProvider) => ({ headers: { authorization: `Bearer ${await provider.token()}` } })

function errorsOf(gateway: RunningGateway): string {
  return gateway
    .lines()
    .filter(({ level }) => level === 'error')
    .map(({ msg }) => msg)
    .join('\n')
}

test.each([
  ['cannot be reached', async (provider: TestProvider) => void (await provider.stop()), 'ECONNREFUSED'],
  ['calls itself otherwise', async () => undefined, 'names another issuer'],
])('[PROG-8] a reload with an issuer that %s is refused, and the one before stays', async (what, spoil, reason) => {
  const [good, other] = [await aProvider(), await aProvider()]
  const server = await aRawServer(() => complete)
  const config = `${identityOf(good)}\nservers: { a: { url: ${server.url} } }`
  const gateway = await aRunningGateway(config)
  const sender = await bearer(good)
  expect((await call(gateway.url, {}, {}, sender)).status).toBe(200)
  await spoil(other)
  const issuer = what === 'cannot be reached' ? other.issuer : other.issuer.replace('127.0.0.1', 'localhost')

  await gateway.reload(config.replace(good.issuer, issuer))

  expect(errorsOf(gateway)).toContain(reason)
  expect(errorsOf(gateway)).toContain('The new configuration is refused; the one before stays in force.')
  expect((await call(gateway.url, {}, {}, sender)).status).toBe(200)
})

test('[PROG-8] another issuer that can be reached is in force for agents after the reload', async () => {
  const [first, second] = [await aProvider(), await aProvider()]
  const server = await aRawServer(() => complete)
  const config = `${identityOf(first)}\nservers: { a: { url: ${server.url} } }`
  const gateway = await aRunningGateway(config)

  await gateway.reload(config.replace(first.issuer, second.issuer))

  expect((await call(gateway.url, {}, {}, await bearer(first))).status).toBe(401)
  expect((await call(gateway.url, {}, {}, await bearer(second))).status).toBe(200)
})

test('[PROG-8] an issuer that stays the same is not needed for a reload', async () => {
  const provider = await aProvider()
  const server = await aRawServer(() => complete)
  const config = `${identityOf(provider)}\nservers: { a: { url: ${server.url} } }`
  const gateway = await aRunningGateway(config)
  const sender = await bearer(provider)
  expect((await call(gateway.url, {}, {}, sender)).status).toBe(200)
  await provider.stop()

  await gateway.reload(`${config}\nasks: { wait: 5m }`)

  expect(errorsOf(gateway)).toBe('')
  expect((await call(gateway.url, {}, {}, sender)).status).toBe(200)
})

test('[PROG-8] a gateway that other machines reach is not opened to them by a reload without identity', async () => {
  const provider = await aProvider()
  const server = await aRawServer(() => complete)
  const port = await aFreePort()
  const open = `listen: 0.0.0.0:${port}\n${identityOf(provider)}\nservers: { a: { url: ${server.url} } }`
  // A variable would be in force after the reload too.
  const gateway = await aRunningGateway(open, { ASSENT_LISTEN: undefined })
  const local = gateway.url.replace('0.0.0.0', '127.0.0.1')

  await gateway.reload(open.replace(identityOf(provider), '').replace('0.0.0.0', '127.0.0.1'))

  expect((await call(local, {})).status).toBe(401)
  expect(errorsOf(gateway)).toContain('identity is removed, and this gateway still listens on 0.0.0.0')
})

test('[PROG-8] keys are rotated by reloads: what the old key sealed is opened, and the new one seals', async () => {
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
  expect(gateway.heard.err).not.toContain('after a restart')
})

test('[PROG-7] with a port that the system chooses, callers are sent to the inbox at its real address', async () => {
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

test('[PROG-7] without --config the gateway reads assent.yaml in its folder, and says which file it read', async () => {
  const gateway = await aRunningGateway('servers: { a: { command: b } }', {}, { isConfigNamed: false })

  const file = join(gateway.folder, 'assent.yaml')
  expect(readFileSync(file, 'utf8')).toContain('servers')
  expect(gateway.lines()).toContainEqual(expect.objectContaining({ msg: 'Configuration read.', file }))
})
