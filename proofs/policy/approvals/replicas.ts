// Starts two replicas, kills them with SIGKILL and starts them again.

import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { freePort } from '../../../test-kit/listen.ts'
import type { SeededRandom } from '../../../test-kit/random.ts'
import type { GivenVote } from './inbox-request.ts'
import type { FromReplica, ReplicaStart, ToReplica } from './replica.ts'

interface Slot {
  child: ChildProcess
  /** The gateway's address; undefined while it starts. */
  url: string | undefined
  readonly clusterPort: number
  readonly waiting: Map<number, (result: string | undefined) => void>
}

/** How long a vote may take before it is sent again. */
const voteMs = 10_000

export class Replicas {
  readonly #start: Omit<ReplicaStart, 'clusterPort' | 'secret'>
  readonly #secret = randomBytes(32).toString('base64')
  readonly #slots: Slot[] = []
  #isClosed = false
  #votes = 0
  kills = 0
  /** What the processes wrote to their standard error. */
  readonly errors: string[] = []

  constructor(start: Omit<ReplicaStart, 'clusterPort' | 'secret'>) {
    this.#start = start
  }

  /** The key of all replicas. */
  get secret(): Uint8Array {
    return Buffer.from(this.#secret, 'base64')
  }

  async open(count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, async () => {
        const slot = { clusterPort: await freePort(), url: undefined, waiting: new Map() } as unknown as Slot
        this.#slots.push(slot)
        await this.#fill(slot)
      }),
    )
  }

  get urls(): readonly string[] {
    return this.#slots.flatMap(({ url }) => url ?? [])
  }

  kill(random: SeededRandom): void {
    const up = this.#slots.filter(({ url }) => url !== undefined)
    if (up.length === 0) return
    this.kills += 1
    random.pick(up).child.kill('SIGKILL')
  }

  /** Undefined if the replica died before it answered. */
  async vote(random: SeededRandom, vote: GivenVote): Promise<string | undefined> {
    const up = this.#slots.filter(({ url }) => url !== undefined)
    if (up.length === 0) return undefined
    const { child, waiting } = random.pick(up)
    const number = this.#votes++
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    const timer = setTimeout(resolve, voteMs, undefined)
    waiting.set(number, resolve)
    post(child, { vote: { number, ...vote } })
    return promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(number)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(
      this.#slots.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const gone = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        await gone
      }),
    )
  }

  async #fill(slot: Slot): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    // fork passes on our execArgv, which includes the condition that resolves packages to their sources.
    const child = fork(new URL('replica.ts', import.meta.url), [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    slot.child = child
    child.stderr?.on('data', (bytes: Buffer) => this.errors.push(bytes.toString().slice(0, 2_000)))
    child.on('message', (message: FromReplica) => {
      if ('gateway' in message) {
        slot.url = message.gateway
        resolve()
      } else slot.waiting.get(message.number)?.(message.result)
    })
    child.once('exit', () => {
      slot.url = undefined
      for (const end of slot.waiting.values()) end(undefined)
      if (this.#isClosed) return resolve()
      void this.#fill(slot).then(resolve)
    })
    post(child, { start: { ...this.#start, secret: this.#secret, clusterPort: slot.clusterPort } })
    await promise
  }
}

function post(child: ChildProcess, message: ToReplica): void {
  if (child.connected) child.send(message, () => undefined)
}
