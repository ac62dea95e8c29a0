import { expect, test } from 'vitest'
import { until } from '../../../../test-kit/until.ts'
import { aRawServer, call, complete } from '../contract/wire.suite.ts'
import { aDatabase, aKey, aRunningGateway } from './process.suite.ts'

const isReady = async (url: string) => (await fetch(new URL('/readyz', url))).ok

test('[FLEET-9] with a shared database, readiness is off before requests are refused', async () => {
  const server = await aRawServer(() => complete)
  const gateway = await aRunningGateway(`keys: { k1: "${aKey}" }\nservers: { a: { url: ${server.url} } }`, {
    ASSENT_STORE: (await aDatabase()).url,
    ASSENT_LIMITS_DRAIN_NOTICE: '12s',
  })

  const stopped = gateway.stop()
  await until(async () => ((await isReady(gateway.url)) ? undefined : true))
  const during = await call(gateway.url, {})
  const after = await until(async () => {
    // Refused with a response, or because the port is already closed.
    const { status } = await call(gateway.url, {}).catch(() => ({ status: 503 }))
    return status === 200 ? undefined : status
  })

  expect(during.message.result).toMatchObject(complete.result)
  expect(after).toBe(503)
  expect(await stopped).toBe(0)
})

test('[FLEET-9] SIGINT stops it without waiting for a load balancer', async () => {
  const gateway = await aRunningGateway(`keys: { k1: "${aKey}" }\nservers: { a: { command: b } }`, {
    ASSENT_STORE: (await aDatabase()).url,
    ASSENT_LIMITS_DRAIN: '1h',
    ASSENT_LIMITS_DRAIN_NOTICE: '60s',
  })
  const startedAt = performance.now()

  expect(await gateway.stop('SIGINT')).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(30_000)
})
