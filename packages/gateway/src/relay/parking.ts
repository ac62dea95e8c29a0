// Calls that are held for a server while their caller has been told to come back: kept on record, so that nothing runs
// twice and nobody waits in vain.
//
// A call is a row with an owner and a lease before its questions leave; its questions are asks in the store; and what came
// of it is kept before it is delivered. A caller whose connection broke fetches the same outcome again. When the owner
// dies the lease runs out, and the caller hears so instead of waiting.

import { randomUUID } from 'node:crypto'
import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../limits.ts'
import { answerOf, givenOf, raiseAsk } from '../surfaces/inbox-asks.ts'
import type { Place } from '../surfaces/place.ts'
import type { Below } from '../surfaces/routing.ts'
import { errorCodes, stringAt } from '../wire/messages.ts'
import { parseExactly } from '../wire/server-messages.ts'
import { type Call, failed, type Given, type Outcome } from './exchange.ts'
import { noAnswer } from './judge-wanted.ts'
import type { Relay, Resume } from './relay.ts'

type Unfinished = Outcome & { kind: 'needs-people' }

const lost = failed(
  errorCodes.refused,
  'The process that held this call is gone. Whether the call did anything is not known: look before you make it again.',
)

const heldElsewhere = failed(
  errorCodes.refused,
  'Another process of this gateway holds this call, and is still waiting for the answer. Send the same request again.',
)

export class Parking {
  readonly #store: Store
  readonly #relay: Relay
  readonly #patience: { readonly askWaitMs: number }
  readonly #onTrouble: (error: unknown) => void
  readonly #owner = `gateway-${randomUUID()}`
  /** The calls that are parked here, with the ask of each question by its key. */
  readonly #parked = new Map<string, { readonly tenant: string; readonly asks: Map<string, string> }>()
  readonly #continuing = new Set<string>()
  readonly #beat: NodeJS.Timeout

  constructor(
    store: Store,
    relay: Relay,
    patience: { readonly askWaitMs: number },
    onTrouble: (error: unknown) => void,
  ) {
    this.#store = store
    this.#relay = relay
    this.#patience = patience
    this.#onTrouble = onTrouble
    this.#beat = setInterval(() => void this.#renew(), relayLimits.renewEveryMs)
    this.#beat.unref()
  }

  /** Calls that are held here. */
  get size(): number {
    return this.#parked.size
  }

  /** The relay for one request, with what is held for it on record. */
  below(requestDigest: string): Below {
    return {
      start: async (call) => this.#begun(call, await this.#relay.start(call), requestDigest),
      continue: (call, resume, given) => this.#continue(call, resume, given, requestDigest),
    }
  }

  /** Takes over a call that its caller no longer waits for, if a server waits inside it. */
  async adopt(call: Call, place: Place, over: Promise<void> | undefined, requestDigest: string): Promise<void> {
    const id = heldId(place.resume.inner)
    if (id === undefined || this.#parked.has(id)) return
    await this.#begin(call, id, place.resume.server, requestDigest, new Map(Object.entries(place.inInbox)))
    over?.then(() => this.#finishAlone(call, place.resume, id)).catch(this.#onTrouble)
  }

  /** Whether this process can go on with it: nothing is held for it, or it is held here. */
  canContinue(resume: Resume): boolean {
    const id = heldId(resume.inner)
    return id === undefined || this.#parked.has(id)
  }

  async #begun(call: Call, outcome: Outcome, requestDigest: string): Promise<Outcome> {
    if (outcome.kind !== 'needs-people' || outcome.over === undefined) return outcome
    return this.#park(call, outcome, requestDigest)
  }

  /** Continues a call, held here or travelling with its caller. */
  async #continue(
    call: Call,
    resume: Resume,
    given: Readonly<Record<string, Given>>,
    requestDigest: string,
  ): Promise<Outcome> {
    const id = heldId(resume.inner)
    if (id === undefined) return this.#begun(call, await this.#relay.continue(call, resume, given), requestDigest)
    if (!this.#parked.has(id)) return this.#kept(call, id)
    this.#continuing.add(id)
    try {
      const recorded = await this.#record(call, id, given)
      const outcome = await this.#relay.continue(call, resume, recorded)
      return outcome.kind === 'needs-people'
        ? await this.#park(call, outcome, requestDigest)
        : await this.#finish(call, id, outcome)
    } finally {
      this.#continuing.delete(id)
    }
  }

  /** Gives up what is held, on record, so that whoever comes back for it elsewhere hears so at once. */
  async close(): Promise<void> {
    clearInterval(this.#beat)
    for (const [id, { tenant, asks }] of this.#parked) {
      this.#continuing.add(id)
      await this.#store.calls.finish(tenant, id, this.#owner, JSON.stringify(lost)).catch(this.#onTrouble)
      for (const ask of asks.values()) await this.#store.asks.withdraw(tenant, ask, 'owner-lost').catch(this.#onTrouble)
    }
    this.#parked.clear()
  }

  async #park(call: Call, outcome: Unfinished, requestDigest: string): Promise<Outcome> {
    const resume = outcome.resume as unknown as Resume
    const id = heldId(resume.inner)
    if (id === undefined) return outcome
    if (!this.#parked.has(id)) await this.#begin(call, id, resume.server, requestDigest, new Map())
    const { asks } = this.#parked.get(id) ?? { asks: new Map<string, string>() }
    for (const [key, wanted] of Object.entries(outcome.wanted)) {
      if (asks.has(key)) continue
      const raising = { server: resume.server, waitMs: this.#patience.askWaitMs, callId: id }
      const ask = await raiseAsk(this.#store, call, wanted, raising)
      if (ask !== undefined) asks.set(key, ask)
    }
    outcome.over?.then(() => this.#finishAlone(call, resume, id)).catch(this.#onTrouble)
    return { ...outcome, asks: Object.fromEntries(asks) }
  }

  async #begin(
    { tenant, principal, method }: Call,
    id: string,
    server: string,
    requestDigest: string,
    asks: Map<string, string>,
  ): Promise<void> {
    const { leaseMs } = relayLimits
    await this.#store.calls.begin({ tenant, id, principal, server, method, requestDigest, owner: this.#owner, leaseMs })
    this.#parked.set(id, { tenant, asks })
  }

  /** The answers as the store took them: each ask is settled once, here or nowhere. */
  async #record(call: Call, id: string, given: Readonly<Record<string, Given>>): Promise<Record<string, Given>> {
    const recorded: [string, Given][] = []
    for (const [key, answer] of Object.entries(given)) {
      const ask = this.#parked.get(id)?.asks.get(key)
      if (ask === undefined) {
        recorded.push([key, answer])
        continue
      }
      const person = { principal: call.principal, groups: [] }
      const request = { tenant: call.tenant, id: ask, person, via: 'client' } as const
      const answered = await this.#store.asks.answer({
        ...request,
        answer: 'result' in answer ? answerOf(answer.result) : { action: 'cancel' },
      })
      if (answered.kind === 'settled') recorded.push([key, answer])
      // Someone was first, in the inbox: that answer is the one.
      if (answered.kind === 'ended') recorded.push([key, givenOf(answered.ask)])
      if (answered.kind === 'invalid' || answered.kind === 'malformed') {
        await this.#store.asks.answer({ ...request, answer: { action: 'cancel' } })
        recorded.push([key, noAnswer])
      }
    }
    return Object.fromEntries(recorded)
  }

  async #finish(call: Call, id: string, outcome: Outcome): Promise<Outcome> {
    const { isStreamed: _streamed, ...kept } = outcome
    const isOurs = await this.#store.calls.finish(call.tenant, id, this.#owner, JSON.stringify(kept))
    this.#parked.delete(id)
    if (!isOurs) return this.#kept(call, id)
    await this.#store.calls.delivered(call.tenant, id)
    return outcome
  }

  /** What came of a call that is not held here. */
  async #kept(call: Call, id: string): Promise<Outcome> {
    const row = await this.#store.calls.read(call.tenant, id, call.principal)
    if (row?.state.kind === 'running') return heldElsewhere
    if (row?.state.kind !== 'finished') return lost
    await this.#store.calls.delivered(call.tenant, id)
    return parseExactly(row.state.outcome) as Outcome
  }

  /** The questions ended without their caller, who may still come for the outcome. */
  async #finishAlone(call: Call, resume: Resume, id: string): Promise<void> {
    if (this.#continuing.has(id) || !this.#parked.has(id)) return
    this.#continuing.add(id)
    try {
      for (const ask of this.#parked.get(id)?.asks.values() ?? [])
        await this.#store.asks.withdraw(call.tenant, ask, 'caller-gone')
      const detached = { ...call, notify: () => undefined, signal: new AbortController().signal }
      const outcome = await this.#relay.continue(detached, resume, {})
      if (outcome.kind === 'needs-people')
        outcome.over?.then(() => this.#finishAlone(call, resume, id)).catch(this.#onTrouble)
      else await this.#finish(call, id, outcome)
    } finally {
      this.#continuing.delete(id)
    }
  }

  async #renew(): Promise<void> {
    if (this.#parked.size === 0) return
    try {
      await this.#store.calls.renew(this.#owner, relayLimits.leaseMs)
    } catch (error) {
      this.#onTrouble(error)
    }
  }
}

function heldId(inner: JsonValue): string | undefined {
  return isPlainObject(inner) ? stringAt(inner as JsonObject, 'held') : undefined
}
