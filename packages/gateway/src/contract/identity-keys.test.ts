import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { newKey } from '../../../../test-kit/oidc/provider.ts'
import { aProvider } from '../../../../test-kit/oidc/token-provider.ts'
import { identityLimits, setLimits } from '../limits.ts'
import { aGatewayWithIdentity, callWith, challengeFor, waitForKeys } from './identity.suite.ts'

beforeEach(waitForKeys)

test('[IDENT-6] a new key is fetched automatically, and tokens signed with a removed key are refused', async () => {
  onTestFinished(setLimits(identityLimits, { lookAgainMs: 0 }))
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider)
  const before = await provider.token()
  expect((await callWith(url, before)).status).toBe(200)

  await provider.start(newKey())

  expect((await callWith(url, await provider.token())).status).toBe(200)
  expect((await challengeFor(url, `Bearer ${before}`)).status).toBe(401)
})

test('[IDENT-6] unknown key ids do not cause repeated requests to the issuer', async () => {
  onTestFinished(setLimits(identityLimits, { lookAgainMs: 60_000 }))
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider)
  expect((await callWith(url, await provider.token())).status).toBe(200)
  await provider.start(newKey())

  const statuses = []
  for (let i = 0; i < 5; i++) statuses.push((await challengeFor(url, `Bearer ${await provider.token()}`)).status)

  // The keys were fetched a moment ago, so even a real new key is found only after the interval.
  expect(statuses).toEqual([401, 401, 401, 401, 401])
})

test('[IDENT-7] while the issuer is unreachable, cached keys stay valid and unknown keys get 503', async () => {
  onTestFinished(setLimits(identityLimits, { lookAgainMs: 0 }))
  const [provider, other] = [await aProvider(), await aProvider()]
  const { url } = await aGatewayWithIdentity(provider)
  const token = await provider.token()
  expect((await callWith(url, token)).status).toBe(200)

  await provider.stop()

  expect((await callWith(url, token)).status).toBe(200)
  const unknown = await challengeFor(url, `Bearer ${await other.sign({ iss: provider.issuer })}`)
  expect(unknown).toMatchObject({ status: 503, body: expect.stringContaining('issuer cannot be reached') })
})

test('[IDENT-7] while the issuer is unreachable from the start tokens get 503; once it is reachable they are accepted', async () => {
  onTestFinished(setLimits(identityLimits, { lookAgainMs: 0 }))
  const provider = await aProvider()
  const token = await provider.token()
  await provider.stop()
  const { url, server, errors } = await aGatewayWithIdentity(provider)

  expect((await challengeFor(url, `Bearer ${token}`)).status).toBe(503)
  expect((await challengeFor(url)).status).toBe(401)
  expect(server.requests).toEqual([])
  expect(errors).toHaveLength(1)
  await provider.start()
  expect((await callWith(url, token)).status).toBe(200)
})

test('[IDENT-7] cached keys expire: after that tokens get 503 until the issuer is reachable', async () => {
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity(provider, 'keys_fresh: 1s, keys_kept: 1s')
  const token = await provider.token()
  expect((await callWith(url, token)).status).toBe(200)
  await provider.stop()

  const realNow = performance.now.bind(performance)
  const now = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + 1_200)
  onTestFinished(() => void now.mockRestore())

  expect((await challengeFor(url, `Bearer ${token}`)).status).toBe(503)
})

test('[IDENT-7] [FLEET-12] requests get 503 after a short wait when the issuer accepts connections but never responds', async () => {
  onTestFinished(setLimits(identityLimits, { waitMs: 200, fetchMs: 30_000 }))
  const provider = await aProvider()
  const silent = createServer((socket) => socket.on('error', () => undefined))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const { url } = await aGatewayWithIdentity({ ...provider, issuer })
  const token = await provider.token()
  const timed = async () => {
    const startedAt = performance.now()
    return { ...(await challengeFor(url, `Bearer ${token}`)), ms: performance.now() - startedAt }
  }

  const [first, second] = [await timed(), await timed()]

  expect([first.status, second.status]).toEqual([503, 503])
  for (const { ms } of [first, second]) expect(ms).toBeLessThan(identityLimits.fetchMs - 5_000)
})

test('[IDENT-7] metadata that names another issuer is rejected', async () => {
  const provider = await aProvider()
  const { url } = await aGatewayWithIdentity({ ...provider, issuer: provider.issuer.replace('127.0.0.1', 'localhost') })

  expect((await challengeFor(url, `Bearer ${await provider.token()}`)).status).toBe(503)
})
