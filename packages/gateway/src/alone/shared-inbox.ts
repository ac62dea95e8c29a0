// One inbox for all windows: of the processes on one store the first serves it, the others see that it is there, and when
// it ends one of them takes its place.
//
// Nothing is decided here: every process could serve the inbox, because all it shows is in the store. So nobody is
// elected; whichever gets the port has it. Another process is taken for the inbox only after it has proved that it has the
// same key (listener-proof.ts). A port that a stranger has is passed over for a free one, whose number is kept in a file of
// the home; sessions that began at the stranger's port are ended, because it may have shown pages under their address.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import type { Address } from '../config/kinds.ts'
import type { Beside } from '../door/door.ts'
import { expectedOrigin, isTaken, listenAt } from '../door/listen.ts'
import { plainServer } from '../door/plain-server.ts'
import { askListener } from '../inbox/listener-proof.ts'
import { aloneLimits } from '../limits.ts'

export interface Sharing {
  readonly listen: Address
  /** Where the address is kept for other processes. */
  readonly file: string
  /** What processes on the same store prove themselves with. */
  readonly listenerKeys: readonly Uint8Array[]
  /** Makes what answers, once the address is known. */
  readonly open: (origin: string) => Promise<Beside>
  /** Called when another program has the port. */
  readonly onStranger: (port: number) => Promise<void>
  readonly onTrouble: (error: unknown) => void
}

export class SharedInbox {
  readonly #sharing: Sharing
  readonly #closing = new AbortController()
  #server: Server | undefined
  #origin: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(sharing: Sharing) {
    this.#sharing = sharing
  }

  /** Where the inbox is, once somebody serves it. */
  get url(): string | undefined {
    return this.#origin === undefined ? undefined : `${this.#origin}/`
  }

  get isServedHere(): boolean {
    return this.#server !== undefined
  }

  /** Resolves when somebody serves the inbox, this process or another one. */
  async begin(): Promise<void> {
    await this.#look()
    this.#timer = setInterval(() => void this.#look().catch(this.#sharing.onTrouble), aloneLimits.inboxLookMs)
    this.#timer.unref()
  }

  /** The process that serves it now, after it proved itself; a sign-in code is for one process. */
  async listener(): Promise<string | undefined> {
    return this.#origin === undefined ? undefined : this.#ask(this.#origin)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#timer)
    await this.#stop()
  }

  async #stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }

  async #look(): Promise<void> {
    if (this.#server !== undefined || this.#closing.signal.aborted) return
    const { listen, onStranger } = this.#sharing
    const usual = expectedOrigin(listen)
    for (const origin of new Set([this.#origin, usual, keptOrigin(this.#sharing.file)])) {
      if (origin === undefined || (await this.#ask(origin)) === undefined) continue
      this.#origin = origin
      return
    }
    await this.#serve(listen).catch(async (error: unknown) => {
      if (!isTaken(error)) throw error
      // Another window may have been faster; if not, a stranger has the port.
      if ((await this.#ask(usual)) !== undefined) {
        this.#origin = usual
        return
      }
      await onStranger(listen.port)
      await this.#serve({ ...listen, port: 0 })
    })
  }

  async #serve(address: Address): Promise<void> {
    const { open, file, onTrouble } = this.#sharing
    let respond: Beside | undefined
    const server = plainServer(() => respond, onTrouble)
    const { origin } = await listenAt(server, address)
    // Nobody is kept from leaving by it.
    server.unref()
    this.#origin = origin
    this.#server = server
    try {
      respond = await open(origin)
      keep(file, origin)
    } catch (error) {
      await this.#stop()
      this.#origin = undefined
      throw error
    }
    if (this.#closing.signal.aborted) await this.#stop()
  }

  async #ask(origin: string): Promise<string | undefined> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(aloneLimits.inboxReplyMs)])
    const listener = await askListener(new URL(origin), this.#sharing.listenerKeys, signal)
    return listener?.instance
  }
}

/** Where a home's inbox was last opened, for whoever cannot know its port. */
export function inboxFile(home: string): string {
  return join(home, 'inbox.json')
}

/** What is kept there; it may be gone. */
export function keptOrigin(file: string): string | undefined {
  try {
    const { origin } = JSON.parse(readFileSync(file, 'utf8'))
    return typeof origin === 'string' && /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost):\d{1,5}$/.test(origin)
      ? origin
      : undefined
  } catch {
    // There was none yet, or what is there is not ours.
    return undefined
  }
}

function keep(file: string, origin: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify({ origin, pid: process.pid }), { mode: 0o600 })
  renameSync(draft, file)
}
