import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { aFreePort, aRunningGateway, mayBeMissing } from '../cli/process.suite.ts'
import { whichRegion } from '../contract/asking.suite.ts'
import { aStage, until } from '../contract/stage.suite.ts'
import { anOlderRawServer, aRawServer, aSession, asks, call, complete, nextOf } from '../contract/wire.suite.ts'
import { Counter, exposition, Gauge, Histogram } from './exposition.ts'
import { Figures } from './figures.ts'
import { createLog } from './log.ts'
import { scrubber } from './scrub.ts'

const inEurope = { action: 'accept', content: { region: 'eu' } }

/** A gateway in front of a server that asks one question, and its figures. */
async function aWatched() {
  const figures = new Figures('1.2.3')
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const gateway = await (await aStage()).gateway(
    { deploy: { url: server.url } },
    { watch: figures, openAsks: { perCaller: 2, total: 9 } },
  )
  figures.lookAt(gateway.standing)
  return { figures, url: gateway.url }
}

const lineOf = (text: string, name: string) => text.split('\n').find((line) => line.startsWith(name))

test('[WATCH-2] questions are counted by how they ended, with how long people took, and how many are open', async () => {
  const { figures, url } = await aWatched()
  const answer = async (response: object) => {
    const { requestState } = (await call(url, {})).message.result
    await call(url, {}, { requestState, inputResponses: { where: response } })
  }

  await answer(inEurope)
  await answer({ action: 'decline' })
  await answer({ action: 'cancel' })
  await answer({ action: 'accept', content: { region: 'nowhere' } })
  await call(url, {})
  const text = figures.text()

  expect(lineOf(text, 'assent_asks_total{server="deploy"}')).toContain(' 5')
  expect(lineOf(text, 'assent_asks_ended_total{server="deploy",outcome="accepted"}')).toContain(' 1')
  expect(lineOf(text, 'assent_asks_ended_total{server="deploy",outcome="declined"}')).toContain(' 1')
  expect(lineOf(text, 'assent_asks_ended_total{server="deploy",outcome="cancelled"}')).toContain(' 2')
  expect(lineOf(text, 'assent_ask_wait_seconds_count{outcome="accepted"}')).toContain(' 1')
  for (const answer of ['answered', 'declined', 'dismissed'])
    expect(lineOf(text, `assent_answers_total{server="deploy",answer="${answer}"}`)).toContain(' 1')
  expect(lineOf(text, 'assent_asks_open')).toBe('assent_asks_open 1')
  expect(lineOf(text, 'assent_relay_seconds_count{method="tools/call",outcome="finished"}')).toContain(' 4')
  expect(lineOf(text, 'assent_server_seconds_count{server="deploy"}')).toContain(' 9')
  expect(lineOf(text, 'assent_server_up{server="deploy"}')).toContain(' 1')
})

test('[WATCH-2] silence is counted apart from a no', async () => {
  const figures = new Figures('1')
  const server = await anOlderRawServer(({ say }) =>
    say({ id: 'q', method: 'elicitation/create', params: whichRegion }),
  )
  const gateway = await (await aStage()).gateway({ deploy: { url: server.url } }, { watch: figures, askWaitMs: 50 })
  const session = await aSession(gateway.url)

  await nextOf(await session.ask('tools/call', { name: 'ask', arguments: {} }))

  await until(() => lineOf(figures.text(), 'assent_asks_ended_total{server="deploy",outcome="expired"} 1'))
})

test('[WATCH-2] refusals are counted by reason, at the door and of questions', async () => {
  const { figures, url } = await aWatched()
  const secret = { type: 'object', properties: { password: { type: 'string' } } }
  const server = await aRawServer(() => asks({ q: { ...whichRegion, requestedSchema: secret } as never }))
  const asking = await (await aStage()).gateway({ deploy: { url: server.url } }, { watch: figures })

  await call(asking.url, {})
  for (let i = 0; i < 3; i++) await call(url, {})
  await fetch(url, { headers: { origin: 'https://evil.example' } })
  await fetch(new URL('/nothing', url))
  const text = figures.text()

  for (const reason of ['secret', 'too-many-open-caller', 'host', 'unknown-path']) {
    expect(lineOf(text, `assent_refusals_total{reason="${reason}"}`)).toContain(' 1')
  }
})

test('[WATCH-2] a server that cannot be reached is down, and a method that a caller made up is no label', async () => {
  const figures = new Figures('1')
  const gateway = await (await aStage()).gateway({ gone: { url: 'http://127.0.0.1:1/mcp' } }, { watch: figures })

  await call(gateway.url, {})
  figures.passed('made/up\n"by a caller', 'failed', 1)

  expect(lineOf(figures.text(), 'assent_server_up{server="gone"}')).toContain(' 0')
  expect(figures.text()).not.toContain('made/up')
})

describe('the text of figures', () => {
  test('[WATCH-3] counters, gauges and histograms are written as Prometheus reads them', () => {
    const counter = new Counter('a_total', 'A.')
    counter.add({ name: 'quote " and \\ and \n' })
    const histogram = new Histogram('b_seconds', 'B.', [1, 2])
    for (const value of [0.5, 1, 1.5, 9]) histogram.observe({}, value)

    expect(exposition([counter, histogram, new Gauge('c', 'C.', () => [[{}, 3]])])).toBe(`# HELP a_total A.
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

  test.skipIf(mayBeMissing('promtool'))('[WATCH-3] Prometheus itself finds nothing to say about them', async () => {
    const { figures, url } = await aWatched()
    const { requestState } = (await call(url, {})).message.result
    await call(url, {}, { requestState, inputResponses: { where: inEurope } })
    await fetch(new URL('/nothing', url))

    const { status, stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], {
      input: figures.text(),
      encoding: 'utf8',
    })

    expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' })
  })
})

test('[WATCH-3] beside the endpoint, figures are for this machine alone, and not for what a proxy on it passes on', async () => {
  const gateway = await aRunningGateway('servers: { a: { command: b } }')
  const metrics = new URL('/metrics', gateway.url)

  const here = await fetch(metrics)
  const passedOn = await fetch(metrics, { headers: { 'x-forwarded-for': '203.0.113.7' } })

  expect([here.status, passedOn.status]).toEqual([200, 403])
  expect(here.headers.get('content-type')).toContain('version=0.0.4')
  expect(await here.text()).toContain('assent_info{version="0.0.0"} 1')
})

test('[WATCH-3] at a place of their own, figures and health are served there and nowhere else', async () => {
  const port = await aFreePort()
  const gateway = await aRunningGateway(`metrics: { listen: "127.0.0.1:${port}" }\nservers: { a: { command: b } }`)
  const statuses = async (origin: string, paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await fetch(new URL(path, origin))).status))

  expect(await statuses(`http://127.0.0.1:${port}`, ['/metrics', '/healthz', '/readyz', '/mcp'])).toEqual([
    200, 200, 200, 404,
  ])
  expect(await statuses(gateway.url, ['/metrics', '/healthz'])).toEqual([404, 200])
  expect(await gateway.stop()).toBe(0)
})

test('[WATCH-4] the log is one object per line, and what must not be read is not in it', () => {
  const lines: string[] = []
  const scrub = scrubber(['s3cret-value', 'with "quotes"'])
  const log = createLog({ level: 'info', scrub: () => scrub, write: (line) => lines.push(line) })

  log.info({ server: 'deploy', token: 'hidden-by-name' }, 'It said s3cret-value and with "quotes".')
  log.trouble(Object.assign(new Error('Bearer abcdefghijklmnop was refused'), { code: 'EX' }))
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
