// Calls that are held for a server while their caller has been told to come back: kept on record, so that nothing runs
// twice and nobody waits in vain.
//
// A call is a row with an owner and a lease before its questions leave; its questions are asks in the store; and what came
// of it is kept before it is delivered. A caller whose connection broke fetches the same outcome again. A caller who comes
// back to another process has the owner continue it. When the owner dies the lease runs out, and the caller hears so
// instead of waiting.

import { isTooManyOpen, newId, type TooManyOpen, type WithdrawReason } from '@assent/core'
import type { Answered, Store } from '@assent/store'
import { Forwarding, type Standing, type Unfinished } from '../fleet/forwarding.ts'
import type { Leaving } from '../fleet/leaving.ts'
import type { Mailbox } from '../fleet/mailbox.ts'
import { relayLimits } from '../limits.ts'
import { type GatewayWait, storedWaitMs } from '../surfaces/ask-deadline.ts'
import { deliver } from '../surfaces/delivery.ts'
import { answerOf, givenOf, isSecretState, raiseAsk } from '../surfaces/inbox-asks.ts'
import type { Place } from '../surfaces/place.ts'
import type { Below } from '../surfaces/routing.ts'
import { errorCodes } from '../wire/messages.ts'
import { randomBytes } from '../wire/random.ts'
import { parseExactly } from '../wire/server-messages.ts'
import { type Call, failed, type Given, heldId, type Outcome } from './exchange.ts'
import { issuesInWords, secretAnswer, unfit } from './judge-wanted.ts'
import { Leases } from './leases.ts'
import { OwedEnds } from './owed-ends.ts'
import { calledBy, type Relay, type Resume } from './relay.ts'

/** What is heard of a call whose process died. */
export const lostWords =
  'The process that held this call is gone. Whether the call did anything is not known: look before you make it again.'
export const lost: Outcome = failed(errorCodes.refused, lostWords)

interface Parked {
  readonly tenant: string
  readonly principal: string
  readonly requestDigest: string
  /** The ask of each question by its key. */
  readonly asks: Map<string, string>
}

/** What one request does with its call. */
export interface Begun extends Below {
  /** Ends a call that was begun here and whose caller got no state to come back with. */
  letGo(reason: WithdrawReason): void
}

/** A call whose caller waits here all the time. */
export interface InPlace extends Below {
  record(resume: Resume): Promise<string>
  /** It broke off, and nobody knows what it left behind: it is given up, with what it asked. */
  giveUp(): void
  /** The call has ended, or goes on without its caller. What came of it, where nobody else keeps that. */
  end(outcome?: Outcome): void
}

export class Parking {
  readonly #store: Store
  readonly #relay: Relay
  readonly #patience: GatewayWait
  readonly #onTrouble: (error: unknown) => void
  readonly #owner: string
  readonly #forwarding: Forwarding
  readonly #mailbox: Mailbox
  /** The calls that are parked here. */
  readonly #parked = new Map<string, Parked>()
  /** The calls on record whose callers wait here, by id: their tenants. */
  readonly #inPlace = new Map<string, string>()
  /** Calls that go on at this moment. One at a time: what ends a call for its caller also ends it for the other. */
  readonly #continuing = new Map<string, Promise<void>>()
  readonly #leases: Leases
  readonly #owed: OwedEnds
  #isClosed = false
  readonly #beat: NodeJS.Timeout

  constructor(
    store: Store,
    relay: Relay,
    patience: GatewayWait,
    mailbox: Mailbox,
    leaving: Leaving,
    onTrouble: (error: unknown) => void,
  ) {
    this.#owner = mailbox.replica
    this.#leases = new Leases(store, this.#owner)
    this.#owed = new OwedEnds(store, this.#owner, onTrouble)
    this.#mailbox = mailbox
    this.#forwarding = new Forwarding(
      mailbox,
      (call, resume, given, digest) => this.#continueFor(call, resume, given, digest),
      leaving,
      onTrouble,
    )
    this.#store = store
    this.#relay = relay
    this.#patience = patience
    this.#onTrouble = onTrouble
    this.#beat = setInterval(() => void this.#beats(), relayLimits.renewEveryMs)
    this.#beat.unref()
  }

  /** Calls that are held here. */
  get size(): number {
    return this.#parked.size
  }

  /** The relay for one request, with what is held for it on record. */
  below(requestDigest: string): Begun {
    let began: { readonly call: Call; readonly resume: Resume } | undefined
    return {
      start: async (call) => {
        const outcome = await this.#relay.start(call)
        if (isHeld(outcome)) began = { call, resume: outcome.resume as unknown as Resume }
        return this.#begun(call, outcome, requestDigest)
      },
      continue: (call, resume, given) => this.#continue(call, resume, given, requestDigest),
      refuse: async (call, resume, error) =>
        this.#begun(call, await this.#relay.refuse(call, resume, error), requestDigest),
      letGo: (reason) => {
        if (began !== undefined && this.#parked.has(heldId(began.resume.inner) ?? ''))
          this.#dropParked(began.call, began.resume, reason)
      },
    }
  }

  /**
   * The relay for one request whose caller waits in place: should a question of it go to the inbox, the call is on record,
   * so that the question does not outlive this process unseen.
   */
  inPlace(call: Call): InPlace {
    let id: string | undefined
    let held: Resume | undefined
    const followed = (outcome: Outcome) => {
      held = isHeld(outcome) ? (outcome.resume as unknown as Resume) : undefined
      return outcome
    }
    return {
      start: async (inner) => followed(await this.#relay.start(inner)),
      continue: async (inner, resume, given) => followed(await this.#relay.continue(inner, resume, given)),
      refuse: async (inner, resume, error) => followed(await this.#relay.refuse(inner, resume, error)),
      record: async (resume) => {
        if (id !== undefined) return id
        id = heldId(resume.inner) ?? newId('call', Date.now(), randomBytes)
        this.#inPlace.set(id, call.tenant)
        // Nobody comes back for it, so nothing compares what was called.
        await this.#leases.begin(draftOf(call, id, resume.server, ''), () => undefined)
        return id
      },
      // The next beat finds it on record, and held by nobody.
      giveUp: () => void this.#inPlace.delete(id ?? ''),
      end: ({ isStreamed: _streamed, ...outcome } = lost) => {
        // Its caller hears no more of it, and nobody took it over.
        if (held !== undefined && !this.#parked.has(heldId(held.inner) ?? '')) this.#letGo(call, held)
        if (id !== undefined && this.#inPlace.delete(id))
          this.#owed.hand(id, { tenant: call.tenant, outcome, asks: [] })
      },
    }
  }

  /** Takes over a call that its caller no longer waits for, if a server waits inside it. */
  async adopt(call: Call, place: Place, over: Promise<void> | undefined, requestDigest: string): Promise<void> {
    const id = heldId(place.resume.inner)
    if (id === undefined || this.#parked.has(id)) return
    const asks = new Map(Object.entries(place.inInbox))
    if (this.#inPlace.delete(id)) this.#hold(call, id, requestDigest, asks)
    else await this.#begin(call, id, place.resume.server, requestDigest, asks)
    over?.then(() => this.#finishAlone(call, place.resume, id)).catch(this.#onTrouble)
  }

  /** The call that goes on from here: the one that is held here, or this new one, which is put on record. */
  async recordOf(resume: Resume, running: InPlace): Promise<string> {
    const id = heldId(resume.inner)
    return id !== undefined && this.#parked.has(id) ? id : running.record(resume)
  }

  /** Whether this process can go on with it: nothing is held for it, or it is held here. */
  canContinue(resume: Resume): boolean {
    const id = heldId(resume.inner)
    return id === undefined || this.#parked.has(id)
  }

  async #begun(call: Call, outcome: Outcome, requestDigest: string): Promise<Outcome> {
    if (!isHeld(outcome)) return outcome
    try {
      return await this.#park(call, outcome, requestDigest)
    } catch (error) {
      this.#dropParked(call, outcome.resume as unknown as Resume)
      throw error
    }
  }

  /** Nobody has anything to come back with, so nobody may wait for it: neither the server nor a person. */
  #dropParked(call: Call, resume: Resume, reason: WithdrawReason = 'owner-lost'): void {
    this.#letGo(call, resume)
    const id = heldId(resume.inner) ?? ''
    const parked = this.#parked.get(id)
    this.#parked.delete(id)
    this.#owed.hand(id, { tenant: call.tenant, outcome: lost, asks: [...(parked?.asks.values() ?? [])], reason })
  }

  /** Tells the server that nobody wants its call any more. */
  #letGo(call: Call, resume: Resume): void {
    const left = { ...call, notify: () => undefined, signal: AbortSignal.abort() }
    this.#relay.continue(left, resume, {}).catch(this.#onTrouble)
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
    for (let other = this.#continuing.get(id); other !== undefined; other = this.#continuing.get(id)) await other
    await this.#owed.settle(id)
    if (!this.#parked.has(id)) return this.#continueElsewhere(call, id, resume, given, requestDigest)
    return this.#alone(id, async () => {
      const recorded = await this.#record(call, id, resume.server, given)
      const { tenant } = call
      const asks = this.#parked.get(id)?.asks ?? new Map<string, string>()
      const delivering = { store: this.#store, tenant, asks, onTrouble: this.#onTrouble }
      const outcome = await deliver(delivering, recorded, () => this.#relay.continue(call, resume, recorded))
      return outcome.kind === 'needs-people'
        ? await this.#park(call, outcome, requestDigest)
        : await this.#finish(call, id, outcome)
    })
  }

  async #alone<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#continuing.set(id, promise)
    try {
      return await work()
    } finally {
      this.#continuing.delete(id)
      resolve()
    }
  }

  /** Has the process that holds it continue a call, and waits for what comes of it. */
  async #continueElsewhere(
    call: Call,
    id: string,
    resume: Resume,
    given: Readonly<Record<string, Given>>,
    requestDigest: string,
  ): Promise<Outcome> {
    const row = await this.#store.calls.read(call.tenant, id, call.principal)
    if (row?.state.kind !== 'running' || row.owner === this.#owner) return this.#kept(call, id)
    const isOver = async () => (await this.#store.calls.read(call.tenant, id, call.principal))?.state.kind !== 'running'
    const standing = await this.#forwarding.continueAt(row.owner, call, resume, given, requestDigest, isOver)
    return standing?.kind === 'needs-people' ? standing : this.#kept(call, id)
  }

  /** Continues a call for a caller who came to another process. */
  async #continueFor(
    call: Call,
    resume: Resume,
    given: Readonly<Record<string, Given>>,
    requestDigest: string,
  ): Promise<Standing | undefined> {
    const id = heldId(resume.inner) ?? ''
    await this.#owed.settle(id)
    const parked = this.#parked.get(id)
    // Not here, or not theirs: the row tells them how it ended.
    if (parked === undefined || parked.tenant !== call.tenant) return { kind: 'ended' }
    if (parked.principal !== call.principal || parked.requestDigest !== requestDigest) return undefined
    const outcome = await this.#continue(call, resume, given, requestDigest)
    return outcome.kind === 'needs-people' ? outcome : { kind: 'ended' }
  }

  /** Gives up what is held, on record, so that whoever comes back for it elsewhere hears so at once. */
  async close(): Promise<void> {
    clearInterval(this.#beat)
    this.#isClosed = true
    for (const [id, { tenant, asks }] of this.#parked) {
      await this.#store.calls.finish(tenant, id, this.#owner, JSON.stringify(lost)).catch(this.#onTrouble)
      for (const ask of asks.values()) await this.#store.asks.withdraw(tenant, ask, 'owner-lost').catch(this.#onTrouble)
    }
    this.#parked.clear()
    for (const [id, tenant] of this.#inPlace) {
      await this.#store.calls.finish(tenant, id, this.#owner, JSON.stringify(lost)).catch(this.#onTrouble)
    }
    this.#inPlace.clear()
    await this.#owed.settleAll().catch(this.#onTrouble)
  }

  /** @param refusals how often it asked for more than there was room for */
  async #park(call: Call, outcome: Unfinished, requestDigest: string, refusals = 0): Promise<Outcome> {
    const resume = outcome.resume as unknown as Resume
    const id = heldId(resume.inner)
    if (id === undefined) return outcome
    if (!this.#parked.has(id)) await this.#begin(call, id, resume.server, requestDigest, new Map())
    const { asks } = this.#parked.get(id) ?? { asks: new Map<string, string>() }
    const { server, round } = resume
    const raising = { server, isHeld: true, callId: id, room: this.#relay.asking, round }
    try {
      // What is in the store is shown in the inbox.
      const isKept = !this.#relay.asking.isClientOnly(server)
      for (const [key, wanted] of Object.entries(isKept ? outcome.wanted : {})) {
        if (asks.has(key)) continue
        const waitMs = storedWaitMs(this.#patience, call, wanted, resume, this.#store.nowMs())
        const ask = await raiseAsk(this.#store, calledBy(call, resume.target), wanted, { ...raising, waitMs })
        if (ask !== undefined) asks.set(key, ask)
      }
    } catch (error) {
      if (!isTooManyOpen(error)) throw error
      return this.#noRoom(call, outcome, requestDigest, error, refusals)
    }
    outcome.over?.then(() => this.#finishAlone(call, resume, id)).catch(this.#onTrouble)
    return { ...outcome, asks: Object.fromEntries(asks) }
  }

  /** Its server hears that nobody was asked, and goes on: to its end, or to other questions. */
  async #noRoom(
    call: Call,
    outcome: Unfinished,
    requestDigest: string,
    error: TooManyOpen,
    refusals: number,
  ): Promise<Outcome> {
    const resume = outcome.resume as unknown as Resume
    const id = heldId(resume.inner) ?? ''
    const asks = this.#parked.get(id)?.asks
    for (const key of Object.keys(outcome.wanted)) {
      const ask = asks?.get(key)
      if (ask !== undefined) await this.#store.asks.withdraw(call.tenant, ask, 'undeliverable')
      asks?.delete(key)
    }
    const next = await this.#relay.refuse(call, resume, error)
    if (next.kind !== 'needs-people') return this.#finish(call, id, next)
    if (refusals < relayLimits.roundsPerCall) return this.#park(call, next, requestDigest, refusals + 1)
    this.#dropParked(call, next.resume as unknown as Resume)
    return failed(errorCodes.refused, error.message)
  }

  async #begin(
    call: Call,
    id: string,
    server: string,
    requestDigest: string,
    asks: Map<string, string>,
  ): Promise<void> {
    await this.#leases.begin(draftOf(call, id, server, requestDigest), () => {
      this.#hold(call, id, requestDigest, asks)
    })
  }

  #hold({ tenant, principal }: Call, id: string, requestDigest: string, asks: Map<string, string>): void {
    this.#parked.set(id, { tenant, principal, requestDigest, asks })
    // Its caller may come back to any process.
    this.#mailbox.open()
  }

  /** The answers as the store took them: each ask is settled once, here or nowhere. */
  async #record(
    call: Call,
    id: string,
    server: string,
    given: Readonly<Record<string, Given>>,
  ): Promise<Record<string, Given>> {
    const refusesSecrets = !this.#relay.asking.allowsSecrets(server)
    const recorded: [string, Given][] = []
    for (const [key, answer] of Object.entries(given)) {
      const ask = this.#parked.get(id)?.asks.get(key)
      if (ask === undefined) {
        recorded.push([key, answer])
        continue
      }
      const person = { principal: call.principal, groups: [] }
      const request = { tenant: call.tenant, id: ask, person, via: 'client', refusesSecrets } as const
      const answered = await this.#store.asks.answer({
        ...request,
        answer: 'result' in answer ? answerOf(answer.result) : { action: 'cancel' },
      })
      if (answered.kind === 'settled') recorded.push([key, answer])
      // The server gets it from here, so the store need not keep it.
      if (answered.kind === 'settled' && isSecretState(answered.ask))
        await this.#store.asks.deleteSecret(call.tenant, ask)
      // Someone was first, in the inbox: that answer is the one.
      if (answered.kind === 'ended') recorded.push([key, givenOf(answered.ask)])
      if (answered.kind === 'invalid' || answered.kind === 'malformed' || answered.kind === 'looks-secret') {
        await this.#store.asks.answer({ ...request, answer: { action: 'cancel' } })
        recorded.push([key, notTaken(answered)])
      }
    }
    return Object.fromEntries(recorded)
  }

  async #finish(call: Call, id: string, outcome: Outcome): Promise<Outcome> {
    const { isStreamed: _streamed, ...kept } = outcome
    const finishing = this.#store.calls.finish(call.tenant, id, this.#owner, JSON.stringify(kept))
    const isOurs = await finishing
      .catch((error: unknown) => {
        this.#owed.owe(id, { tenant: call.tenant, outcome: kept, asks: [] })
        throw error
      })
      .finally(() => this.#parked.delete(id))
    if (!isOurs) return this.#kept(call, id)
    this.#store.calls.delivered(call.tenant, id).catch(this.#onTrouble)
    return outcome
  }

  /** What came of a call that is not held here. */
  async #kept(call: Call, id: string): Promise<Outcome> {
    const row = await this.#store.calls.read(call.tenant, id, call.principal)
    if (row?.state.kind !== 'finished') return lost
    await this.#store.calls.delivered(call.tenant, id)
    return parseExactly(row.state.outcome) as Outcome
  }

  /** The questions ended without their caller, who may still come for the outcome. */
  async #finishAlone(call: Call, resume: Resume, id: string): Promise<void> {
    if (this.#isClosed || this.#continuing.has(id) || !this.#parked.has(id)) return
    await this.#alone(id, async () => {
      // Where the store is away they end by themselves: their time is up, or their call is.
      for (const ask of this.#parked.get(id)?.asks.values() ?? [])
        await this.#stopped(call.tenant, ask).catch(this.#onTrouble)
      const detached = { ...call, notify: () => undefined, signal: new AbortController().signal }
      const outcome = await this.#relay.continue(detached, resume, {})
      if (outcome.kind === 'needs-people')
        outcome.over?.then(() => this.#finishAlone(call, resume, id)).catch(this.#onTrouble)
      else await this.#finish(call, id, outcome)
    })
  }

  /** The server stopped waiting. A person who answered just before gets "too late". */
  async #stopped(tenant: string, id: string): Promise<void> {
    const ended = await this.#store.asks.withdraw(tenant, id, 'asker-stopped')
    if (ended.kind === 'ended' && ended.ask.state.kind === 'settled') {
      await this.#store.asks.undelivered(tenant, id, false)
    }
  }

  /** Renews the leases of the calls that are held here. */
  async #beats(): Promise<void> {
    try {
      const calls = [this.#parked, this.#inPlace]
      const held = calls.flatMap((some) => [...some.keys()])
      const gone = await this.#leases.renew(held, (id) => this.#owed.has(id) || calls.some((some) => some.has(id)))
      for (const id of gone) for (const some of calls) some.delete(id)
      await this.#owed.settleAll()
    } catch (error) {
      this.#onTrouble(error)
    }
  }
}

/** What the server gets for an answer that the store did not take. */
function notTaken(answered: Answered & { kind: 'invalid' | 'malformed' | 'looks-secret' }): Given {
  if (answered.kind === 'looks-secret') return secretAnswer
  return unfit(answered.kind === 'invalid' ? issuesInWords(answered.issues) : answered.message)
}

function draftOf({ tenant, principal, method }: Call, id: string, server: string, requestDigest: string) {
  return { tenant, id, principal, server, method, requestDigest }
}

function isHeld(outcome: Outcome): outcome is Unfinished {
  return outcome.kind === 'needs-people' && outcome.over !== undefined
}
