// A long life of a fleet: its load, its restarts, and what is measured of it meanwhile.

import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { live, type Stage, type Trouble, usualDatabase, type World } from './fleet-life.part.ts'
import { seededRandom } from './random.part.ts'
import type { Sample, Samples } from './soak-bounds.part.ts'
import { type Mistake, newKey, Restarts, survivor, usualDrainMs } from './soak-restarts.part.ts'
import { Rows } from './soak-rows.part.ts'

export interface Life {
  readonly seed: number
  readonly forMs: number
  readonly callsPerSecond: number
  readonly sampleEveryMs: number
  /** Between two restarts. */
  readonly restMs: number
  /** Many looks of the balancer, which shares two cores with everything else. */
  readonly noticeMs: number
  /** However long that takes. */
  readonly leastRotations: number
  readonly mistake?: Mistake
  /** Replicas let go of nothing, and are not restarted. */
  readonly isLeaky?: boolean
  /** Nobody tidies up. */
  readonly isUntidy?: boolean
}

const readinessEveryMs = 100
const sweepEveryMs = 1_500
/** Shorter than a session may lie unused. */
const sessionsKeptMs = 30_000
const sessionIdleMs = 75_000
const slowOdds = 0.03
const afterwards = 3
/** Sessions and what is kept for seconds have not reached their level in a life as short as this. */
const shortMs = 30_000
const shortSlack = 4
/** More than are put in any time. */
const asksAtMost = 1_000_000

export async function liveLong(life: Life): Promise<World<LongLife>> {
  const application = `assent-soak-${randomBytes(6).toString('hex')}`
  const first = newKey(1)
  return live({
    asks: asksAtMost,
    endsWithTrouble: true,
    seed: life.seed,
    sessionsKeptMs,
    slowOdds,
    replicaDatabase: `${usualDatabase}?application_name=${application}`,
    replicas: {
      keys: [first],
      noticeMs: life.noticeMs,
      drainMs: usualDrainMs,
      sessionIdleMs,
      ...(life.isUntidy === true ? {} : { sweepEveryMs }),
      ...(life.isLeaky === true ? { isLeaky: true } : {}),
    },
    trouble: (stage) => new LongLife(stage, life, application, (rest) => new Restarts(stage, first, ...rest)),
  })
}

type RestOfRestarts = ConstructorParameters<typeof Restarts> extends [unknown, unknown, ...infer Rest] ? Rest : never

export class LongLife implements Trouble {
  readonly restarts: Restarts
  readonly samples: Samples & { load: Sample[]; after: Sample[] }
  readonly #stage: Stage
  readonly #life: Life
  readonly #application: string
  #isOver = false
  #nextCallAt = performance.now()

  constructor(stage: Stage, life: Life, application: string, restarts: (rest: RestOfRestarts) => Restarts) {
    this.#stage = stage
    this.#life = life
    this.#application = application
    this.samples = { load: [], after: [], slack: life.forMs < shortMs ? shortSlack : 1 }
    this.restarts = restarts([seededRandom(life.seed + 2), life.restMs, life.mistake])
    stage.fleet.followReadiness(readinessEveryMs)
  }

  async work(): Promise<void> {
    const endsAt = performance.now() + this.#life.forMs
    const isOver = () =>
      this.#isOver || (performance.now() > endsAt && this.restarts.rotations >= this.#life.leastRotations)
    const rows = await Rows.open(this.#stage.schema, this.#application)
    const measuring = this.#measure(rows, isOver)
    // What lets go of nothing never ends by itself either.
    if (this.#life.isLeaky !== true) while (!isOver()) await this.restarts.rotate(isOver)
    await measuring
    await rows.close()
  }

  stop(): void {
    this.#isOver = true
  }

  /** So many calls begin in a second, however many callers there are. */
  async pace(): Promise<void> {
    const at = Math.max(performance.now(), this.#nextCallAt)
    this.#nextCallAt = at + 1_000 / this.#life.callsPerSecond
    await sleep(Math.max(0, at - performance.now()))
  }

  async afterwards(): Promise<void> {
    const rows = await Rows.open(this.#stage.schema, this.#application)
    for (let count = 0; count < afterwards; count++) {
      await rows.age()
      await sleep(sweepEveryMs)
      this.samples.after.push(await this.#sample(rows))
    }
    await rows.close()
  }

  async #measure(rows: Rows, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await sleep(this.#life.sampleEveryMs)
      await rows.age()
      this.samples.load.push(await this.#sample(rows))
    }
  }

  async #sample(rows: Rows): Promise<Sample> {
    const { fleet } = this.#stage
    const [weight, counted] = [await fleet.weigh(survivor), await rows.count()]
    return {
      calls: this.#stage.evidence.calls.size,
      atMs: Date.now(),
      values: {
        'heap after collection': weight?.heapBytes ?? Number.NaN,
        'memory of the process': weight?.rssBytes ?? Number.NaN,
        'open files': readdirSync(`/proc/${fleet.pidOf(survivor)}/fd`).length,
        sockets: weight?.sockets ?? Number.NaN,
        timers: weight?.timers ?? Number.NaN,
        'sessions in memory': weight?.sessions ?? Number.NaN,
        'calls held': weight?.parkedCalls ?? Number.NaN,
        'asks open': weight?.openAsks ?? Number.NaN,
        'waits for asks': weight?.waits ?? Number.NaN,
        ...counted,
      },
    }
  }
}
