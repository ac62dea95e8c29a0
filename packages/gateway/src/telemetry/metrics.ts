// The metrics of one gateway, in Prometheus format.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { OpenLimitName } from '@assent/core'
import type { Decided } from '../call/policy/policy-gate.ts'
import { type ConnectedClient, knownMethod, type RefusedQuestion, type Telemetry } from '../call/telemetry-port.ts'
import { IssuerMetrics } from './issuer-metrics.ts'
import { NotifyMetrics } from './notify-metrics.ts'
import { Counter, Gauge, Histogram, prometheusText } from './prometheus.ts'
import { StoreMetrics } from './store-metrics.ts'

/** Values that are read from their owner at scrape time. */
export interface GatewayCounts {
  readonly openAsks: number
  readonly heldCalls: number
  readonly sessions: number
}

// Buckets for machine latencies, and for people's answer times.
const passSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const waitSeconds = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400]

export class Metrics implements Telemetry {
  readonly #connected = new Counter(
    'assent_clients_connected_total',
    'Clients that asked what the gateway offers: known ones by name, and whether they show questions (forms) themselves.',
  )
  readonly #asked = new Counter('assent_asks_total', 'Questions asked.')
  readonly #ended = new Counter('assent_asks_ended_total', 'How questions ended.')
  readonly #answers = new Counter(
    'assent_answers_total',
    'What people answered: yes, no, approved, declined and so on.',
  )
  readonly #waited = new Histogram(
    'assent_ask_wait_seconds',
    'How long people took to answer, by outcome.',
    waitSeconds,
  )
  readonly #unseen = new Counter(
    'assent_asks_unseen_total',
    'Answers of clients that were not used, because a person cannot have read the question yet.',
  )
  readonly #unattended = new Counter(
    'assent_asks_unattended_total',
    'Forms that a client accepted before a person can have read them, and that were passed on because there is no inbox.',
  )
  readonly #unverified = new Counter(
    'assent_unverified_total',
    'Stored asks, votes and grants that were refused because they do not match their signatures.',
  )
  readonly #refused = new Counter('assent_refusals_total', 'Requests and questions that were refused, by reason.')
  readonly #questionsRefused = new Counter(
    'assent_questions_refused_total',
    'Questions that were not shown to a person, and answers that were not accepted, by reason.',
  )
  readonly #policyDecisions = new Counter(
    'assent_policy_decisions_total',
    'Decisions of policies about calls, by effect; with mode dry-run, what they would have decided.',
  )
  readonly #definitionChanges = new Counter(
    'assent_definition_changes_total',
    'Changed tool definitions that this process found. They are not accepted yet.',
  )
  readonly #callsLost = new Counter(
    'assent_calls_lost_total',
    'Calls abandoned because the replica that held them stopped responding.',
  )
  readonly #callsUnrecorded = new Counter(
    'assent_calls_unrecorded_total',
    'Calls that are missing or incomplete in the record of calls, because the store was slow or unavailable.',
  )
  readonly store = new StoreMetrics()
  readonly issuer = new IssuerMetrics()
  readonly notify = new NotifyMetrics()
  readonly #passed = new Histogram(
    'assent_relay_seconds',
    'Time from a request to its outcome, including the time of the server.',
    passSeconds,
  )
  readonly #replied = new Histogram('assent_server_seconds', 'How long servers took to answer.', passSeconds)
  readonly #health = new Map<string, boolean>()
  readonly #delay = monitorEventLoopDelay({ resolution: 20 })
  readonly #version: string
  #counts: () => GatewayCounts = () => ({ openAsks: 0, heldCalls: 0, sessions: 0 })
  #recount: () => Promise<void> = async () => undefined

  constructor(version: string) {
    this.#version = version
    this.#delay.enable()
    // Start at zero, or Prometheus would not see the first increment as an increase, which an alert depends on.
    this.#callsLost.add({}, 0)
    this.#callsUnrecorded.add({}, 0)
    for (const full of ['caller', 'server', 'tenant', 'total'] satisfies OpenLimitName[]) {
      this.#refused.add({ reason: `too-many-open-${full}` }, 0)
    }
  }

  /**
   * Called when the gateway is running.
   * @param recount corrects the counts from the store
   */
  lookAt(counts: () => GatewayCounts, recount?: () => Promise<void>): void {
    this.#counts = counts
    if (recount !== undefined) this.#recount = recount
  }

  /** The text, after the number of open asks is corrected from the store. */
  async recounted(): Promise<string> {
    await this.#recount()
    return this.text()
  }

  connected({ client = 'another client', forms }: ConnectedClient): void {
    this.#connected.add({ client, forms: forms ? 'yes' : 'no' })
  }

  asked(server: string): void {
    this.#asked.add({ server })
  }

  ended(server: string, outcome: string, waitedMs: number, { answer }: { readonly answer?: string } = {}): void {
    this.#ended.add({ server, outcome })
    if (answer !== undefined) this.#answers.add({ server, answer })
    this.#waited.observe({ outcome }, waitedMs / 1_000)
  }

  unseen(server: string): void {
    this.#unseen.add({ server })
  }

  unattended(server: string): void {
    this.#unattended.add({ server })
  }

  unverified(what: string, reason: string): void {
    this.#unverified.add({ what, reason })
  }

  refused(reason: string): void {
    this.#refused.add({ reason })
  }

  questionRefused({ server, why }: RefusedQuestion): void {
    this.refused(why)
    this.#questionsRefused.add({ server, reason: why })
  }

  policyDecided(server: string, { mode, effect }: Pick<Decided, 'mode' | 'effect'>): void {
    this.#policyDecisions.add({ server, mode, effect })
  }

  definitionChanged(server: string): void {
    this.#definitionChanges.add({ server })
  }

  callsLost(count: number): void {
    this.#callsLost.add({}, count)
  }

  callsUnrecorded(count: number): void {
    this.#callsUnrecorded.add({}, count)
  }

  toolLeftOut(): void {
    // Logged only; there is nothing to count.
  }

  nameConflict(): void {
    // Logged only.
  }

  passed(method: string, outcome: string, ms: number): void {
    this.#passed.observe({ method: knownMethod(method), outcome }, ms / 1_000)
  }

  replied(server: string, ms: number): void {
    this.#replied.observe({ server }, ms / 1_000)
  }

  health(server: string, isUp: boolean): void {
    this.#health.set(server, isUp)
  }

  /** Removes servers that are no longer configured. */
  keepOnly(servers: readonly string[]): void {
    for (const name of this.#health.keys()) if (!servers.includes(name)) this.#health.delete(name)
  }

  text(): string {
    const { openAsks, heldCalls, sessions } = this.#counts()
    const { user, system } = process.cpuUsage()
    const cpu = new Counter('process_cpu_seconds_total', 'Processor time of this process.')
    cpu.add({}, (user + system) / 1_000_000)
    const delay = Number.isNaN(this.#delay.max) ? 0 : this.#delay.max / 1_000_000_000
    this.#delay.reset()
    return prometheusText([
      this.#connected,
      this.#asked,
      this.#ended,
      this.#answers,
      this.#waited,
      one('assent_asks_open', 'Questions that are open in this process.', openAsks),
      one('assent_calls_held', 'Calls that are held for people in this process.', heldCalls),
      one('assent_sessions', 'Sessions of clients of the older revisions.', sessions),
      this.#passed,
      this.#replied,
      this.#unseen,
      this.#unattended,
      this.#unverified,
      this.#refused,
      this.#questionsRefused,
      this.#policyDecisions,
      this.#definitionChanges,
      this.#callsLost,
      this.#callsUnrecorded,
      ...this.store.metrics(),
      ...this.issuer.metrics(),
      ...this.notify.metrics(),
      new Gauge('assent_server_up', 'Whether a server could be reached when it was last needed.', () =>
        [...this.#health].map(([server, isUp]) => [{ server }, isUp ? 1 : 0] as const),
      ),
      new Gauge('assent_info', 'The version that runs.', () => [[{ version: this.#version }, 1]]),
      one('process_resident_memory_bytes', 'Memory of this process.', process.memoryUsage.rss()),
      cpu,
      one('nodejs_eventloop_delay_max_seconds', 'Longest stall of the event loop since the last scrape.', delay),
    ])
  }
}

function one(name: string, help: string, value: number): Gauge {
  return new Gauge(name, help, () => [[{}, value]])
}
