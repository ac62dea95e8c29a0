// What deploy/ gives to Prometheus and Grafana, with the real Prometheus looking at a real gateway.

import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { aDatabase, aFolder, aFreePort, aKey, aRunningGateway, mayBeMissing } from '../cli/process.suite.ts'
import { aWireTo } from '../cli/wire-to.suite.ts'
import { whichRegion } from '../contract/asking.suite.ts'
import { putAwayLater } from '../contract/stage.suite.ts'
import { aRawServer, asks, call, complete } from '../contract/wire.suite.ts'

const shipped = (name: string) => readFileSync(new URL(`../../../../deploy/${name}`, import.meta.url), 'utf8')

interface Reply {
  readonly status: string
  readonly data?: unknown
  readonly error?: unknown
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

/** What Grafana would put in place of its variables. */
function asGrafanaAsks(expr: string): string {
  return expr.replaceAll('$instance', '.*').replaceAll('$job', 'assent').replaceAll('$__rate_interval', '1m')
}

/** The same alerts, for a test that cannot wait for minutes. */
function atOnce(alerts: string): string {
  return alerts.replaceAll(/for: 1m$/gm, 'for: 1s')
}

/** Prometheus as we configure it, but for the address and the pace. */
async function aPrometheus(gateway: string): Promise<(path: string, query?: object) => Promise<unknown>> {
  const port = await aFreePort()
  const config = shipped('prometheus.yml')
    .replace('127.0.0.1:7420', new URL(gateway).host)
    .replace('scrape_interval: 15s', 'scrape_interval: 1s')
  const paced = `global: { evaluation_interval: 1s }\n${config}`
  const alerts = atOnce(shipped('assent-alerts.yml'))
  const folder = await aFolder({ 'prometheus.yml': paced, 'assent-alerts.yml': alerts })
  expect(spawnSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')]).status).toBe(0)
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  putAwayLater(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  })
  return async (path, query = {}) => {
    const url = new URL(path, `http://127.0.0.1:${port}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    const { status, data, error } = (await fetch(url)
      .then((response) => response.json())
      .catch((cause: unknown) => ({ status: 'away', error: cause }))) as Reply
    return status === 'success' ? data : { failed: error }
  }
}

test.skipIf(mayBeMissing('prometheus'))(
  '[WATCH-6] Prometheus as we configure it reads a gateway, and every panel of the dashboard shows what is there',
  async () => {
    const server = await aRawServer(({ params }) =>
      params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
    )
    const gateway = await aRunningGateway(`servers: { deploy: { url: "${server.url}" } }`)
    const prometheus = await aPrometheus(gateway.url)
    const { requestState } = (await call(gateway.url, {})).message.result
    await call(gateway.url, {}, { requestState, inputResponses: { where: { action: 'decline' } } })
    await fetch(new URL('/nothing', gateway.url))
    await vi.waitFor(
      async () => {
        const { result } = (await prometheus('/api/v1/query', { query: 'assent_refusals_total > 0' })) as Result
        expect(result).toHaveLength(1)
      },
      { timeout: 60_000, interval: 200 },
    )

    const names = (await prometheus('/api/v1/label/__name__/values')) as readonly string[]
    const panels = (JSON.parse(shipped('grafana-assent.json')).panels as readonly Panel[]).filter(
      ({ targets }) => targets !== undefined,
    )
    for (const { title, targets = [] } of panels) {
      for (const { expr } of targets) {
        expect(await prometheus('/api/v1/query', { query: asGrafanaAsks(expr) }), title).not.toHaveProperty('failed')
        // A client that answers for nobody has no place in this test; the others are all there.
        for (const [name] of expr.matchAll(/\b(?:assent|process|nodejs)_\w+/g)) {
          if (name !== 'assent_asks_unseen_total') expect(names, title).toContain(name)
        }
      }
    }
    expect(panels.length).toBeGreaterThan(10)
    const { groups } = (await prometheus('/api/v1/rules')) as { groups: { rules: { health: string }[] }[] }
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBeGreaterThan(0)
    expect(rules.filter(({ health }) => health === 'err')).toEqual([])
  },
)

interface Result {
  readonly result?: readonly unknown[]
}

test.skipIf(mayBeMissing('promtool'))(
  '[WATCH-6] each alert is raised by what it is for, and by nothing less',
  async () => {
    const folder = await aFolder({ 'assent-alerts.yml': shipped('assent-alerts.yml') })
    const silent = (alertname: string, eval_time: string) => ({ alertname, eval_time, exp_alerts: [] })
    const raised = (alertname: string, eval_time: string, exp_labels: object, summary: string) => ({
      alertname,
      eval_time,
      exp_alerts: [{ exp_labels, exp_annotations: { summary } }],
    })
    const ended = (outcome: string, step: number) => ({
      series: `assent_asks_ended_total{server="a",outcome="${outcome}"}`,
      values: `0+${step}x180`,
    })
    const told = (input_series: object[], ...alert_rule_test: object[]) => ({
      interval: '1m',
      input_series,
      alert_rule_test,
    })
    const [down, unanswered, full] = ['AssentServerDown', 'AssentQuestionsRunOut', 'AssentTurnsQuestionsAway'] as const
    const [gone, store, lost] = ['AssentDown', 'AssentStore', 'AssentCallsLost'] as const
    const storeErrors = (values: string) => ({
      series: 'assent_store_errors_total{instance="i",operation="write",reason="unavailable"}',
      values,
    })
    const tests = [
      told(
        [{ series: 'up{job="assent",instance="i"}', values: '1x5 0x20' }],
        silent(gone, '6m'),
        raised(gone, '8m', { job: 'assent', instance: 'i' }, 'The gateway i cannot be read'),
      ),
      told([{ series: 'up{job="other",instance="i"}', values: '0x20' }], silent(gone, '15m')),
      // One that fails now and then is not a database that is away.
      told([storeErrors('0x5 1x20')], silent(store, '8m')),
      told(
        [storeErrors('0x5 9x20')],
        silent(store, '5m'),
        raised(store, '7m', { instance: 'i' }, 'i cannot work with its database'),
        silent(store, '12m'),
      ),
      told(
        [{ series: 'assent_calls_lost_total{instance="i"}', values: '0x5 1x40' }],
        silent(lost, '5m'),
        raised(lost, '8m', { instance: 'i' }, 'i gave up calls of a gateway that fell silent'),
        silent(lost, '30m'),
      ),
      told(
        [{ series: 'assent_server_up{server="a",instance="i"}', values: '1x5 0x20' }],
        silent(down, '8m'),
        raised(down, '15m', { server: 'a', instance: 'i' }, 'a cannot be reached through i'),
      ),
      told(
        [ended('expired', 3), ended('accepted', 7)],
        raised(unanswered, '150m', { server: 'a' }, 'One in five questions of a is answered by nobody'),
      ),
      told([ended('expired', 1), ended('accepted', 9)], silent(unanswered, '150m')),
      told(
        [{ series: 'assent_refusals_total{reason="too-many-open-caller",instance="i"}', values: '0x5 1x20' }],
        silent(full, '4m'),
        raised(
          full,
          '8m',
          { reason: 'too-many-open-caller', instance: 'i' },
          'i has as many open questions as it may have',
        ),
      ),
    ]
    await writeFile(
      join(folder, 'test.yml'),
      JSON.stringify({ rule_files: ['assent-alerts.yml'], evaluation_interval: '1m', tests }),
    )
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(folder, 'test.yml')], {
      encoding: 'utf8',
    })
    expect(`${stdout}${stderr}`).toContain('SUCCESS')
    expect(status).toBe(0)
  },
)

test.skipIf(mayBeMissing('prometheus'))(
  '[WATCH-6] a gateway that serves raises no alert; lost calls, a database that is away and a gateway that is gone do',
  async () => {
    const { name, url: databaseUrl } = await aDatabase()
    const database = await aWireTo(5432)
    const server = await aRawServer(() => complete)
    const gateway = await aRunningGateway(`servers: { deploy: { url: "${server.url}" } }\nkeys: { k1: "${aKey}" }`, {
      ASSENT_STORE: `postgres://root@127.0.0.1:${database.port}/${name}`,
    })
    const prometheus = await aPrometheus(gateway.url)
    const firing = async () => {
      const { alerts = [] } = (await prometheus('/api/v1/alerts')) as Alerts
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
    }
    const samples = async (query: string) => ((await prometheus('/api/v1/query', { query })) as Result).result ?? []
    const raises = (alert: string) =>
      vi.waitFor(async () => expect(await firing()).toContain(alert), { timeout: 60_000, interval: 500 })

    await call(gateway.url, {})
    // Long enough that a second look would show what is wrong with a healthy gateway.
    await vi.waitFor(async () => expect(await samples('up{job="assent"} == 1')).toHaveLength(1), { timeout: 30_000 })
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    expect(await firing()).toEqual([])
    for (const metric of ['assent_store_seconds_count', 'assent_store_connections', 'assent_notifications_total']) {
      expect((await samples(metric)).length, metric).toBeGreaterThan(0)
    }

    await loseACall(databaseUrl)
    await raises('AssentCallsLost')
    expect(await firing()).toEqual(['AssentCallsLost'])

    database.cut()
    const asking = setInterval(() => void call(gateway.url, {}).catch(() => undefined), 200)
    putAwayLater(async () => clearInterval(asking))
    await raises('AssentStore')
    await gateway.stop('SIGKILL')
    await raises('AssentDown')
  },
)

/** As a gateway would that died while it held a call. */
async function loseACall(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(
    `insert into assent.calls (tenant, id, principal, server, method, request_digest, owner, state, started_at, lease_until)
     values ('default', 'call_1', 'ann', 'deploy', 'tools/call', '', 'gone', 'running', 0, 1)`,
  )
  await client.end()
}

interface Alerts {
  readonly alerts?: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[]
}
