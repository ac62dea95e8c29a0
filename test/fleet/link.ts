// A link to a real service that can fail in every way a network and a far end can, at any moment, under connections that
// stand and under new ones.
//
// It knows nothing of what passes over it.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export type Way =
  /** What stands is reset, and nobody listens. */
  | 'down'
  /** Nothing passes, nothing closes; when it is over, what was held up arrives late. */
  | 'hanging'
  /** Every piece takes its time, either way. */
  | 'slow'
  /** What comes back is noise, in part or in whole. */
  | 'garbage'
  /** What stands has gone silent for ever, in one direction or both; what is new is taken and silent too. */
  | 'half-open'

export interface LinkOptions {
  /** How long a piece takes on a slow link. */
  readonly slowMs?: { readonly least: number; readonly most: number }
  /** A whole number in [0, maxExclusive), for whatever is left to chance. */
  readonly chance?: (maxExclusive: number) => number
}

/** How long a connection that went silent stands after its taker has left: the far end hears nothing of that. */
const forgottenMs = 5_000

export class Link {
  readonly #target: { readonly host: string; readonly port: number }
  readonly #options: Required<LinkOptions>
  readonly #wires = new Set<Wire>()
  #server: Server | undefined
  #way: Way | undefined
  port = 0
  /** Connections that were made to it. */
  made = 0

  private constructor(target: URL, usualPort: number, options: LinkOptions) {
    this.#target = { host: target.hostname, port: Number(target.port || usualPort) }
    this.#options = { slowMs: { least: 300, most: 1_500 }, chance: (most) => randomInt(most), ...options }
  }

  static async to(target: string, usualPort: number, options: LinkOptions = {}): Promise<Link> {
    const link = new Link(new URL(target), usualPort, options)
    await link.#listen()
    return link
  }

  /** The same address as seen through the link. */
  through(address: string): string {
    return Object.assign(new URL(address), { host: `127.0.0.1:${this.port}` }).href
  }

  get way(): Way | undefined {
    return this.#way
  }

  /** From now on it fails in this way. */
  async fail(way: Way): Promise<void> {
    this.#way = way
    if (way === 'down') {
      const server = this.#server
      this.#server = undefined
      for (const wire of this.#wires) wire.reset()
      if (server === undefined) return
      server.close()
      await once(server, 'close')
      return
    }
    if (way === 'half-open') for (const wire of this.#wires) wire.fallSilent(this.#options.chance(2) === 0)
  }

  /** From now on it is sound. What has gone silent stays so. */
  async mend(): Promise<void> {
    this.#way = undefined
    if (this.#server === undefined) await this.#listen()
    for (const wire of this.#wires) wire.letGo()
  }

  async close(): Promise<void> {
    this.#way = 'down'
    for (const wire of this.#wires) wire.reset()
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    server.close()
    await once(server, 'close')
  }

  async #listen(): Promise<void> {
    // Half open, because an end that nobody is told of must not be answered by us.
    const server = createServer({ allowHalfOpen: true }, (near) => this.#take(near))
    server.listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  #take(near: Socket): void {
    this.made += 1
    const wire: Wire = new Wire(near, this.#target, {
      ...this.#options,
      way: () => this.#way,
      onClosed: () => this.#wires.delete(wire),
    })
    this.#wires.add(wire)
  }
}

interface WireOptions extends Required<LinkOptions> {
  readonly way: () => Way | undefined
  readonly onClosed: () => void
}

/** One connection, from its taker to the real thing. */
class Wire {
  readonly #near: Socket
  readonly #target: { readonly host: string; readonly port: number }
  readonly #options: WireOptions
  /** What is held up, in order. */
  #held: (() => void)[] = []
  #far: Socket | undefined
  #silent: 'both ways' | 'coming back' | undefined
  /** When the last slow piece arrives, each way: none overtakes another. */
  readonly #arrivesAt = { there: 0, back: 0 }

  constructor(near: Socket, target: { host: string; port: number }, options: WireOptions) {
    this.#near = near
    this.#target = target
    this.#options = options
    near.setNoDelay(true)
    near.on('error', () => near.destroy())
    near.on('data', (bytes) => this.#pass('there', bytes))
    near.on('end', () => {
      if (this.#silent === undefined) this.#tell(() => (this.#far === undefined ? near.end() : this.#far.end()))
      else setTimeout(() => near.destroy(), forgottenMs).unref()
    })
    near.on('close', () => {
      this.#far?.destroy()
      options.onClosed()
    })
    if (options.way() === 'half-open') this.#silent = 'both ways'
    else this.#unlessHeld(() => this.#reach())
  }

  fallSilent(bothWays: boolean): void {
    this.#silent ??= bothWays ? 'both ways' : 'coming back'
  }

  /** What was held up goes on its way. */
  letGo(): void {
    const held = this.#held
    this.#held = []
    for (const go of held) go()
  }

  reset(): void {
    for (const end of [this.#near, this.#far]) end?.resetAndDestroy()
  }

  #reach(): void {
    if (this.#near.destroyed) return
    const far = connect({ ...this.#target, allowHalfOpen: true })
    this.#far = far
    far.setNoDelay(true)
    far.on('error', () => far.destroy())
    far.on('data', (bytes) => this.#pass('back', bytes))
    far.on('end', () => this.#tell(() => this.#near.end()))
    far.on('close', () => this.#tell(() => this.#near.destroy()))
  }

  #pass(direction: 'there' | 'back', bytes: Buffer): void {
    if (this.#silent === 'both ways' || (this.#silent === 'coming back' && direction === 'back')) return
    const deliver = () => {
      const to = direction === 'there' ? this.#far : this.#near
      const isNoise = direction === 'back' && this.#options.way() === 'garbage'
      to?.write(isNoise ? noiseIn(bytes, this.#options.chance) : bytes)
    }
    const now = performance.now()
    const { least, most } = this.#options.slowMs
    const takesMs = this.#options.way() === 'slow' ? least + this.#options.chance(most - least + 1) : 0
    const arrivesAt = Math.max(now + takesMs, this.#arrivesAt[direction])
    this.#arrivesAt[direction] = arrivesAt
    if (arrivesAt <= now) this.#unlessHeld(deliver)
    else setTimeout(() => this.#unlessHeld(deliver), arrivesAt - now)
  }

  /** That one end has closed, unless it can no longer be told. */
  #tell(close: () => void): void {
    if (this.#silent === undefined) this.#unlessHeld(close)
  }

  /** At once; but where everything is held up, after what was held up before. */
  #unlessHeld(go: () => void): void {
    if (this.#options.way() === 'hanging') this.#held.push(go)
    else go()
  }
}

/** Noise in place of all of it, or some bytes of it changed. */
function noiseIn(bytes: Buffer, chance: (maxExclusive: number) => number): Buffer {
  if (chance(2) === 0) return Buffer.from(Array.from({ length: 1 + chance(2 * bytes.length) }, () => chance(256)))
  const changed = Buffer.from(bytes)
  for (let left = 1 + chance(8); left > 0; left--) changed[chance(changed.length)] = chance(256)
  return changed
}
