// One inbox for all windows: of the processes on one store the first serves it, the others see that it is there, and when
// it ends one of them takes its place.
//
// Nothing is decided here: every process could serve the inbox, because all it shows is in the store. So nobody is
// elected; whoever gets the port has it. A port that a stranger has is passed over for a free one, whose number is kept in
// a file of the home.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { type Address, addressText } from '../config/kinds.ts'
import { type Beside, listening } from '../door/door.ts'
import { aloneLimits } from '../limits.ts'

export interface Sharing {
  readonly listen: Address
  /** Where the address is kept for other processes. */
  readonly file: string
  /** Known to processes on the same store alone; tells our own inbox from a stranger's program. */
  readonly mark: string
  /** Makes what answers, once the address is known. */
  readonly open: (origin: string) => Promise<Beside>
  readonly onTrouble: (error: unknown) => void
}

const markPath = '/assent-mark'

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
    const { listen } = this.#sharing
    const usual = `http://${addressText(listen)}`
    for (const origin of new Set([this.#origin, usual, this.#kept()])) {
      if (origin === undefined || !(await this.#isOurs(origin))) continue
      this.#origin = origin
      return
    }
    await this.#serve(listen).catch(async (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      // Another window may have been faster; if not, a stranger has the port.
      if (await this.#isOurs(usual)) this.#origin = usual
      else await this.#serve({ ...listen, port: 0 })
    })
  }

  async #serve(address: Address): Promise<void> {
    const { mark, open, file, onTrouble } = this.#sharing
    let respond: Beside | undefined
    const server = createServer((request, response) => {
      if (request.url === markPath) return void response.writeHead(200, { 'content-type': 'text/plain' }).end(mark)
      if (respond === undefined) return void response.writeHead(503).end()
      respond(request, response).catch((error: unknown) => {
        onTrouble(error)
        response.destroy()
      })
    })
    const { port } = await listening(server, address.host, address.port)
    // Nobody is kept from leaving by it.
    server.unref()
    this.#origin = `http://${addressText({ host: address.host, port })}`
    this.#server = server
    try {
      respond = await open(this.#origin)
      keep(file, this.#origin)
    } catch (error) {
      await this.#stop()
      this.#origin = undefined
      throw error
    }
    if (this.#closing.signal.aborted) await this.#stop()
  }

  async #isOurs(origin: string): Promise<boolean> {
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(aloneLimits.inboxReplyMs)])
      const reply = await fetch(`${origin}${markPath}`, { signal, redirect: 'error' })
      return (await reply.text()) === this.#sharing.mark
    } catch {
      // Nobody there, or nobody who answers like us.
      return false
    }
  }

  #kept(): string | undefined {
    return keptOrigin(this.#sharing.file)
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
