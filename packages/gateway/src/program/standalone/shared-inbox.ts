// One inbox for all processes on a store: the first one serves it, the others detect it, and when it exits another
// takes over.
//
// There is no leader election: everything the inbox shows is in the store, so any process can serve it, and the one
// that binds the port does. Another process is accepted as the inbox only after it has proved that it has the same key
// (listener-proof.ts). If an unknown program has the port, a free one is used and stored in a file in the home folder.
// Sessions of the taken port are ended, because that program may have shown pages under their address.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import type { Address } from '../../config/kinds.ts'
import { expectedOrigin, isTaken, listenAt } from '../../http/listen.ts'
import { plainServer } from '../../http/plain-server.ts'
import type { Fallback } from '../../http/server.ts'
import { askListener } from '../../inbox/listener-proof.ts'
import { isOwnLoopbackName } from '../../protocol/loopback.ts'
import { standaloneLimits } from './limits.ts'

export interface Sharing {
  readonly listen: Address
  /** The file that stores the address for other processes. */
  readonly file: string
  /** The keys with which processes on the same store authenticate to each other. */
  readonly listenerKeys: readonly Uint8Array[]
  /** The id of this process, if an agent uses it. */
  readonly window?: string
  /** Creates the inbox, once the address is known. `closing` aborts when this process serves no longer. */
  readonly open: (origin: string, closing: AbortSignal) => Promise<OpenedInbox>
  /** Called when another program has the port. */
  readonly onStranger: (port: number) => Promise<void>
  readonly onError: (error: unknown) => void
}

export interface OpenedInbox {
  readonly respond: Fallback
  /** Pages that are open now. */
  readonly openPages: number
}

export class SharedInbox {
  readonly #sharing: Sharing
  readonly #closing = new AbortController()
  #server: Server | undefined
  #opened: OpenedInbox | undefined
  #serving = new AbortController()
  #origin: string | undefined
  /** The process that last proved itself at `#origin`. */
  #instance: string | undefined
  #timer: NodeJS.Timeout | undefined
  /** Settles when the last look for an inbox has ended; never rejects. */
  #looked: Promise<unknown> = Promise.resolve()

  constructor(sharing: Sharing) {
    this.#sharing = sharing
  }

  /** The address of the inbox, once a process serves it. */
  get url(): string | undefined {
    return this.#origin === undefined ? undefined : `${this.#origin}/`
  }

  get isServedHere(): boolean {
    return this.#server !== undefined
  }

  /** Pages that are open at this process. */
  get openPages(): number {
    return this.#opened?.openPages ?? 0
  }

  /** Resolves when this process or another one serves the inbox. */
  async begin(): Promise<void> {
    await this.#look()
    if (this.#closing.signal.aborted) return
    this.#timer = setInterval(() => void this.#look().catch(this.#sharing.onError), standaloneLimits.inboxLookMs)
    this.#timer.unref()
  }

  /** The id of the process that serves the inbox, after its proof; a sign-in code is valid for one process. */
  async listener(): Promise<string | undefined> {
    return this.#origin === undefined ? undefined : this.#instanceAt(this.#origin)
  }

  /** After this nothing of the inbox uses the store, even if the inbox was just being opened. */
  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#timer)
    await this.#looked
    await this.#stop()
  }

  #look(): Promise<void> {
    const looking = this.#findOrServe()
    this.#looked = Promise.allSettled([this.#looked, looking])
    return looking
  }

  async #stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    this.#opened = undefined
    this.#serving.abort()
    if (server === undefined) return
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }

  async #findOrServe(): Promise<void> {
    if (this.#server !== undefined || this.#closing.signal.aborted) return
    const { listen, onStranger } = this.#sharing
    const configured = expectedOrigin(listen)
    for (const origin of new Set([this.#origin, configured, keptOrigin(this.#sharing.file)])) {
      const instance = origin === undefined ? undefined : await this.#instanceAt(origin)
      if (instance === undefined) continue
      this.#origin = origin
      this.#instance = instance
      return
    }
    await this.#serve(listen).catch(async (error: unknown) => {
      if (!isTaken(error)) throw error
      // Another process of ours may have been faster; if not, an unknown program has the port.
      if ((await this.#instanceAt(configured)) !== undefined) {
        this.#origin = configured
        return
      }
      await onStranger(listen.port)
      await this.#serve({ ...listen, port: 0 })
    })
  }

  async #serve(address: Address): Promise<void> {
    const { open, file, onError } = this.#sharing
    const server = plainServer(() => this.#opened?.respond, onError)
    const { origin } = await listenAt(server, address)
    if (this.#closing.signal.aborted) return void server.close()
    // The server must not keep the process alive.
    server.unref()
    this.#origin = origin
    this.#server = server
    this.#serving = new AbortController()
    try {
      this.#opened = await open(origin, this.#serving.signal)
      storeOrigin(file, origin)
    } catch (error) {
      await this.#stop()
      this.#origin = undefined
      throw error
    }
  }

  async #instanceAt(origin: string): Promise<string | undefined> {
    const { listenerKeys, window } = this.#sharing
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(standaloneLimits.inboxReplyMs)])
    const to = origin === this.#origin ? this.#instance : undefined
    const report = window === undefined || to === undefined ? undefined : { window, to }
    return (await askListener(new URL(origin), listenerKeys, signal, report))?.instance
  }
}

/** The file with the last origin of the inbox, for processes that do not know its port. */
export function inboxFile(home: string): string {
  return join(home, 'inbox.json')
}

/** The stored origin; the inbox may no longer be there. */
export function keptOrigin(file: string): string | undefined {
  try {
    const { origin } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof origin !== 'string' || !URL.canParse(origin)) return undefined
    const [, host = ''] = /^http:\/\/([^/]+):\d{1,5}$/.exec(origin) ?? []
    return isOwnLoopbackName(host) ? origin : undefined
  } catch {
    // The file does not exist yet, or has other content.
    return undefined
  }
}

function storeOrigin(file: string, origin: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify({ origin, pid: process.pid }), { mode: 0o600 })
  renameSync(draft, file)
}
