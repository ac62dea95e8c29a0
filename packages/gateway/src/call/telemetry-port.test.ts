import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { Ask } from '@assent/core'
import type { Store } from '@assent/store'
import { describe, expect, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { answerInInbox, firstAsk } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { freePort } from '../../../../test-kit/listen.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { redactor } from '../config/redact.ts'
import { anOlderRawServer, aRawServer, aSession, asks, call, complete, nextOf } from '../contract/wire.suite.ts'
import { IssuerKeys } from '../http/identity/issuer-keys.ts'
import { aRunningGateway, mayBeMissing } from '../program/process.suite.ts'
import { ownVersion } from '../protocol/version.ts'
import { IssuerMetrics } from '../telemetry/issuer-metrics.ts'
import { createLog } from '../telemetry/log.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { Counter, Gauge, Histogram, prometheusText } from '../telemetry/prometheus.ts'
import { type AskEnd, type EndDetails, noTelemetry, type Telemetry } from './telemetry-port.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }

/** A gateway in front of a server that asks one question, and its metrics. */
async function aMeasuredGateway() {
  const metrics = new Metrics('1.2.3')
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await (await openTestEnv()).gateway(
    { deploy: { url: server.url } },
    // The answers come from a program. A person's invalid answer would be asked for again.
    { watch: metrics, openAsks: { perCaller: 2, total: 9 }, unseenAfterMs: 60_000 },
  )
  metrics.lookAt(gateway.standing)
  return { metrics, url: gateway.url }
}

const lineOf = (text: string, name: string) => text.split('\n').find((line) => line.startsWith(name))

test('[WATCH-2] questions are counted by how they ended, with how long people took, and how many are open', async () => {
  const { metrics, url } = await aMeasuredGateway()
  const answer = async (response: object) => {
    const { requestState } = (await call(url, {})).message.result
    await call(url, {}, { requestState, inputResponses: { where: response } })
  }

  await answer(inEurope)
  await answer({ action: 'decline' })
  await answer({ action: 'cancel' })
  await answer({ action: 'accept', content: { region: 'nowhere' } })
  await call(url, {})
  const text = metrics.text()

  expect(lineOf(text, 'assent_asks_total{server="deploy"}')).toContain(' 5')
  expect(lineOf(text, 'assent_asks_ended_total{server="deploy",outcome="accepted"}')).toContain(' 1')
  expect(lineOf(text, 'assent_asks_ended_total{server="deploy",outcome="declined"}')).toContain(' 1')
  expect(lineOf(text, 'assent_asks_ended_total{server="deploy",outcome="cancelled"}')).toContain(' 2')
  expect(lineOf(text, 'assent_ask_wait_seconds_count{outcome="accepted"}')).toContain(' 1')
  for (const answer of ['answered', 'declined', 'dismissed'])
    expect(lineOf(text, `assent_answers_total{server="deploy",answer="${answer}"}`)).toContain(' 1')
  // Its caller carries the last one, and nothing waits for it here.
  expect(lineOf(text, 'assent_asks_open')).toBe('assent_asks_open 0')
  expect(lineOf(text, 'assent_relay_seconds_count{method="tools/call",outcome="finished"}')).toContain(' 4')
  expect(lineOf(text, 'assent_server_seconds_count{server="deploy"}')).toContain(' 9')
  expect(lineOf(text, 'assent_server_up{server="deploy"}')).toContain(' 1')
})

test('[WATCH-2] clients are counted when they connect, by whether they show questions', async () => {
  const { metrics, url } = await aMeasuredGateway()

  await aSession(url)
  await call(url, {})

  expect(lineOf(metrics.text(), 'assent_clients_connected_total')).toBe(
    'assent_clients_connected_total{client="another client",forms="yes"} 1',
  )
})

test('[WATCH-2] an expired question is counted separately from a person’s no', async () => {
  const metrics = new Metrics('1')
  const server = await anOlderRawServer(({ say }) =>
    say({ id: 'q', method: 'elicitation/create', params: whichRegion }),
  )
  const gateway = await (await openTestEnv()).gateway(
    { deploy: { url: server.url } },
    { watch: metrics, askWaitMs: 50 },
  )
  const session = await aSession(gateway.url)

  await nextOf(await session.ask('tools/call', { name: 'ask', arguments: {} }))

  await until(() => lineOf(metrics.text(), 'assent_asks_ended_total{server="deploy",outcome="expired"} 1'))
})

describe('[WATCH-4] the end of a question is reported with its tool, caller and ask', () => {
  async function aReportingGateway(server: { readonly url: string }, options: object) {
    const ends: [server: string, end: AskEnd, details: EndDetails | undefined][] = []
    const watch: Telemetry = {
      ...noTelemetry,
      ended: (name, end, _waitedMs, details) => void ends.push([name, end, details]),
    }
    const { store, gateway } = await openTestEnv()
    const { url } = await gateway({ deploy: { url: server.url } }, { watch, unseenAfterMs: 0, ...options })
    return { ends, store, url }
  }

  const asking = () =>
    aRawServer(({ params }) => (params.inputResponses === undefined ? asks({ where: whichRegion }) : complete))
  const holding = () =>
    anOlderRawServer(({ say }) => say({ id: 'q', method: 'elicitation/create', params: whichRegion }))

  test('[WATCH-4] an answer in the inbox, of a server that does not wait', async () => {
    const { ends, store, url } = await aReportingGateway(await asking(), { surfaces: ['inbox'], holdMs: 60_000 })
    const calling = call(url, {}, {}, withoutForms)
    const ask = await firstAsk(store)
    await answerInInbox(store, ask, inEurope)
    await calling

    const details = { answer: 'answered', tool: 'ask', caller: ask.principal, ask: ask.id }
    expect(ends).toEqual([['deploy', 'accepted', details]])
  })

  test('[WATCH-4] an answer of the client, without a stored ask', async () => {
    const { ends, url } = await aReportingGateway(await asking(), {})
    const { requestState } = (await call(url, {})).message.result
    await call(url, {}, { requestState, inputResponses: { where: { action: 'decline' } } })

    expect(ends).toEqual([['deploy', 'declined', { answer: 'declined', tool: 'ask', caller: expect.any(String) }]])
  })

  test('[WATCH-4] the stored question of a held call that no person answers in time', async () => {
    const { ends, url } = await aReportingGateway(await holding(), { surfaces: ['inbox'], askWaitMs: 300 })
    const session = await aSession(url)
    void session.ask('tools/call', { name: 'ask', arguments: {} })
    await until(() => (ends.length > 0 ? true : undefined))

    const details = { tool: 'ask', caller: expect.any(String), ask: expect.stringMatching(/^ask_|[0-9a-f-]{16,}/) }
    expect(ends).toEqual([['deploy', 'expired', details]])
  })
})

/** A gateway whose questions go to the inbox, and its metrics. */
async function aMeasuredInbox(holdMs: number) {
  const metrics = new Metrics('1')
  const testEnv = await openTestEnv({ onStep: (step) => metrics.store.step(step) })
  metrics.store.lookAt(testEnv.store)
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await testEnv.gateway(
    { deploy: { url: server.url } },
    { watch: metrics, surfaces: ['inbox'], holdMs },
  )
  metrics.lookAt(gateway.standing, gateway.recount)
  return { metrics, store: testEnv.store, url: gateway.url }
}

const withoutForms = { capabilities: {} }

test.each([
  ['withdrawn', (store: Store, ask: Ask) => store.asks.withdraw(ask.tenant, ask.id, 'owner-lost')],
  ['answered', (store: Store, ask: Ask) => answerInInbox(store, ask, inEurope)],
])('[WATCH-7] a question that was %s while its caller is away is not open any more', async (_how, end) => {
  const { metrics, store, url } = await aMeasuredInbox(10)
  const { requestState } = (await call(url, {}, {}, withoutForms)).message.result
  expect(lineOf(await metrics.recounted(), 'assent_asks_open')).toBe('assent_asks_open 1')

  await end(store, await firstAsk(store))

  expect(lineOf(await metrics.recounted(), 'assent_asks_open')).toBe('assent_asks_open 0')
  // When its caller retries, nothing is counted twice.
  await call(url, {}, { requestState }, withoutForms)
  expect(lineOf(await metrics.recounted(), 'assent_asks_open')).toBe('assent_asks_open 0')
})

test('[WATCH-7] a question whose process was lost is counted separately from one that a person dismissed', async () => {
  const { metrics, store, url } = await aMeasuredInbox(60_000)
  const calling = call(url, {}, {}, withoutForms)
  const ask = await firstAsk(store)

  await store.asks.withdraw(ask.tenant, ask.id, 'owner-lost')
  await calling

  const text = metrics.text()
  expect(lineOf(text, 'assent_asks_ended_total{server="deploy",outcome="lost"}')).toContain(' 1')
  expect(text).not.toContain('outcome="cancelled"')
  expect(text).not.toContain('answer="dismissed"')
})

test('[WATCH-7] a call that was lost with its process is counted', async () => {
  const { metrics, store } = await aMeasuredInbox(10)
  expect(lineOf(metrics.text(), 'assent_calls_lost_total')).toBe('assent_calls_lost_total 0')
  expect(lineOf(metrics.text(), 'assent_refusals_total{reason="too-many-open-tenant"}')).toContain(' 0')
  const of = { principal: 'ann', server: 'deploy', method: 'tools/call', requestDigest: '' }

  await store.replicas.renew('gone', 1_000)
  await store.calls.begin({ tenant: 'default', id: 'call_1', ...of, owner: 'gone' })

  await until(() => lineOf(metrics.text(), 'assent_calls_lost_total 1'))
})

test('[WATCH-7] durations and errors of the store are counted by operation', async () => {
  const { metrics, store, url } = await aMeasuredInbox(10)
  await call(url, {}, {}, withoutForms)
  const text = metrics.text()

  for (const operation of ['read', 'write']) {
    expect(lineOf(text, `assent_store_seconds_count{operation="${operation}"}`)).toMatch(/ [1-9]/)
    expect(lineOf(text, `assent_store_errors_total{operation="${operation}",reason="unavailable"}`)).toContain(' 0')
  }
  expect(lineOf(text, 'assent_notifications_late_total{transport="file"}')).toContain(' 0')
  metrics.store.step({ name: 'answer_ask', kind: 'write', ms: 2_000, failure: 'unavailable' })
  expect(lineOf(metrics.text(), 'assent_store_errors_total{operation="write",reason="unavailable"}')).toContain(' 1')
  const pool = { open: 5, idle: 2, waiting: 3, most: 10 }
  metrics.store.lookAt({
    pool,
    oldestTransactionMs: 0,
    notifications: { ...store.notifications, transport: 'listen', reconnects: 4 },
  })
  for (const line of [
    'assent_store_connections{state="busy"} 3',
    'assent_store_connections{state="idle"} 2',
    'assent_store_connections_max 10',
    'assent_store_waiting 3',
    'assent_notification_reconnects_total{transport="listen"} 4',
  ]) {
    expect(metrics.text()).toContain(`${line}\n`)
  }
})

test('[WATCH-7] metrics report the age of the issuer’s keys and whether they could be read', async () => {
  const issuer = new IssuerMetrics()
  const text = () => prometheusText(issuer.metrics())
  let isAway = true
  const answering = createServer((request, response) => {
    if (isAway) return void response.writeHead(503).end()
    const origin = `http://${request.headers.host}`
    const body = request.url === '/keys' ? { keys: [] } : { issuer: origin, jwks_uri: `${origin}/keys` }
    response.end(JSON.stringify(body))
  })
  const { url } = await listening(answering)
  let now = 0
  const keys = new IssuerKeys(
    url,
    { freshMs: 1_000, keptMs: 1_000 },
    () => undefined,
    () => now,
  )
  expect(text()).not.toContain('assent_issuer')
  issuer.lookAt(() => keys)

  await expect(keys.read()).rejects.toThrow('cannot be read')
  expect(text()).toContain('assent_issuer_key_reads_total{result="failed"} 1')
  expect(text()).not.toContain('assent_issuer_keys_age_seconds 0')
  isAway = false
  await keys.read()
  now = 5_000

  expect(text()).toContain('assent_issuer_key_reads_total{result="ok"} 1')
  expect(text()).toContain('assent_issuer_keys_age_seconds 5')
})

test('[WATCH-2] refused requests and refused questions are counted by reason', async () => {
  const { metrics, url } = await aMeasuredGateway()
  const secret = { type: 'object', properties: { password: { type: 'string' } } }
  const server = await aRawServer(() => asks({ q: { ...whichRegion, requestedSchema: secret } as never }))
  const asking = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, { watch: metrics })

  await call(asking.url, {})
  const session = await aSession(url)
  for (let i = 0; i < 3; i++) await nextOf(await session.ask('tools/call', { name: 'ask', arguments: {} }, i))
  await fetch(url, { headers: { origin: 'https://evil.example' } })
  await fetch(new URL('/nothing', url))
  const text = metrics.text()

  for (const reason of ['secret', 'too-many-open-caller', 'host', 'unknown-path']) {
    expect(lineOf(text, `assent_refusals_total{reason="${reason}"}`)).toContain(' 1')
  }
  for (const reason of ['secret', 'too-many-open-caller']) {
    expect(lineOf(text, `assent_questions_refused_total{server="deploy",reason="${reason}"}`)).toContain(' 1')
  }
})

test('[WATCH-2] a server that cannot be reached is down, and an unknown method of a caller does not become a label', async () => {
  const metrics = new Metrics('1')
  const gateway = await (await openTestEnv()).gateway({ gone: { url: 'http://127.0.0.1:1/mcp' } }, { watch: metrics })

  await call(gateway.url, {})
  metrics.passed('made/up\n"by a caller', 'failed', 1)

  expect(lineOf(metrics.text(), 'assent_server_up{server="gone"}')).toContain(' 0')
  expect(metrics.text()).not.toContain('made/up')
})

describe('the metrics text', () => {
  test('[WATCH-3] counters, gauges and histograms are written in the Prometheus format', () => {
    const counter = new Counter('a_total', 'A.')
    counter.add({ name: 'quote " and \\ and \n' })
    const histogram = new Histogram('b_seconds', 'B.', [1, 2])
    for (const value of [0.5, 1, 1.5, 9]) histogram.observe({}, value)

    expect(prometheusText([counter, histogram, new Gauge('c', 'C.', () => [[{}, 3]])])).toBe(`# HELP a_total A.
# TYPE a_total counter
a_total{name="quote \\" and \\\\ and \\n"} 1
# HELP b_seconds B.
# TYPE b_seconds histogram
b_seconds_bucket{le="1"} 2
b_seconds_bucket{le="2"} 3
b_seconds_bucket{le="+Inf"} 4
b_seconds_sum 12
b_seconds_count 4
# HELP c C.
# TYPE c gauge
c 3
`)
  })

  test.skipIf(mayBeMissing('promtool'))('[WATCH-3] promtool accepts the metrics without a warning', async () => {
    const { metrics, url } = await aMeasuredGateway()
    const { requestState } = (await call(url, {})).message.result
    await call(url, {}, { requestState, inputResponses: { where: inEurope } })
    await fetch(new URL('/nothing', url))

    const { status, stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], {
      input: metrics.text(),
      encoding: 'utf8',
    })

    expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: '' })
  })
})

test('[WATCH-3] on the main port, metrics are served only to this machine, and not through a proxy on it', async () => {
  const gateway = await aRunningGateway('servers: { a: { command: b } }')
  const address = new URL('/metrics', gateway.url)

  const here = await fetch(address)
  const passedOn = await fetch(address, { headers: { 'x-forwarded-for': '203.0.113.7' } })

  expect([here.status, passedOn.status]).toEqual([200, 403])
  expect(here.headers.get('content-type')).toContain('version=0.0.4')
  expect(await here.text()).toContain(`assent_info{version="${ownVersion()}"} 1`)
})

test('[WATCH-3] with a separate address, metrics and health are served only there', async () => {
  const port = await freePort()
  const gateway = await aRunningGateway(`metrics: { listen: "127.0.0.1:${port}" }\nservers: { a: { command: b } }`)
  const statuses = async (origin: string, paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await fetch(new URL(path, origin))).status))

  expect(await statuses(`http://127.0.0.1:${port}`, ['/metrics', '/healthz', '/readyz', '/mcp'])).toEqual([
    200, 200, 200, 404,
  ])
  expect(await statuses(gateway.url, ['/metrics', '/healthz'])).toEqual([404, 200])
  expect(await gateway.stop()).toBe(0)
})

test('[WATCH-4] the log is one object per line, and contains no secrets', () => {
  const lines: string[] = []
  const redact = redactor(['s3cret-value', 'with "quotes"'])
  const log = createLog({ level: 'info', redact: () => redact, write: (line) => lines.push(line) })

  log.info({ server: 'deploy', token: 'hidden-by-name' }, 'It said s3cret-value and with "quotes".')
  log.exception(Object.assign(new Error('Bearer abcdefghijklmnop was refused'), { code: 'EX' }))
  log.debug({}, 'not written')

  const [first, second] = lines.map((line) => JSON.parse(line))
  expect(lines).toHaveLength(2)
  expect(first).toMatchObject({
    level: 'info',
    server: 'deploy',
    token: '[secret]',
    msg: 'It said [secret] and [secret].',
  })
  expect(second).toMatchObject({ level: 'error', code: 'EX', msg: 'Bearer [secret] was refused' })
})
