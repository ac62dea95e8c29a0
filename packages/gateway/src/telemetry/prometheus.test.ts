// The Prometheus and Grafana files in deploy/, tested with a real Prometheus that scrapes a real gateway.

import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { freePort } from '../../../../test-kit/listen.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { postgresPort } from '../../../../test-kit/postgres.ts'
import { aRawServer, asks, call, complete } from '../contract/wire.suite.ts'
import { aDatabase, aFolder, aKey, aRunningGateway, mayBeMissing } from '../program/process.suite.ts'
import { aWireTo } from '../program/wire-to.suite.ts'

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

/** Replaces Grafana's variables as Grafana does. */
function withVariables(expr: string): string {
  return expr.replaceAll('$instance', '.*').replaceAll('$job', 'assent').replaceAll('$__rate_interval', '1m')
}

/** The same alerts with shorter durations, so that a test need not wait for minutes. */
function withShortDurations(alerts: string): string {
  // Longer than a pause of a busy machine, in which the gateway cannot be scraped.
  return alerts.replaceAll(/for: 1m$/gm, 'for: 10s')
}

/** Prometheus with our configuration, except for the address and the intervals. */
async function aPrometheus(gateway: string): Promise<(path: string, query?: object) => Promise<unknown>> {
  const port = await freePort()
  const config = shipped('prometheus.yml')
    .replace('127.0.0.1:7420', new URL(gateway).host)
    .replace('scrape_interval: 15s', 'scrape_interval: 1s')
  const paced = `global: { evaluation_interval: 1s }\n${config}`
  const alerts = withShortDurations(shipped('assent-alerts.yml'))
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
  closeAfterTest(async () => {
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
  '[WATCH-6] Prometheus with our configuration scrapes a gateway, and every dashboard panel queries existing metrics',
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
        expect(await prometheus('/api/v1/query', { query: withVariables(expr) }), title).not.toHaveProperty('failed')
        // This test has no client that answers without a person; all other metrics exist.
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
  '[WATCH-6] each alert fires on its condition, and not below the threshold',
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
    const alertTest = (input_series: object[], ...alert_rule_test: object[]) => ({
      interval: '1m',
      input_series,
      alert_rule_test,
    })
    const [down, unanswered, full] = ['AssentServerDown', 'AssentQuestionsExpire', 'AssentQuestionsRefused'] as const
    const [gone, store, lost] = ['AssentDown', 'AssentStore', 'AssentCallsLost'] as const
    const [slow, old] = ['AssentLogDelay', 'AssentOldTransaction'] as const
    const delays = (within: number, later: number) =>
      [
        ['2', within],
        ['3', within + later],
        ['+Inf', within + later],
      ].map(([le, step]) => ({
        series: `assent_log_delay_seconds_bucket{instance="i",le="${le}"}`,
        values: `0+${step}x120`,
      }))
    const storeErrors = (values: string) => ({
      series: 'assent_store_errors_total{instance="i",operation="write",reason="unavailable"}',
      values,
    })
    const tests = [
      alertTest(
        [{ series: 'up{job="assent",instance="i"}', values: '1x5 0x20' }],
        silent(gone, '6m'),
        raised(gone, '8m', { job: 'assent', instance: 'i' }, 'The gateway i cannot be scraped'),
      ),
      alertTest([{ series: 'up{job="other",instance="i"}', values: '0x20' }], silent(gone, '15m')),
      // Occasional errors do not mean that the database is unavailable.
      alertTest([storeErrors('0x5 1x20')], silent(store, '8m')),
      alertTest(
        [storeErrors('0x5 9x20')],
        silent(store, '5m'),
        raised(store, '7m', { instance: 'i' }, 'i has database errors'),
        silent(store, '12m'),
      ),
      alertTest(
        [{ series: 'assent_calls_lost_total{instance="i"}', values: '0x5 1x40' }],
        silent(lost, '5m'),
        raised(lost, '8m', { instance: 'i' }, 'i abandoned calls of a replica that stopped responding'),
        silent(lost, '30m'),
      ),
      alertTest(
        delays(9, 1),
        raised(slow, '15m', { instance: 'i' }, 'Entries wait for more than 2 s until i adds them to the audit log'),
      ),
      // One in a thousand may take longer.
      alertTest(delays(999, 1), silent(slow, '60m')),
      alertTest(
        [{ series: 'assent_store_oldest_write_seconds{instance="i"}', values: '0 20 40 0x5 61 90 120 150' }],
        silent(old, '9m'),
        raised(
          old,
          '10m',
          { instance: 'i' },
          'A database transaction that has written is open for more than a minute: its entries are missing in the audit log',
        ),
      ),
      alertTest(
        [{ series: 'assent_server_up{server="a",instance="i"}', values: '1x5 0x20' }],
        silent(down, '8m'),
        raised(down, '15m', { server: 'a', instance: 'i' }, 'a cannot be reached through i'),
      ),
      alertTest(
        [ended('expired', 3), ended('accepted', 7)],
        raised(unanswered, '150m', { server: 'a' }, 'One in five questions of a expires without an answer'),
      ),
      alertTest([ended('expired', 1), ended('accepted', 9)], silent(unanswered, '150m')),
      alertTest(
        [{ series: 'assent_refusals_total{reason="too-many-open-caller",instance="i"}', values: '0x5 1x20' }],
        silent(full, '4m'),
        raised(
          full,
          '8m',
          { reason: 'too-many-open-caller', instance: 'i' },
          'i has reached a limit of open questions',
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
  '[WATCH-6] a healthy gateway raises no alert; lost calls, an unreachable database and a dead gateway do',
  async () => {
    const { name, url: databaseUrl } = await aDatabase()
    const database = await aWireTo(postgresPort)
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
    // Several scrapes, so that a false alert for a healthy gateway would show.
    await vi.waitFor(async () => expect(await samples('up{job="assent"} == 1')).toHaveLength(1), { timeout: 60_000 })
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
    closeAfterTest(async () => clearInterval(asking))
    await raises('AssentStore')
    await gateway.stop('SIGKILL')
    await raises('AssentDown')
  },
  300_000,
)

/** Leaves a call as a gateway would that crashed while it held the call. */
async function loseACall(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(
    `insert into assent.calls (tenant, id, principal, server, method, request_digest, owner, state, started_at)
     values ('default', 'call_1', 'ann', 'deploy', 'tools/call', '', 'gone', 'running', 0)`,
  )
  await client.end()
}

interface Alerts {
  readonly alerts?: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[]
}
