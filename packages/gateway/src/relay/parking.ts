// Calls that are held for a server while their caller has been told to come back: kept on record, so that nothing runs
// twice and nobody waits in vain.
//
// A call is a row with an owner and a lease before its questions leave; its questions are asks in the store; and what came
// of it is kept before it is delivered. A caller whose connection broke fetches the same outcome again. When the owner
// dies the lease runs out, and the caller hears so instead of waiting.

import { randomBytes, randomUUID } from 'node:crypto'
import { isPlainObject, type JsonObject, type JsonValue, newId, only, type Question, readForm } from '@assent/core'
import type { Store } from '@assent/store'
import { relayLimits } from '../limits.ts'
import { errorCodes, objectAt, stringAt } from '../wire/messages.ts'
import { type Call, failed, type Given, type Outcome, type Wanted } from './exchange.ts'
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
  readonly #askWaitMs: number
  readonly #onTrouble: (error: unknown) => void
  readonly #owner = `gateway-${randomUUID()}`
  /** The calls that are parked here, with the ask of each question by its key. */
  readonly #parked = new Map<string, { readonly tenant: string; readonly asks: Map<string, string> }>()
  readonly #continuing = new Set<string>()
  readonly #beat: NodeJS.Timeout

  constructor(store: Store, relay: Relay, askWaitMs: number, onTrouble: (error: unknown) => void) {
    this.#store = store
    this.#relay = relay
    this.#askWaitMs = askWaitMs
    this.#onTrouble = onTrouble
    this.#beat = setInterval(() => void this.#renew(), relayLimits.renewEveryMs)
    this.#beat.unref()
  }

  /** What a first attempt came to, on record if it is held. */
  async begun(call: Call, outcome: Outcome, requestDigest: string): Promise<Outcome> {
    if (outcome.kind !== 'needs-people' || outcome.over === undefined) return outcome
    return this.#park(call, outcome, requestDigest)
  }

  /** Continues a call, held here or travelling with its caller. */
  async continue(
    call: Call,
    resume: Resume,
    given: Readonly<Record<string, Given>>,
    requestDigest: string,
  ): Promise<Outcome> {
    const id = heldId(resume.inner)
    if (id === undefined) return this.begun(call, await this.#relay.continue(call, resume, given), requestDigest)
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
    const { tenant, principal, method } = call
    if (!this.#parked.has(id)) {
      const { leaseMs } = relayLimits
      await this.#store.calls.begin({
        tenant,
        id,
        principal,
        server: resume.server,
        method,
        requestDigest,
        owner: this.#owner,
        leaseMs,
      })
      this.#parked.set(id, { tenant, asks: new Map() })
    }
    const { asks } = this.#parked.get(id) ?? { asks: new Map() }
    for (const [key, wanted] of Object.entries(outcome.wanted)) {
      const question = asks.has(key) ? undefined : questionOf(wanted)
      if (question === undefined) continue
      const ask = newId('ask', Date.now(), randomBytes)
      const tool = stringAt(call.params, 'name')
      await this.#store.asks.raise({
        tenant,
        id: ask,
        asker: tool === undefined ? { server: resume.server } : { server: resume.server, tool },
        principal,
        callId: id,
        question,
        electorate: only(principal),
        decideWithinMs: Math.max(this.#askWaitMs, 1_000),
        useWithinMs: this.#askWaitMs,
      })
      asks.set(key, ask)
    }
    outcome.over?.then(() => this.#finishAlone(call, resume, id)).catch(this.#onTrouble)
    return outcome
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
    return JSON.parse(row.state.outcome) as Outcome
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

/** The question as the store keeps it; undefined for what no person is asked. */
function questionOf(wanted: Wanted): Question | undefined {
  if (wanted.kind === 'url') return { kind: 'url', message: wanted.message.toWellFormed(), url: wanted.url }
  if (wanted.kind !== 'form') return undefined
  const read = readForm(wanted.schema)
  return read.ok ? { kind: 'form', message: wanted.message.toWellFormed(), form: read.form } : undefined
}

function answerOf(result: JsonObject): JsonObject {
  const content = objectAt(result, 'content')
  return { action: result.action ?? null, ...(content === undefined ? {} : { content }) }
}
