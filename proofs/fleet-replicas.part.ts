// The replicas as the supervisor sees them: started, killed or told to stop, and started again, behind their balancer.

import type { ChildProcess } from 'node:child_process'
import { Balancer } from './fleet-balancer.part.ts'
import { diedAt } from './fleet-points.part.ts'
import type { FromReplica, Numbered, ReplicaSettings, ToReplica, Weight } from './fleet-replica.part.ts'
import { Spares } from './fleet-spares.part.ts'

/** Far more than a replica that was told to stop takes beyond its drain: one that is still there then never ends. */
const neverEndsMs = 15_000

/** How one that was told to stop went. */
export interface Departure {
  readonly index: number
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** None when it had to be killed. */
  readonly code: number | null
  /** How long it was given. */
  readonly drainMs: number
  /** Whether the balancer learned of it before it was gone. */
  readonly saidSo: boolean
}

interface Slot {
  child: ChildProcess
  /** Undefined while it starts. */
  url: string | undefined
  port: number
  /** What its readiness page said last, where the balancer looks at it. */
  isReady: boolean
  /** Told to stop. */
  isLeaving: boolean
  drainMs: number
  /** Who waits for what it says, by the number of the question. */
  readonly asked: Map<number, (reply: Numbered | undefined) => void>
}

export class Fleet {
  #settings: Omit<ReplicaSettings, 'port'>
  readonly #slots: Slot[] = []
  readonly #spares = new Spares((text) => this.#hear(text))
  readonly #errors: string[] = []
  #isStopping = false
  #onDied: (point: string) => void = () => undefined
  #turn = 0
  readonly #balancer = new Balancer(() => this.#slots)
  kills = 0

  constructor(settings: Omit<ReplicaSettings, 'port'>) {
    this.#settings = settings
  }

  /** Where clients connect. */
  async start(count: number): Promise<string> {
    this.#spares.start()
    await Promise.all(Array.from({ length: count }, () => this.#fill({ port: 0, asked: new Map() } as never)))
    return this.#balancer.start()
  }

  /** From now on requests go to those whose readiness page says yes. */
  followReadiness(everyMs: number): void {
    this.#balancer.followReadiness(everyMs)
  }

  /** What those that start from now on are started with. */
  use(changes: Partial<ReplicaSettings>): void {
    this.#settings = { ...this.#settings, ...changes }
  }

  tell(index: number, message: ToReplica): void {
    const slot = this.#slots[index]
    if (slot !== undefined) tell(slot.child, message)
  }

  pidOf(index: number): number | undefined {
    return this.#slots[index]?.child.pid
  }

  /** Tells one to stop; resolves when it is gone and another serves in its place. */
  async restart(index: number, signal: NodeJS.Signals = 'SIGTERM'): Promise<Departure> {
    const slot = this.#slots[index]
    if (slot?.url === undefined) throw new Error(`There is no replica ${index} to restart.`)
    const { child, drainMs } = slot
    const startedAtMs = Date.now()
    slot.isLeaving = true
    const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
    child.kill(signal)
    const lastResort = setTimeout(() => child.kill('SIGKILL'), drainMs + neverEndsMs)
    const code = await gone
    clearTimeout(lastResort)
    const departure = { index, startedAtMs, endedAtMs: Date.now(), code, drainMs, saidSo: !slot.isReady }
    while (slot.url === undefined && !this.#isStopping) await new Promise((resolve) => setTimeout(resolve, 20))
    return departure
  }

  /** What one weighs and holds. Undefined when it does not say. */
  async weigh(index: number): Promise<Weight | undefined> {
    const slot = this.#slots[index]
    if (slot?.url === undefined) return undefined
    return (await this.#ask(slot, (number) => ({ weigh: number })))?.weight
  }

  /** The inboxes that can be reached now. */
  get origins(): readonly string[] {
    return this.#slots.flatMap(({ url }) => (url === undefined ? [] : [new URL(url).origin]))
  }

  /** Replicas that serve now. */
  get up(): number {
    return this.origins.length
  }

  /** What replicas wrote to their standard error, the last of it. */
  get errors(): readonly string[] {
    return this.#errors
  }

  /** Kills one at once. */
  killAtRandom(index: number): boolean {
    const slot = this.#slots[index]
    if (slot?.url === undefined) return false
    slot.child.kill('SIGKILL')
    return true
  }

  /** Has whichever comes first to one of these points die there. Resolves with the point, or undefined after this time. */
  async killAt(names: readonly string[], withinMs: number): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#onDied = resolve
    const timer = setTimeout(resolve, withinMs, undefined)
    for (const { child } of this.#slots) tell(child, { arm: names })
    const point = await promise
    clearTimeout(timer)
    for (const { child } of this.#slots) tell(child, { arm: [] })
    return point
  }

  /** A link that signs a person in at one inbox. */
  async invite(origin: string, person: string): Promise<string | undefined> {
    const slot = this.#slots.find(({ url }) => url !== undefined && new URL(url).origin === origin)
    if (slot === undefined) return undefined
    return (await this.#ask(slot, (number) => ({ invite: person, number })))?.link
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#balancer.stop()
    await this.#spares.stop(this.#slots.map(({ child }) => child))
  }

  #ask(slot: Slot, question: (number: number) => ToReplica): Promise<Numbered | undefined> {
    const { promise, resolve } = Promise.withResolvers<Numbered | undefined>()
    const number = this.#turn++
    slot.asked.set(number, resolve)
    tell(slot.child, question(number))
    return promise.finally(() => slot.asked.delete(number))
  }

  async #fill(slot: Slot): Promise<void> {
    const child = this.#spares.take()
    slot.child = child
    if (!this.#slots.includes(slot)) this.#slots.push(slot)
    slot.isLeaving = false
    slot.drainMs = this.#settings.drainMs ?? 0
    const { promise, resolve } = Promise.withResolvers<void>()
    child.on('message', (message: FromReplica) => {
      if ('url' in message) {
        slot.url = message.url
        slot.isReady = true
        slot.port = Number(new URL(message.url).port)
        resolve()
      }
      if ('number' in message) slot.asked.get(message.number)?.(message)
    })
    child.once('exit', () => {
      slot.url = undefined
      for (const refuse of slot.asked.values()) refuse(undefined)
      if (this.#isStopping) return resolve()
      if (!slot.isLeaving) this.kills += 1
      void this.#fill(slot).then(resolve)
    })
    tell(child, { go: { ...this.#settings, port: slot.port } })
    await promise
  }

  #hear(text: string): void {
    if (text.startsWith(diedAt)) return void this.#onDied(text.slice(diedAt.length).split('\n', 1)[0] ?? '')
    this.#errors.push(text.slice(0, 2_000))
    if (this.#errors.length > 20) this.#errors.shift()
  }
}

function tell(child: ChildProcess, message: ToReplica): void {
  if (child.connected) child.send(message, () => undefined)
}
