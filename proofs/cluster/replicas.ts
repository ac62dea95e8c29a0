// The supervisor's side of the replicas: starts, kills, stops and restarts them behind their balancer.

import type { ChildProcess } from 'node:child_process'
import { Balancer } from '../../test-kit/balancer.ts'
import { Link, type Way } from '../../test-kit/faulty-link.ts'
import { freePort } from '../../test-kit/listen.ts'
import { diedAt } from './points.ts'
import type { FromReplica, Numbered, ReplicaSettings, ToReplica, Weight } from './replica.ts'
import { Spares } from './spares.ts'

/** Far longer than a stopping replica takes after its drain: one that is still running then hangs. */
const neverEndsMs = 90_000

/** How a replica stopped. */
export interface Shutdown {
  readonly index: number
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** Undefined if it had to be killed. */
  readonly code: number | null
  /** The time it had to drain. */
  readonly drainMs: number
  /** Whether the balancer saw "not ready" before the process ended. */
  readonly saidSo: boolean
}

interface Slot {
  child: ChildProcess
  /** Undefined while it is starting. */
  url: string | undefined
  port: number
  readonly clusterPort: number
  /** The network between the other replicas and this one. */
  readonly link: Link
  /** The last result of its readiness check, if the balancer checks it. */
  isReady: boolean
  /** It is stopping. */
  isLeaving: boolean
  drainMs: number
  /** Pending requests to the process, by number. */
  readonly asked: Map<number, (reply: Numbered | undefined) => void>
}

/** The settings that each replica has for itself. */
type OwnSettings = 'port' | 'clusterPort' | 'clusterAddress'

export class GatewayCluster {
  #settings: Omit<ReplicaSettings, OwnSettings>
  readonly #slots: Slot[] = []
  readonly #spares = new Spares((text) => this.#onStderr(text))
  readonly #errors: string[] = []
  #isStopping = false
  #onDied: (point: string) => void = () => undefined
  #turn = 0
  readonly #balancer = new Balancer(() => this.#slots)
  kills = 0

  constructor(settings: Omit<ReplicaSettings, OwnSettings>) {
    this.#settings = settings
  }

  /** Where clients connect. */
  async start(count: number): Promise<string> {
    this.#spares.start()
    const slots = Array.from({ length: count }, async () => {
      const clusterPort = await freePort()
      const link = await Link.to(`http://127.0.0.1:${clusterPort}`, 80)
      return this.#fill({ port: 0, clusterPort, link, asked: new Map() } as never)
    })
    await Promise.all(slots)
    return this.#balancer.start()
  }

  /** From now on requests go only to replicas that are ready. */
  followReadiness(everyMs: number): void {
    this.#balancer.followReadiness(everyMs)
  }

  /** The settings of replicas that start from now on. */
  use(changes: Partial<ReplicaSettings>): void {
    this.#settings = { ...this.#settings, ...changes }
  }

  send(index: number, message: ToReplica): void {
    const slot = this.#slots[index]
    if (slot !== undefined) send(slot.child, message)
  }

  pidOf(index: number): number | undefined {
    return this.#slots[index]?.child.pid
  }

  /** Stops a replica; resolves when it has ended and a new process serves in its place. */
  async restart(index: number, signal: NodeJS.Signals = 'SIGTERM'): Promise<Shutdown> {
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

  /** The memory and open resources of a replica. Undefined if it does not reply. */
  async weigh(index: number): Promise<Weight | undefined> {
    const slot = this.#slots[index]
    if (slot?.url === undefined) return undefined
    return (await this.#ask(slot, (number) => ({ weigh: number })))?.weight
  }

  /** The inboxes that are reachable now. */
  get origins(): readonly string[] {
    return this.#slots.flatMap(({ url }) => (url === undefined ? [] : [new URL(url).origin]))
  }

  /** Replicas that serve now. */
  get up(): number {
    return this.origins.length
  }

  /** The last lines of the replicas' standard error. */
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

  /** Stops one from running for a while, as a machine that swaps or is suspended does. */
  async pause(index: number, ms: number): Promise<boolean> {
    const slot = this.#slots[index]
    if (slot?.url === undefined) return false
    const { child } = slot
    child.kill('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, ms))
    child.kill('SIGCONT')
    return true
  }

  /**
   * Requests that others forward to this one fail in this way for a while. Resolves with the connections that were open.
   */
  async cutForwarding(index: number, way: Way, ms: number): Promise<number> {
    const slot = this.#slots[index]
    if (slot?.url === undefined) return 0
    const { link } = slot
    const { open } = link
    await link.fail(way)
    await new Promise((resolve) => setTimeout(resolve, ms))
    await link.restore()
    return open
  }

  /** The first replica that reaches one of these points dies there. Resolves with the point, or undefined after this time. */
  async killAt(names: readonly string[], withinMs: number): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#onDied = resolve
    const timer = setTimeout(resolve, withinMs, undefined)
    for (const { child } of this.#slots) send(child, { arm: names })
    const point = await promise
    clearTimeout(timer)
    for (const { child } of this.#slots) send(child, { arm: [] })
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
    await Promise.all(this.#slots.map(({ link }) => link.close()))
  }

  #ask(slot: Slot, question: (number: number) => ToReplica): Promise<Numbered | undefined> {
    const { promise, resolve } = Promise.withResolvers<Numbered | undefined>()
    const number = this.#turn++
    slot.asked.set(number, resolve)
    send(slot.child, question(number))
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
    const { port, clusterPort, link } = slot
    const clusterAddress = `http://127.0.0.1:${link.port}`
    send(child, { go: { ...this.#settings, port, clusterPort, clusterAddress } })
    await promise
  }

  #onStderr(text: string): void {
    if (text.startsWith(diedAt)) return void this.#onDied(text.slice(diedAt.length).split('\n', 1)[0] ?? '')
    this.#errors.push(text.slice(0, 2_000))
    if (this.#errors.length > 20) this.#errors.shift()
  }
}

function send(child: ChildProcess, message: ToReplica): void {
  if (child.connected) child.send(message, () => undefined)
}
