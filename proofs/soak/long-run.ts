// A long run of a cluster: its load, its restarts, and the measurements during it.

import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { postgresUrl } from '../../test-kit/postgres.ts'
import { seededRandom } from '../../test-kit/random.ts'
import { type ClusterContext, type ClusterRun, type Disruption, runCluster } from '../cluster/run-cluster.ts'
import type { Sample, Samples } from './bounds.ts'
import { type DatabaseStall, DatabaseStalls } from './database-stalls.ts'
import { type Mistake, newKey, Restarts, survivor, usualDrainMs } from './restarts.ts'
import { Rows } from './rows.ts'

export interface LongRunOptions {
  readonly seed: number
  readonly forMs: number
  readonly callsPerSecond: number
  readonly sampleEveryMs: number
  /** The pause between two restarts. */
  readonly restMs: number
  /** How long a stopping replica reports "not ready" before it drains: many checks, because the machine is busy. */
  readonly noticeMs: number
  /** The run continues after `forMs` until it has rotated the keys this often. */
  readonly leastRotations: number
  readonly mistake?: Mistake
  /** A planted bug: replicas leak memory, and are not restarted. */
  readonly isLeaky?: boolean
  /** A planted bug: replicas never delete expired rows. */
  readonly isUntidy?: boolean
}

const readinessEveryMs = 100
const sweepEveryMs = 1_500
/** Shorter than the idle timeout of a session. */
const sessionsKeptMs = 30_000
const sessionIdleMs = 75_000
const slowOdds = 0.03
const samplesAfterLoad = 3
/** In a run this short, sessions and rows that are kept for seconds do not reach their level. */
const shortMs = 30_000
const shortSlack = 4
/** More than any run needs. */
const asksAtMost = 1_000_000

export async function runLong(options: LongRunOptions): Promise<ClusterRun<LongRun>> {
  const application = `assent-soak-${randomBytes(6).toString('hex')}`
  const first = newKey(1)
  return runCluster({
    asks: asksAtMost,
    endsWithDisruption: true,
    seed: options.seed,
    sessionsKeptMs,
    slowOdds,
    replicaDatabase: `${postgresUrl}?application_name=${application}`,
    replicas: {
      keys: [first],
      noticeMs: options.noticeMs,
      drainMs: usualDrainMs,
      sessionIdleMs,
      ...(options.isUntidy === true ? {} : { sweepEveryMs }),
      ...(options.isLeaky === true ? { isLeaky: true } : {}),
    },
    disruption: (context) =>
      new LongRun(context, options, application, (rest) => new Restarts(context, first, ...rest)),
  })
}

type RestOfRestarts = ConstructorParameters<typeof Restarts> extends [unknown, unknown, ...infer Rest] ? Rest : never

export class LongRun implements Disruption {
  readonly restarts: Restarts
  readonly samples: Samples & { load: Sample[]; after: Sample[] }
  /** Of the database. */
  stalls: readonly DatabaseStall[] = []
  readonly #context: ClusterContext
  readonly #options: LongRunOptions
  readonly #application: string
  #isOver = false
  #stopWatching: () => Promise<void> = () => Promise.resolve()
  #nextCallAt = performance.now()

  constructor(
    context: ClusterContext,
    options: LongRunOptions,
    application: string,
    restarts: (rest: RestOfRestarts) => Restarts,
  ) {
    this.#context = context
    this.#options = options
    this.#application = application
    this.samples = { load: [], after: [], slack: options.forMs < shortMs ? shortSlack : 1 }
    this.restarts = restarts([seededRandom(options.seed + 2), options.restMs, options.mistake])
    context.gateways.followReadiness(readinessEveryMs)
  }

  async work(): Promise<void> {
    const endsAt = performance.now() + this.#options.forMs
    const isOver = () =>
      this.#isOver || (performance.now() > endsAt && this.restarts.rotations >= this.#options.leastRotations)
    const watch = await DatabaseStalls.watch()
    this.stalls = watch.stalls
    this.#stopWatching = () => watch.stop()
    const rows = await Rows.open(this.#context.schema, this.#application)
    const measuring = this.#measure(rows, isOver)
    // A leaking replica does not end by itself.
    if (this.#options.isLeaky !== true) while (!isOver()) await this.restarts.rotate(isOver)
    await measuring
    await rows.close()
  }

  stop(): void {
    this.#isOver = true
  }

  /** Delays a caller so that all callers together start `callsPerSecond` calls. */
  async pace(): Promise<void> {
    const at = Math.max(performance.now(), this.#nextCallAt)
    this.#nextCallAt = at + 1_000 / this.#options.callsPerSecond
    await sleep(Math.max(0, at - performance.now()))
  }

  async afterwards(): Promise<void> {
    await this.#stopWatching()
    const rows = await Rows.open(this.#context.schema, this.#application)
    for (let count = 0; count < samplesAfterLoad; count++) {
      await rows.age()
      await sleep(sweepEveryMs)
      this.samples.after.push(await this.#sample(rows))
    }
    await rows.close()
  }

  async #measure(rows: Rows, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await sleep(this.#options.sampleEveryMs)
      await rows.age()
      this.samples.load.push(await this.#sample(rows))
    }
  }

  async #sample(rows: Rows): Promise<Sample> {
    const { gateways } = this.#context
    const [weight, counted] = [await gateways.weigh(survivor), await rows.count()]
    return {
      calls: this.#context.evidence.calls.size,
      atMs: Date.now(),
      values: {
        'heap after collection': weight?.heapBytes ?? Number.NaN,
        'memory of the process': weight?.rssBytes ?? Number.NaN,
        'open files': readdirSync(`/proc/${gateways.pidOf(survivor)}/fd`).length,
        sockets: weight?.sockets ?? Number.NaN,
        timers: weight?.timers ?? Number.NaN,
        'sessions in memory': weight?.sessions ?? Number.NaN,
        'calls held': weight?.heldCalls ?? Number.NaN,
        'asks open': weight?.openAsks ?? Number.NaN,
        'waits for asks': weight?.waits ?? Number.NaN,
        ...counted,
      },
    }
  }
}
