// A held call that is continued at another process than the one that holds it.
//
// The answers go to the holder by letter; the holder continues, keeps what came of it, and answers by letter. Whoever waits
// also looks at the call's row, so it hears of the end, and of the holder's death, when no letter comes. Sending the same
// again does no harm: a question is answered once, and then the holder only says how things stand.

import { randomUUID } from 'node:crypto'
import type { JsonObject, JsonValue } from '@assent/core'
import { fleetLimits } from '../limits.ts'
import type { Call, Given, Outcome } from '../relay/exchange.ts'
import { type Resume, readResume } from '../relay/relay.ts'
import { type Notification, objectAt, stringAt } from '../wire/messages.ts'
import type { Leaving } from './leaving.ts'
import type { Letter, Mailbox } from './mailbox.ts'
import { within } from './within.ts'

export type Unfinished = Outcome & { kind: 'needs-people' }

/** How things stand at the holder: the call has ended and its outcome is kept, or it needs people once more. */
export type Standing = { readonly kind: 'ended' } | Unfinished

/** Continues a call that is held here. Undefined when it is not, or not for this caller and request. */
export type ContinueHere = (
  call: Call,
  resume: Resume,
  given: Readonly<Record<string, Given>>,
  requestDigest: string,
) => Promise<Standing | undefined>

interface Waiting {
  readonly call: Call
  answered(standing: Standing): void
}

const progressEveryMs = 100

export class Forwarding {
  readonly #mailbox: Mailbox
  readonly #continueHere: ContinueHere
  readonly #leaving: Leaving
  readonly #onTrouble: (error: unknown) => void
  /** What is asked of others, by the name of the forwarding. */
  readonly #waiting = new Map<string, Waiting>()
  /** What others asked to be continued here. */
  readonly #running = new Map<string, AbortController>()

  constructor(mailbox: Mailbox, continueHere: ContinueHere, leaving: Leaving, onTrouble: (error: unknown) => void) {
    this.#leaving = leaving
    this.#mailbox = mailbox
    this.#continueHere = continueHere
    this.#onTrouble = onTrouble
    mailbox.on('continue', (letter) => void this.#continue(letter).catch(onTrouble))
    mailbox.on('leave', ({ principal, content }) => this.#running.get(runningKey(principal, content))?.abort())
    mailbox.on('said', ({ principal, content }) => {
      const waiting = this.#own(principal, content)
      const said = objectAt(content, 'notification')
      if (waiting !== undefined && said !== undefined) waiting.call.notify(said as unknown as Notification)
    })
    mailbox.on('stands', ({ principal, content }) => {
      const standing = objectAt(content, 'standing')
      if (standing !== undefined) this.#own(principal, content)?.answered(standing as unknown as Standing)
    })
  }

  /**
   * Has the holder continue a call.
   *
   * @param isOver looks at the call's row: true when there is nothing to wait for any more
   * @returns undefined when the row says so
   */
  async continueAt(
    holder: string,
    call: Call,
    resume: Resume,
    given: Readonly<Record<string, Given>>,
    requestDigest: string,
    isOver: () => Promise<boolean>,
  ): Promise<Standing | undefined> {
    const name = randomUUID()
    const { promise, resolve } = Promise.withResolvers<Standing>()
    this.#waiting.set(name, { call, answered: resolve })
    this.#mailbox.open()
    const leave = () => {
      // When it is we who leave, the holder goes on, and keeps what comes of it.
      if (!this.#leaving.has('over')) void this.#mailbox.send(holder, call, 'leave', { name }).catch(this.#onTrouble)
    }
    call.signal.addEventListener('abort', leave, { once: true })
    try {
      const letter = { name, ...carried(call), resume: resume as never, given: given as never, requestDigest }
      let sentAt = Number.NEGATIVE_INFINITY
      for (;;) {
        // Again now and then: the letter, or the answer to it, may have found a full box.
        if (performance.now() - sentAt > fleetLimits.forwardAgainMs) {
          await this.#mailbox.send(holder, call, 'continue', letter)
          sentAt = performance.now()
        }
        const standing = await within(fleetLimits.forwardLookMs, promise)
        if (standing !== undefined) return standing
        if (await isOver()) return undefined
      }
    } finally {
      call.signal.removeEventListener('abort', leave)
      this.#waiting.delete(name)
    }
  }

  /** The other side of it. */
  async #continue({ tenant, principal, from, content }: Letter): Promise<void> {
    const key = runningKey(principal, content)
    const resume = readResume((content.resume ?? null) as JsonValue)
    const requestDigest = stringAt(content, 'requestDigest')
    if (resume === undefined || requestDigest === undefined || this.#running.has(key)) return
    const leaving = new AbortController()
    this.#running.set(key, leaving)
    const name = content.name ?? null
    const letters = this.#mailbox.correspondence(from, { tenant, principal })
    const tell = (kind: string, said: JsonObject) => letters.tell(kind, { name, ...said })
    let progressedAt = Number.NEGATIVE_INFINITY
    const notify = (notification: Notification) => {
      if (notification.method === 'notifications/progress') {
        if (performance.now() - progressedAt < progressEveryMs) return
        progressedAt = performance.now()
      }
      tell('said', { notification: notification as never })
    }
    try {
      const call = callOf({ tenant, principal, content }, notify, leaving.signal)
      const given = (objectAt(content, 'given') ?? {}) as unknown as Record<string, Given>
      const standing = await this.#continueHere(call, resume, given, requestDigest)
      if (standing !== undefined) tell('stands', { standing: travelling(standing) as never })
      await letters.sent
    } finally {
      this.#running.delete(key)
    }
  }

  #own(principal: string, content: JsonObject): Waiting | undefined {
    const waiting = this.#waiting.get(stringAt(content, 'name') ?? '')
    return waiting?.call.principal === principal ? waiting : undefined
  }
}

/** What a holder needs to know of the request: whose it is, what it called and who the client is. */
function carried({ method, params, client, requestHeaders = {} }: Call): JsonObject {
  const { name = null, uri = null } = params
  return { method, target: { name, uri }, client: client as never, headers: { ...requestHeaders } }
}

function callOf(
  { tenant, principal, content }: Pick<Letter, 'tenant' | 'principal' | 'content'>,
  notify: Call['notify'],
  signal: AbortSignal,
): Call {
  const client = objectAt(content, 'client') ?? {}
  const target = Object.entries(objectAt(content, 'target') ?? {}).filter(([, value]) => value !== null)
  const part = (name: string) => objectAt(client, name) ?? {}
  return {
    tenant,
    principal,
    scope: '',
    method: stringAt(content, 'method') ?? '',
    params: Object.fromEntries(target),
    client: { info: part('info'), declared: part('declared'), capabilities: part('capabilities') },
    requestHeaders: (objectAt(content, 'headers') ?? {}) as Record<string, string>,
    notify,
    signal,
  }
}

/** Without what lives in one process alone. */
function travelling(standing: Standing): object {
  if (standing.kind === 'ended') return standing
  const { over: _over, isStreamed: _streamed, ...rest } = standing
  return rest
}

function runningKey(principal: string, content: JsonObject): string {
  return `${principal}\n${stringAt(content, 'name') ?? ''}`
}
