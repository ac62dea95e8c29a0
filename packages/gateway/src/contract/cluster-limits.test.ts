import { randomBytes } from 'node:crypto'
import { type AskDraft, newId, type OpenLimits, soleApprover } from '@assent/core'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { answerInInbox, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openCluster, type Replica } from '../../../../test-kit/gateway/cluster.ts'
import { anAskingServer } from '../../../../test-kit/mcp/asking-servers.ts'
import { howMany, whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { noTelemetry, type RefusedQuestion } from '../call/telemetry-port.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { anOlderRawServer, aRawServer, aSession, asks, call, complete, nextOf, request } from './wire.suite.ts'

const plenty: OpenLimits = { perCaller: 100, perServer: 100, perTenant: 100, total: 100 }
const inEurope = { action: 'accept', content: { region: 'eu' } }
const countOpen = `select count(*)::int as open from asks where state = 'open'`

/** Three gateways with 2026-07-28 servers that ask in the inbox. */
async function three(limits: Partial<OpenLimits>, questions: Record<string, unknown> = { where: whichRegion }) {
  const server = await aRawServer(({ params }) => (params.inputResponses === undefined ? asks(questions) : complete))
  const refused: string[] = []
  const watch = { ...noTelemetry, questionRefused: ({ why }: RefusedQuestion) => refused.push(why) }
  const cluster = await openCluster(
    { deploy: { url: server.url }, other: { url: server.url } },
    { replicas: 3, gateway: { surfaces: ['inbox'], holdMs: 10, openAsks: { ...plenty, ...limits }, watch } },
  )
  const [a, b, c] = cluster.replicas
  const tries = async ({ url }: Pick<Replica, 'url'>, person: string, name = 'deploy') => {
    const { message } = await request(url, 'tools/call', { name: `${name}__ask`, arguments: {} }, { person })
    return message.error === undefined ? 'asked' : `${message.error.code} ${message.error.message}`
  }
  const open = async () => (await cluster.tamper(countOpen)) as [{ open: number }]
  return { cluster, a, b, c: c as Replica, tries, open, refused, server }
}

test('[FLEET-8] the limits per caller, server and tenant hold across all replicas', async () => {
  const { a, b, c, tries, open, refused, server } = await three({ perCaller: 2, perServer: 3, perTenant: 4 })

  expect([await tries(a, 'ann'), await tries(b, 'ann')]).toEqual(['asked', 'asked'])
  expect(await tries(c, 'ann')).toMatch(/^-32000 You may have 2 questions open at once.*Answer some/)
  expect(await tries(c, 'ben')).toBe('asked')
  expect(await tries(a, 'ben')).toMatch(/^-32000 The server deploy may have 3 questions open at once.*Try again/)
  expect(await tries(b, 'cleo', 'other')).toBe('asked')
  expect(await tries(c, 'dan', 'other')).toMatch(/^-32000 This tenant may have 4 questions open at once.*Try again/)

  expect(await open()).toEqual([{ open: 4 }])
  expect(refused).toEqual(['too-many-open-caller', 'too-many-open-server', 'too-many-open-tenant'])
  expect(server.requests.filter(({ params }) => params.inputResponses !== undefined)).toEqual([])
})

test('[FLEET-8] an ask that is answered, withdrawn or expired no longer counts at any replica; a restart frees nothing', async () => {
  const { cluster, a, b, c, tries } = await three({ perCaller: 2 })
  for (const replica of [a, b]) expect(await tries(replica, 'ann')).toBe('asked')
  const first = async () => (await openAsks(c.store))[0] as never

  await answerInInbox(c.store, await first(), inEurope)
  expect([await tries(b, 'ann'), await tries(a, 'ann')]).toEqual(['asked', expect.stringContaining('You may have 2')])
  await a.store.asks.withdraw('default', ((await first()) as { id: string }).id, 'caller-gone')
  expect([await tries(c, 'ann'), await tries(b, 'ann')]).toEqual(['asked', expect.stringContaining('You may have 2')])
  await cluster.tamper(
    `update asks set decide_by = raised_at where id = (select max(id) from asks where state = 'open')`,
  )
  expect([await tries(b, 'ann'), await tries(c, 'ann')]).toEqual(['asked', expect.stringContaining('You may have 2')])

  await a.close()
  const again = await cluster.another()
  expect(await tries(again, 'ann')).toContain('You may have 2')
  await answerInInbox(again.store, await first(), inEurope)
  expect(await tries(again, 'ann')).toBe('asked')
})

test('[FLEET-8] concurrent calls at three replicas are accepted up to the limit, and the others are refused', async () => {
  const { cluster, tries, open } = await three({ perCaller: 5 })

  const all = await Promise.all(
    Array.from({ length: 18 }, (_, at) => tries(cluster.replicas[at % 3] as Replica, 'ann')),
  )

  expect(all.filter((one) => one === 'asked')).toHaveLength(5)
  expect(all.filter((one) => one.includes('You may have 5'))).toHaveLength(13)
  expect(await open()).toEqual([{ open: 5 }])
})

test('[FLEET-8] if the questions of one round exceed the limit together, none of them is left open', async () => {
  const { a, b, tries, open } = await three({ perCaller: 3 }, { where: whichRegion, many: howMany })

  expect(await tries(a, 'ann')).toBe('asked')
  expect(await tries(b, 'ann')).toContain('You may have 3')
  expect(await open()).toEqual([{ open: 2 }])
  expect(await tries(b, 'ben')).toBe('asked')
})

test('[FLEET-8] a 2025 server gets an error when the limit is reached, and continues without an answer', async () => {
  const server = await anAskingServer('2025-11-25')
  const gateway = { surfaces: ['client', 'inbox'], unseenAfterMs: 0, openAsks: { ...plenty, perCaller: 1 } } as const
  const cluster = await openCluster({ deploy: { url: server.url } }, { replicas: 3, gateway })
  const args = { questions: [whichRegion] }
  const [first, second, third] = cluster.replicas
  const done = { result: { content: [{ text: 'done' }] } }

  const { message } = await call(first.url, args)
  expect(message.result.resultType).toBe('input_required')
  expect((await call(second.url, args)).message).toMatchObject(done)
  // This 2025 client has no elicitation, so its question goes to the inbox, where the limit is reached.
  const session = await aSession(third?.url ?? '', { capabilities: {} })
  expect(await nextOf(await session.ask('tools/call', { name: 'ask', arguments: args }, 1))).toMatchObject(done)

  const refusal = { error: expect.stringContaining('You may have 1 question open at once') }
  expect(server).toMatchObject({ begun: 3, ended: 2, saw: [refusal, refusal] })
  const { requestState } = message.result
  const answered = await call(second.url, args, { requestState, inputResponses: { ask_1: inEurope } })
  expect(answered.message).toMatchObject(done)
  expect((await call(third?.url ?? '', args)).message.result.resultType).toBe('input_required')
})

test('[FLEET-8] the call of a 2025 server that keeps asking above the limit is cancelled', async () => {
  closeAfterTest(setLimits(relayLimits, { roundsPerCall: 3 }))
  const question = { method: 'elicitation/create', params: whichRegion }
  let calls = 0
  const server = await anOlderRawServer((begun) => {
    let asked = 0
    calls += 1
    const again = setInterval(() => begun.say({ id: calls * 1_000 + asked++, ...question }), 50)
    closeAfterTest(() => clearInterval(again))
  })
  const openAsks = { ...plenty, perCaller: 1 }
  const cluster = await openCluster(
    { deploy: { url: server.url } },
    { gateway: { surfaces: ['client', 'inbox'], openAsks } },
  )
  await cluster.replicas[0].store.asks.raise(anAsk(), plenty)

  const { message } = await call(cluster.replicas[1].url, {})

  expect(message.error.message).toMatch(/You may have 1 question open|kept asking/)
  await until(() => server.received.find(({ method }) => method === 'notifications/cancelled'))
  expect(await cluster.tamper(countOpen)).toEqual([{ open: 1 }])
})

test('[FLEET-8] if the limit prevents the copy in the inbox, the question stays open in the client alone', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const refused: string[] = []
  const watch = { ...noTelemetry, refused: (reason: string) => refused.push(reason) }
  const openAsks = { ...plenty, perCaller: 1 }
  const gateway = { surfaces: ['client', 'inbox'], silentAfterMs: 50, openAsks, watch } as const
  const cluster = await openCluster({ deploy: { url: server.url } }, { gateway })
  const [first, second] = cluster.replicas
  await first.store.asks.raise(anAsk(), plenty)

  const { requestState } = (await call(first.url, {})).message.result
  await until(() => refused[0])
  expect(await cluster.tamper(countOpen)).toEqual([{ open: 1 }])
  await new Promise((resolve) => setTimeout(resolve, relayLimits.unseenAfterMs))
  const { message } = await call(second.url, {}, { requestState, inputResponses: { where: inEurope } })

  expect(message).toMatchObject(complete)
  expect(refused).toEqual(['too-many-open-caller'])
})

test('[FLEET-8] a question that a client carries with the state of its call does not count', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const openAsks = { ...plenty, perCaller: 1 }
  const cluster = await openCluster({ deploy: { url: server.url } }, { gateway: { unseenAfterMs: 0, openAsks } })
  const [first, second] = cluster.replicas

  const begun = [await call(first.url, {}), await call(first.url, {})]
  const states = begun.map(({ message }) => message.result.requestState)

  expect(first.standing().openAsks).toBe(0)
  for (const requestState of states) {
    const answered = await call(second.url, {}, { requestState, inputResponses: { where: inEurope } })
    expect(answered.message).toMatchObject(complete)
  }
})

/** One open ask of ann. */
function anAsk(): AskDraft {
  return {
    tenant: 'default',
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'deploy' },
    principal: 'ann',
    question: { kind: 'url', message: 'Look.', url: 'https://a.example/' },
    approvalRule: soleApprover('ann'),
    decideWithinMs: 600_000,
    useWithinMs: 600_000,
  }
}
