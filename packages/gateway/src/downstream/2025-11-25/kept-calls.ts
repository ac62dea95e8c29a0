// Calls of 2025 clients to servers that keep no state, while the client is asked: kept in the store, so that another process
// can go on with them when this one dies.
//
// Owns: the rows of these calls, one for each round of questions, named by the stream of the call and a number.
// I1  Nothing is sent to the server for a round that is kept before its row is claimed, and a row is claimed once: no retry is
//     sent twice.
// I2  The row of the next round is kept before that of the one before is finished, so who follows the rows finds the last.
// I3  A row that is claimed and not finished belongs to a process that sends, or sent, its answers: no other process continues it.

import {
  isAssentError,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  requestDigest,
  seal,
  unseal,
} from '@assent/core'
import { downstreamLimits, relayLimits } from '../../limits.ts'
import type { Outcome, Wanted } from '../../relay/exchange.ts'
import { readPlace } from '../../surfaces/place.ts'
import { isReply, type Reply, type Request, readMessage } from '../../wire/messages.ts'
import { randomBytes } from '../../wire/random.ts'
import type { Serving } from '../context.ts'

/** Whose call it is, and how clients name it when they come back. */
export interface CallName {
  readonly principal: string
  readonly session: string
  readonly stream: string
}

/** What is needed to go on with a call whose client is asked. */
export interface KeptRound {
  readonly request: Pick<Request, 'id' | 'method' | 'params'>
  readonly wanted: Readonly<Record<string, Wanted>>
  readonly resume: JsonValue
  /** The ids under which the client was asked, by the key of the question. */
  readonly ids: Readonly<Record<string, string>>
  /** When it was asked first, by the store's clock. */
  readonly askedAtMs: number
}

export type Found =
  | { readonly kind: 'taken'; readonly round: KeptRound; readonly kept: KeptCall }
  | { readonly kind: 'ended'; readonly reply: Reply }
  /** Another process went on with it, or sends its answers. */
  | { readonly kind: 'elsewhere'; readonly replica: string }
  | { readonly kind: 'lost' }

type Parts = Pick<Serving, 'store' | 'keys' | 'mailbox' | 'tenant' | 'askWaitMs'>

const goesOn = 'next'

/** One call that runs in this process. */
export class KeptCall {
  readonly #serving: Parts
  readonly #name: CallName
  readonly #onTrouble: (error: unknown) => void
  /** The number of the last row that was kept. */
  #number: number
  #isClaimed: boolean
  #timer: NodeJS.Timeout | undefined
  /** The round that is being kept, or is. */
  #current: { readonly round: KeptRound; readonly keeping: Promise<boolean> } | undefined

  /** @param claimed the number of the row that this process has claimed, where it goes on with a call of another one */
  constructor(serving: Parts, name: CallName, onTrouble: (error: unknown) => void, claimed = 0) {
    this.#serving = serving
    this.#name = name
    this.#onTrouble = onTrouble
    this.#number = claimed
    this.#isClaimed = claimed > 0
  }

  /** The client is asked. After a moment that is kept: what is answered sooner never reaches the store. */
  asked(round: KeptRound): void {
    const keep = () => {
      const keeping = this.#keep(round)
      // The process that wants to continue finds out, and tries again.
      keeping.catch(this.#onTrouble)
      this.#current = { round, keeping }
    }
    // Who goes on with a call that was kept must not lose it again.
    if (this.#isClaimed) keep()
    else this.#timer = setTimeout(keep, downstreamLimits.callKeptAfterMs)
  }

  /** Whether this process may send the answers to the server. */
  async mayGoOn(): Promise<boolean> {
    clearTimeout(this.#timer)
    const current = this.#current
    if (current === undefined) return true
    // A step whose end was unclear may have happened, or happen later. It is taken again, which changes nothing if it has.
    const isKept = await current.keeping.catch(() => this.#keep(current.round))
    const { store, tenant, mailbox } = this.#serving
    if (isKept) this.#isClaimed = await store.deferred.claim(tenant, this.#id, this.#name.principal, mailbox.replica)
    this.#current = undefined
    return this.#isClaimed || !isKept
  }

  /** The call has ended: a client that comes back for it elsewhere gets this. */
  async ended(reply: Reply): Promise<void> {
    if (!(await this.mayGoOn()) || !this.#isClaimed) return
    const text = JSON.stringify(reply)
    const { store, tenant } = this.#serving
    if (text.length <= relayLimits.roundOutcomeChars) await store.deferred.finish(tenant, this.#id, text)
  }

  get #id(): string {
    return rowOf(this.#name.stream, this.#number)
  }

  /** False for a call that is too large to be kept. */
  async #keep(round: KeptRound): Promise<boolean> {
    const { store, tenant, askWaitMs } = this.#serving
    const before = this.#isClaimed ? this.#id : undefined
    const id = rowOf(this.#name.stream, this.#number + 1)
    const keepMs = Math.ceil(askWaitMs) + relayLimits.stateTtlExtraMs
    const state = sealed(this.#serving, this.#name, id, round, keepMs)
    if (state === undefined) return false
    await store.deferred.keep({ tenant, id, principal: this.#name.principal, state, keepMs })
    this.#number += 1
    this.#isClaimed = false
    if (before !== undefined) await store.deferred.finish(tenant, before, goesOn).catch(this.#onTrouble)
    return true
  }
}

/** What became of a call whose process is gone. Where no process has continued it, this process has taken it when this resolves. */
export async function takeOver(serving: Parts, name: CallName, onTrouble: (error: unknown) => void): Promise<Found> {
  const { store, tenant, mailbox } = serving
  for (let number = 1; number <= relayLimits.roundsPerCall; number++) {
    const id = rowOf(name.stream, number)
    const row = await store.deferred.read(tenant, id, name.principal)
    if (row === undefined) return { kind: 'lost' }
    if (row.kind === 'finished') {
      if (row.outcome === goesOn) continue
      const reply = readMessage(row.outcome)
      return reply !== undefined && isReply(reply) ? { kind: 'ended', reply } : { kind: 'lost' }
    }
    if (row.kind === 'claimed') return { kind: 'elsewhere', replica: row.callId ?? '' }
    const round = opened(serving, name, id, row.state)
    if (round === undefined) return { kind: 'lost' }
    if (await store.deferred.claim(tenant, id, name.principal, mailbox.replica))
      return { kind: 'taken', round, kept: new KeptCall(serving, name, onTrouble, number) }
    // Another process was faster, or its own process answered after all.
    number -= 1
  }
  return { kind: 'lost' }
}

/** Whether a call can go on elsewhere: nothing is held for it, and all its questions are with the client. */
export function canBeKept(outcome: Outcome & { kind: 'needs-people' }): boolean {
  const place = readPlace(outcome.resume)
  const isElsewhere = Object.keys({ ...place?.inInbox, ...place?.copies, ...place?.onRecord }).length > 0
  return outcome.over === undefined && !isElsewhere
}

function rowOf(stream: string, number: number): string {
  return `stream_${stream}_${number}`
}

/** Undefined for more than a sealed state can hold. */
function sealed(serving: Parts, name: CallName, id: string, round: KeptRound, ttlMs: number): string | undefined {
  const { keys, store } = serving
  const payload = { session: name.session, ...round } as unknown as JsonValue
  try {
    return seal(keys, { ...bindingOf(serving, name, id), ttlMs }, payload, {
      nowMs: store.nowMs(),
      random: randomBytes,
    })
  } catch (error) {
    if (isAssentError(error, 'limit_exceeded')) return undefined
    throw error
  }
}

function opened(serving: Parts, name: CallName, id: string, state: string): KeptRound | undefined {
  const found = unseal(serving.keys, state, { ...bindingOf(serving, name, id), nowMs: serving.store.nowMs() })
  const payload = found.ok && isPlainObject(found.payload) ? (found.payload as JsonObject) : undefined
  // The stream's name alone is not enough: it must be the same session that comes back.
  if (payload === undefined || payload.session !== name.session) return undefined
  return payload as unknown as KeptRound
}

function bindingOf({ tenant }: Parts, { principal }: CallName, id: string) {
  const digest = requestDigest({ method: 'kept call', target: id, arguments: {} })
  return { principal, purpose: `kept call ${tenant}`, requestDigest: digest }
}
