// A proxy to a real service that can fail in every way a network or a server can, at any moment, for open and for new
// connections.
//
// It does not parse the traffic.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from './listen.ts'

export type Way =
  /** Open connections are reset, and new ones are refused. */
  | 'down'
  /** No data passes and no connection closes; afterwards the delayed data arrives. */
  | 'hanging'
  /** Every piece is delayed, in both directions. */
  | 'slow'
  /** Replies are replaced by noise, partly or completely. */
  | 'garbage'
  /** Open connections stay silent forever, in one direction or both; new ones are accepted and silent too. */
  | 'half-open'

export interface LinkOptions {
  /** The delay of each piece on a slow link. */
  readonly slowMs?: { readonly least: number; readonly most: number }
  /** A random whole number in [0, maxExclusive). */
  readonly chance?: (maxExclusive: number) => number
  /** How long a silent connection to the server stays open after its client has disconnected. */
  readonly silentCloseMs?: number
}

export class Link {
  readonly #target: { readonly host: string; readonly port: number }
  readonly #options: Required<LinkOptions>
  readonly #wires = new Set<Wire>()
  #server: Server | undefined
  #way: Way | undefined
  port = 0
  /** The number of connections made to it. */
  made = 0

  private constructor(target: URL, usualPort: number, options: LinkOptions) {
    this.#target = { host: target.hostname, port: Number(target.port || usualPort) }
    this.#options = {
      slowMs: { least: 300, most: 1_500 },
      chance: (most) => randomInt(most),
      silentCloseMs: 5_000,
      ...options,
    }
  }

  static async to(target: string, usualPort: number, options: LinkOptions = {}): Promise<Link> {
    const link = new Link(new URL(target), usualPort, options)
    link.port = await freePort()
    await link.#listen()
    return link
  }

  /** The same address as seen through the link. */
  through(address: string): string {
    return Object.assign(new URL(address), { host: `127.0.0.1:${this.port}` }).href
  }

  /** The number of open connections. */
  get open(): number {
    return this.#wires.size
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

  /** From now on it works. Silent connections stay silent. */
  async restore(): Promise<void> {
    this.#way = undefined
    if (this.#server === undefined) await this.#listen()
    for (const wire of this.#wires) wire.sendDelayed()
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
    // Half-open sockets, so that Node does not close the other direction by itself.
    const server = createServer({ allowHalfOpen: true }, (near) => this.#accept(near))
    server.listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  #accept(near: Socket): void {
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

/** One connection, from its client to the real service. */
class Wire {
  readonly #near: Socket
  readonly #target: { readonly host: string; readonly port: number }
  readonly #options: WireOptions
  /** Delayed data, in order. */
  #held: (() => void)[] = []
  #far: Socket | undefined
  #silent: 'both ways' | 'coming back' | undefined
  /** When the last delayed piece arrives, per direction, so that none overtakes another. */
  readonly #arrivesAt = { there: 0, back: 0 }

  constructor(near: Socket, target: { host: string; port: number }, options: WireOptions) {
    this.#near = near
    this.#target = target
    this.#options = options
    near.setNoDelay(true)
    near.on('error', () => near.destroy())
    near.on('data', (bytes) => this.#pass('there', bytes))
    near.on('end', () => {
      if (this.#silent === undefined) this.#closeSide(() => (this.#far === undefined ? near.end() : this.#far.end()))
      else setTimeout(() => near.destroy(), options.silentCloseMs).unref()
    })
    near.on('close', () => {
      this.#far?.destroy()
      options.onClosed()
    })
    if (options.way() === 'half-open') this.#silent = 'both ways'
    else this.#unlessHeld(() => this.#connectFar())
  }

  fallSilent(bothWays: boolean): void {
    this.#silent ??= bothWays ? 'both ways' : 'coming back'
  }

  /** Sends the delayed data. */
  sendDelayed(): void {
    const held = this.#held
    this.#held = []
    for (const go of held) go()
  }

  reset(): void {
    for (const end of [this.#near, this.#far]) end?.resetAndDestroy()
  }

  #connectFar(): void {
    if (this.#near.destroyed) return
    const far = connect({ ...this.#target, allowHalfOpen: true })
    this.#far = far
    far.setNoDelay(true)
    far.on('error', () => far.destroy())
    far.on('data', (bytes) => this.#pass('back', bytes))
    far.on('end', () => this.#closeSide(() => this.#near.end()))
    far.on('close', () => this.#closeSide(() => this.#near.destroy()))
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

  /** Closes the other side, unless the connection is silent. */
  #closeSide(close: () => void): void {
    if (this.#silent === undefined) this.#unlessHeld(close)
  }

  /** At once, or after the data that is delayed. */
  #unlessHeld(go: () => void): void {
    if (this.#options.way() === 'hanging') this.#held.push(go)
    else go()
  }
}

/** Replaces all bytes by noise, or changes some of them. */
function noiseIn(bytes: Buffer, chance: (maxExclusive: number) => number): Buffer {
  if (chance(2) === 0) return Buffer.from(Array.from({ length: 1 + chance(2 * bytes.length) }, () => chance(256)))
  const changed = Buffer.from(bytes)
  for (let left = 1 + chance(8); left > 0; left--) changed[chance(changed.length)] = chance(256)
  return changed
}
