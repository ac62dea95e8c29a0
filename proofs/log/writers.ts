// The replicas of this proof: started, killed and replaced, with a record of what the store confirmed to them.

import { type ChildProcess, fork } from 'node:child_process'
import type { SeededRandom } from '../../test-kit/random.ts'
import type { FromWriter, ToWriter, WriterStart } from './writer.ts'

interface Running {
  readonly child: ChildProcess
  readonly gone: Promise<unknown>
}

export class Writers {
  /** The number of entries that the store confirmed, by subject. */
  readonly confirmed = new Map<string, number>()
  readonly problems: string[] = []
  kills = 0
  sequencerKills = 0
  readonly #start: Omit<WriterStart, 'name'>
  readonly #running: Running[] = []
  #sequencer: ChildProcess | undefined
  #started = 0
  #isStopping = false

  constructor(start: Omit<WriterStart, 'name'>, count: number) {
    this.#start = start
    for (let at = 0; at < count; at++) this.#add()
  }

  confirm(subject: string, entries: number): void {
    this.confirmed.set(subject, Math.max(this.confirmed.get(subject) ?? 0, entries))
  }

  /** Kills one with SIGKILL, the one that extended the log last in half of the cases, and starts another. */
  async kill(random: SeededRandom): Promise<void> {
    const sequencer = this.#running.find(({ child }) => child === this.#sequencer)
    const isSequencer = sequencer !== undefined && random.next() < 0.5
    const one = isSequencer ? sequencer : random.pick(this.#running)
    this.#running.splice(this.#running.indexOf(one), 1)
    this.kills += 1
    if (isSequencer) this.sequencerKills += 1
    one.child.kill('SIGKILL')
    await one.gone
    this.#add()
  }

  /** From now on the clock of one of them is wrong by this much. */
  skew(random: SeededRandom, skewMs: number): void {
    this.#send(random.pick(this.#running).child, { skewMs })
  }

  /** Ends them as a restart of a gateway does. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const { child } of this.#running) this.#send(child, { stop: true })
    await Promise.all(this.#running.map(({ gone }) => gone))
  }

  killAll(): void {
    this.#isStopping = true
    for (const { child } of this.#running) child.kill('SIGKILL')
  }

  #add(): void {
    this.#started += 1
    const name = `w${this.#started}`
    const child = fork(new URL('writer.ts', import.meta.url), [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    const gone = new Promise((resolve) => child.once('exit', resolve))
    const one = { child, gone }
    this.#running.push(one)
    child.stderr?.on('data', (bytes: Buffer) => this.problems.push(`${name}: ${bytes.toString().slice(0, 500)}`))
    child.once('exit', (code) => {
      if (this.#running.includes(one) && !(this.#isStopping && (code === 0 || code === null)))
        this.problems.push(`${name} ended with ${code}`)
    })
    child.on('message', (message: FromWriter) => {
      if ('confirmed' in message) this.confirm(message.confirmed, message.entries)
      if ('integrated' in message) this.#sequencer = child
      if ('problem' in message) this.problems.push(message.problem)
    })
    this.#send(child, { start: { ...this.#start, name } })
  }

  #send(child: ChildProcess, message: ToWriter): void {
    child.send(message, () => undefined)
  }
}
