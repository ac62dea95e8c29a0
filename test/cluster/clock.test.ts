import { setTimeout as sleep } from 'node:timers/promises'
import { createAssent } from '@assent/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { call } from '../../packages/gateway/src/contract/wire.suite.ts'
import { identifyBy } from '../../packages/gateway/src/http/identity/identify.ts'
import { identityLimits, setLimits } from '../../packages/gateway/src/limits.ts'
import { openCluster } from '../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../test-kit/mcp/asking-servers.ts'
import { whichRegion } from '../../test-kit/mcp/asking-tools.ts'
import { contextOf, roundOf } from '../../test-kit/mcp/rounds-2026-07-28.ts'
import { audience } from '../../test-kit/oidc/provider.ts'
import { aProvider } from '../../test-kit/oidc/token-provider.ts'
import { skewClock } from './skewed-clock.ts'

const dayMs = 24 * 60 * 60 * 1_000
const args = { questions: [whichRegion] }
const inEurope = { action: 'accept', content: { region: 'eu' } }

function setClock(byMs: number): void {
  onTestFinished(() => skewClock(0))
  skewClock(byMs)
}

async function anAskedClient(generation: '2025-11-25' | '2026-07-28', askWaitMs: number) {
  const server = await anAskingServer(generation)
  const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: { askWaitMs } })
  const [{ url }] = cluster.replicas
  const { requestState, inputRequests } = (await call(url, args)).message.result
  const [key = ''] = Object.keys(inputRequests as object)
  const answer = () => call(url, args, { requestState, inputResponses: { [key]: inEurope } })
  return { server, answer }
}

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[FLEET-11] a late yes does not count, although the clock was set back meanwhile (%s server)',
  async (generation) => {
    const { server, answer } = await anAskedClient(generation, 5_000)
    setClock(-dayMs)
    await sleep(5_500)

    await answer()

    expect(server.saw).not.toContainEqual(inEurope)
  },
)

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[FLEET-11] a yes in time counts, although the clock was set forward meanwhile (%s server)',
  async (generation) => {
    const { server, answer } = await anAskedClient(generation, 60_000)
    setClock(dayMs)

    expect((await answer()).message.result).toMatchObject({ content: [{ text: 'done' }] })
    expect(server.saw).toEqual([inEurope])
  },
)

test('[FLEET-11] an expired token is refused and a valid one accepted, whatever the local clock shows', async () => {
  // A pause of a busy machine must not look like an issuer that does not respond.
  onTestFinished(setLimits(identityLimits, { fetchMs: 60_000, waitMs: 60_000 }))
  const provider = await aProvider()
  const server = await anAskingServer('2026-07-28')
  const cluster = await openCluster({ deploy: { url: server.url } })
  const { store } = cluster.replicas[0]
  const settings = {
    issuer: provider.issuer,
    audience,
    scopes: [],
    algorithms: ['ES256'],
    clock_tolerance: 0,
    keys_fresh: 600_000,
    keys_kept: 3_600_000,
    subject_claim: 'sub',
    groups_claim: undefined,
    resource: undefined,
  } as never
  const identify = identifyBy(
    settings,
    () => undefined,
    () => store.nowMs(),
  )
  const nowS = Math.floor(Date.now() / 1_000)
  const tokens = [
    await provider.sign({ exp: nowS - 60 }),
    await provider.sign({ exp: nowS + 3_600 }),
    await provider.sign({ exp: nowS + 3_600, nbf: nowS + 1_800 }),
  ]
  const judge = () =>
    Promise.all(
      tokens.map(async (token) => {
        const identified = await identify({ url: '/mcp', headers: { authorization: `Bearer ${token}` } } as never)
        return identified !== undefined && 'principal' in identified
      }),
    )

  for (const byMs of [0, -dayMs, dayMs]) {
    setClock(byMs)
    expect(await judge()).toEqual([false, true, false])
  }
})

test('[FLEET-11] a server written with the SDK uses the time of its store, too', async () => {
  const cluster = await openCluster({})
  const [{ store }] = cluster.replicas
  const roundsWithin = (waitMs: number) => {
    const { interactive } = createAssent({ name: 'ops', store, waitMs })
    const handler = interactive<[], unknown, unknown>(async ({ ask }) => ask.text('Name?'), { name: 'greet' })
    return async (retry = {}) => roundOf(await handler(contextOf(retry)))
  }
  const answers = { 'ask-1': { action: 'accept', content: { text: 'Ada' } } }
  const [inTime, late] = [roundsWithin(60_000), roundsWithin(1_500)]
  const [first, second] = [await inTime(), await late()]

  setClock(dayMs)
  expect((await inTime({ state: first.state, answers })).text).toBe('Ada')
  setClock(-dayMs)
  await sleep(2_000)
  expect((await late({ state: second.state, answers })).code).toBe('timed_out')
})
