// Calls of 2025 clients to servers that keep no state, while the client is asked. They are stored, so that another
// process can continue them when this one dies.
//
// Owns: the rows of these calls, one for each round of questions, named by the stream of the call and a number.
// I1  The answers of a stored round are sent to the server only after its row is claimed, and a row is claimed once: no
//     retry is sent twice.
// I2  The next round's row is stored before the previous row is finished, so reading the rows in order finds the last
//     round.
// I3  A row that is claimed and not finished belongs to a process that is sending, or has sent, its answers: no other
//     process continues it.

import { isPlainObject, type JsonObject, requestDigest, unseal } from '@assent/core'
import { type CallState, isOnlyAtClient, readCallState, writeCallState } from '../../../call/call-state.ts'
import type { InputRequest, NeedsInput } from '../../../call/model.ts'
import { sealState } from '../../../call/seal-state.ts'
import { clientLimits, relayLimits } from '../../../limits.ts'
import { errorCodes, errorReply, isReply, type Reply, type Request, readMessage } from '../../../protocol/messages.ts'
import type { Serving } from '../../context.ts'

/** The owner of a call, and the stream that its client names when it reconnects. */
export interface CallName {
  readonly principal: string
  readonly session: string
  readonly stream: string
}

/** What is needed to continue a call whose client is asked. */
export type KeptRound = {
  readonly request: Pick<Request, 'id' | 'method' | 'params'>
  readonly wanted: Readonly<Record<string, InputRequest>>
  readonly state: CallState
  /** The ids under which the client was asked, by the key of the question. */
  readonly ids: Readonly<Record<string, string>>
  /** When it was asked first, by the store's clock. */
  readonly askedAtMs: number
}

export type KeptCallLookup =
  | { readonly kind: 'taken'; readonly round: KeptRound; readonly kept: KeptCall }
  | { readonly kind: 'ended'; readonly reply: Reply }
  /** Another process has continued the call, or is sending its answers. */
  | { readonly kind: 'elsewhere'; readonly replica: string }
  | { readonly kind: 'lost' }

type Parts = Pick<Serving, 'store' | 'keys' | 'replica' | 'tenant' | 'askWaitMs'>

const continuedInNextRow = 'next'

/** One call that runs in this process. */
export class KeptCall {
  readonly #serving: Parts
  readonly #name: CallName
  readonly #onError: (error: unknown) => void
  /** The number of the last stored row. */
  #number: number
  #isClaimed: boolean
  #timer: NodeJS.Timeout | undefined
  /** The round that is stored, or is being stored. */
  #current: { readonly round: KeptRound; readonly keeping: Promise<boolean> } | undefined

  /** @param claimed the number of the row this process has claimed, when it continues a call of another process */
  constructor(serving: Parts, name: CallName, onError: (error: unknown) => void, claimed = 0) {
    this.#serving = serving
    this.#name = name
    this.#onError = onError
    this.#number = claimed
    this.#isClaimed = claimed > 0
  }

  /** The client is asked. The round is stored after a short delay: a round answered sooner never reaches the store. */
  asked(round: KeptRound): void {
    const keep = () => {
      const keeping = this.#keep(round)
      // `mayContinue` awaits the same promise and retries on failure.
      keeping.catch(this.#onError)
      this.#current = { round, keeping }
    }
    // A call that was taken over is stored immediately: it must not be lost again.
    if (this.#isClaimed) keep()
    else this.#timer = setTimeout(keep, clientLimits.callKeptAfterMs)
  }

  /** Whether this process may send the answers to the server. */
  async mayContinue(): Promise<boolean> {
    clearTimeout(this.#timer)
    const current = this.#current
    if (current === undefined) return true
    // A failed write may still have been, or still be, applied. Repeating it is safe: it changes nothing if it was.
    const isKept = await current.keeping.catch(() => this.#keep(current.round))
    const { store, tenant, replica } = this.#serving
    if (isKept) this.#isClaimed = await store.deferred.claim(tenant, this.#id, this.#name.principal, replica)
    this.#current = undefined
    return this.#isClaimed || !isKept
  }

  /** Stores the reply, for a client that reconnects to another process. */
  async ended(reply: Reply): Promise<void> {
    if (!(await this.mayContinue()) || !this.#isClaimed) return
    const whole = JSON.stringify(reply)
    // Without an outcome in the row, a client that reconnects to another process would wait for it.
    const text = whole.length <= relayLimits.roundOutcomeChars ? whole : JSON.stringify(tooLarge(reply))
    const { store, tenant } = this.#serving
    await store.deferred.finish(tenant, this.#id, text)
  }

  get #id(): string {
    return rowOf(this.#name.stream, this.#number)
  }

  /** False for a call that is too large to be stored. */
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
    if (before !== undefined) await store.deferred.finish(tenant, before, continuedInNextRow).catch(this.#onError)
    return true
  }
}

/** The state of a call whose process is lost. If no process has continued it, this process claims it. */
export async function takeOver(
  serving: Parts,
  name: CallName,
  onError: (error: unknown) => void,
): Promise<KeptCallLookup> {
  const { store, tenant, replica } = serving
  for (let number = 1; number <= relayLimits.roundsPerCall; number++) {
    const id = rowOf(name.stream, number)
    const row = await store.deferred.read(tenant, id, name.principal)
    if (row === undefined) return { kind: 'lost' }
    if (row.kind === 'finished') {
      if (row.outcome === continuedInNextRow) continue
      const reply = readMessage(row.outcome)
      return reply !== undefined && isReply(reply) ? { kind: 'ended', reply } : { kind: 'lost' }
    }
    if (row.kind === 'claimed') return { kind: 'elsewhere', replica: row.owner }
    const round = opened(serving, name, id, row.state)
    if (round === undefined) return { kind: 'lost' }
    if (await store.deferred.claim(tenant, id, name.principal, replica))
      return { kind: 'taken', round, kept: new KeptCall(serving, name, onError, number) }
    // Another process claimed the row first, or the call's own process continued after all: read the row again.
    number -= 1
  }
  return { kind: 'lost' }
}

/** Whether another process can continue the call: no server connection is held for it, and only the client is asked. */
export function canBeKept({ over, state }: NeedsInput<CallState>): boolean {
  return over === undefined && isOnlyAtClient(state)
}

/** Stored instead of a reply that exceeds the size limit. */
function tooLarge({ id }: Reply): Reply {
  const words =
    'The call has ended, and its result is too large to be stored. Check what it did before calling it again.'
  return errorReply(id, errorCodes.refused, words)
}

function rowOf(stream: string, number: number): string {
  return `stream_${stream}_${number}`
}

/** Undefined when the round exceeds the size limit of a sealed state. */
function sealed(serving: Parts, name: CallName, id: string, round: KeptRound, ttlMs: number): string | undefined {
  const payload = { session: name.session, ...round, state: writeCallState(round.state) } as JsonObject
  return sealState(serving, { ...bindingOf(serving, name, id), ttlMs }, payload)
}

function opened(serving: Parts, name: CallName, id: string, state: string): KeptRound | undefined {
  const found = unseal(serving.keys, state, { ...bindingOf(serving, name, id), nowMs: serving.store.nowMs() })
  const payload = found.ok && isPlainObject(found.payload) ? (found.payload as JsonObject) : undefined
  // The stream's name alone is not enough: the same session must reconnect.
  if (payload === undefined || payload.session !== name.session) return undefined
  const continued = readCallState(payload.state)
  const round = payload as Omit<KeptRound, 'state'>
  return continued === undefined ? undefined : { ...round, state: continued }
}

function bindingOf({ tenant }: Parts, { principal }: CallName, id: string) {
  const digest = requestDigest({ method: 'kept call', target: id, arguments: {} })
  return { principal, purpose: `kept call ${tenant}`, requestDigest: digest }
}
