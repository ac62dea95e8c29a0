// The replicas as the supervisor sees them: started, killed or told to stop, and started again, behind their balancer.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Balancer } from './fleet-balancer.part.ts'
import { diedAt } from './fleet-points.part.ts'
import type { FromReplica, Numbered, ReplicaSettings, ToReplica, Weight } from './fleet-replica.part.ts'

/** Kept loaded, so that a killed replica is back as soon as a real supervisor would have it back. */
const spares = 3
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
  readonly #spares: ChildProcess[] = []
  readonly #errors: string[] = []
  /** What one process has compiled, the next need not. */
  readonly #compiled = mkdtempSync(join(tmpdir(), 'assent-fleet-'))
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
    for (let spare = 0; spare < spares; spare++) this.#spares.push(this.#spawn())
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
    const children = [...this.#slots.map(({ child }) => child), ...this.#spares]
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const gone = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        await gone
      }),
    )
    rmSync(this.#compiled, { recursive: true })
  }

  #ask(slot: Slot, question: (number: number) => ToReplica): Promise<Numbered | undefined> {
    const { promise, resolve } = Promise.withResolvers<Numbered | undefined>()
    const number = this.#turn++
    slot.asked.set(number, resolve)
    tell(slot.child, question(number))
    return promise.finally(() => slot.asked.delete(number))
  }

  async #fill(slot: Slot): Promise<void> {
    const child = this.#spares.shift() ?? this.#spawn()
    slot.child = child
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_NORMAL)
    if (!this.#slots.includes(slot)) this.#slots.push(slot)
    this.#spares.push(this.#spawn())
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

  #spawn(): ChildProcess {
    // fork passes our own execArgv on, and with it the condition that finds the packages' sources.
    const child = fork(new URL('fleet-replica.part.ts', import.meta.url), [], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: this.#compiled },
    })
    // Getting ready must not take from those who serve what a machine of its own would not.
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL)
    child.stderr?.on('data', (bytes: Buffer) => {
      const text = bytes.toString()
      if (text.startsWith(diedAt)) return this.#onDied(text.slice(diedAt.length).split('\n', 1)[0] ?? '')
      this.#errors.push(text.slice(0, 2_000))
      if (this.#errors.length > 20) this.#errors.shift()
    })
    return child
  }
}

function tell(child: ChildProcess, message: ToReplica): void {
  if (child.connected) child.send(message, () => undefined)
}
