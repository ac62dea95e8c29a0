// The replicas as the supervisor sees them: started, killed and started again; and the balancer in front of them.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { diedAt } from './fleet-points.part.ts'
import type { FromReplica, ReplicaSettings, ToReplica } from './fleet-replica.part.ts'

/** Kept loaded, so that a killed replica is back as soon as a real supervisor would have it back. */
const spares = 3
const queueTries = 600
const queueLookMs = 50

interface Slot {
  child: ChildProcess
  /** Undefined while it starts. */
  url: string | undefined
  port: number
  readonly invitations: Map<number, (link: string | undefined) => void>
}

export class Fleet {
  readonly #settings: Omit<ReplicaSettings, 'port'>
  readonly #slots: Slot[] = []
  readonly #spares: ChildProcess[] = []
  readonly #errors: string[] = []
  /** What one process has compiled, the next need not. */
  readonly #compiled = mkdtempSync(join(tmpdir(), 'assent-fleet-'))
  #isStopping = false
  #onDied: (point: string) => void = () => undefined
  #turn = 0
  #balancer: Server | undefined
  kills = 0

  constructor(settings: Omit<ReplicaSettings, 'port'>) {
    this.#settings = settings
  }

  /** Where clients connect. */
  async start(count: number): Promise<string> {
    for (let spare = 0; spare < spares; spare++) this.#spares.push(this.#spawn())
    await Promise.all(Array.from({ length: count }, () => this.#fill({ port: 0, invitations: new Map() } as never)))
    this.#balancer = createServer((request, response) => this.#pass(request, response))
    await new Promise<void>((resolve) => this.#balancer?.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#balancer.address() as AddressInfo).port}/mcp`
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
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    const number = this.#turn++
    slot.invitations.set(number, resolve)
    tell(slot.child, { invite: person, number })
    return promise.finally(() => slot.invitations.delete(number))
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#balancer?.close()
    this.#balancer?.closeAllConnections()
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

  async #fill(slot: Slot): Promise<void> {
    const child = this.#spares.shift() ?? this.#spawn()
    slot.child = child
    setPriority(child.pid ?? 0, constants.priority.PRIORITY_NORMAL)
    if (!this.#slots.includes(slot)) this.#slots.push(slot)
    this.#spares.push(this.#spawn())
    const { promise, resolve } = Promise.withResolvers<void>()
    child.on('message', (message: FromReplica) => {
      if ('url' in message) {
        slot.url = message.url
        slot.port = Number(new URL(message.url).port)
        resolve()
      }
      if ('number' in message) slot.invitations.get(message.number)?.(message.link)
    })
    child.once('exit', () => {
      slot.url = undefined
      for (const refuse of slot.invitations.values()) refuse(undefined)
      if (this.#isStopping) return resolve()
      this.kills += 1
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

  /** To the next replica that takes the connection; once something was sent, to no other. */
  #pass(request: IncomingMessage, response: ServerResponse, tries = 0): void {
    const urls = this.#slots.flatMap(({ url }) => (url === undefined ? [] : [url]))
    const url = urls[this.#turn++ % urls.length]
    // Nobody is there: it waits in the queue, as balancers have one.
    if (url === undefined && tries < queueTries)
      return void setTimeout(() => this.#pass(request, response, tries + 1), queueLookMs)
    if (url === undefined) return void response.writeHead(503).end()
    const passed = send(url, {
      method: request.method ?? 'POST',
      headers: { ...request.headers, host: new URL(url).host },
    })
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    passed.on('error', (error: NodeJS.ErrnoException) => {
      const wasRefused = error.code === 'ECONNREFUSED' && tries < queueTries
      if (wasRefused && !response.headersSent) return this.#pass(request, response, tries + 1)
      response.destroy()
    })
    response.on('close', () => passed.destroy())
    // Read from the start each time: nothing was sent where the connection was refused.
    passed.on('socket', (socket) => {
      const begin = () => request.pipe(passed)
      if (socket.connecting) socket.once('connect', begin)
      else begin()
    })
  }
}

function tell(child: ChildProcess, message: ToReplica): void {
  if (child.connected) child.send(message, () => undefined)
}
