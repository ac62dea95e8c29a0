// Serves a handler on revision 2026-07-28.
//
// The call comes in; if the handler reaches a question, the call ends unfinished, carrying the questions and our sealed
// journal. The client makes the same call again with the answers, to this process or another one, and the handler runs
// again from the top. Nothing is kept here between rounds, so waiting costs nothing.

import { AssentError, isPlainObject, isSealedFor, seal, stateRefused, understandsAskMeta, unseal } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import { hasDefaultWait, waitOf } from '../ask/how.ts'
import { decodeJournal, encodeJournal } from '../journal/encode.ts'
import { type AskEntry, Journal } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import type { World } from '../world.ts'
import { heard, type Modes, modesOf, type Params, told, withAskMeta } from './modes.ts'
import { type OpenAsk, ReplayRun } from './replay.ts'
import { isScripted, seenAnswer } from './seen.ts'

const revision = '2026-07-28'
const purpose = 'journal'
const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

export interface Call20260728 {
  readonly modes: Modes
  /** A gateway of ours: it is sent our timeout, and it ends the question by that. */
  readonly isGateway: boolean
  /** Whether answers were checked before they came here: by our gateway, or in a test by its author. */
  readonly isBelieved: boolean
  readonly state: unknown
  readonly answers: Readonly<Record<string, unknown>>
}

/** What SDK 2.x hands to a handler on this revision; nothing when it is another revision's. */
export function read20260728(context: unknown): Call20260728 | undefined {
  if (!hasRequest(context)) return undefined
  const { envelope, inputResponses, requestState } = context.mcpReq
  if (!isPlainObject(envelope)) return undefined
  const version = envelope[versionKey]
  // Revisions are dates, so later ones sort later; one we do not know is spoken to as the latest we do.
  if (typeof version !== 'string' || version < revision) return undefined
  const isGateway = understandsAskMeta(envelope[capabilitiesKey])
  return {
    modes: modesOf(envelope[capabilitiesKey]),
    isGateway,
    isBelieved: isGateway || isScripted(context.mcpReq),
    state: typeof requestState === 'function' ? requestState() : undefined,
    answers: isPlainObject(inputResponses) ? inputResponses : {},
  }
}

interface Request {
  readonly envelope?: unknown
  readonly inputResponses?: unknown
  readonly requestState?: unknown
}

function hasRequest(context: unknown): context is { readonly mcpReq: Request } {
  if (typeof context !== 'object' || context === null || !('mcpReq' in context)) return false
  return typeof context.mcpReq === 'object' && context.mcpReq !== null
}

export interface Bound {
  readonly principal: string
  readonly requestDigest: string
}

/** Runs one round. Resolves with the handler's value, or with the result that says what must be answered first. */
export async function round20260728<Value>(
  call: Call20260728,
  bound: Bound,
  world: World,
  handler: (run: ReplayRun) => Promise<Value>,
): Promise<Value | Unfinished> {
  const journal = journalOf(call.state, bound, world)
  const run = new ReplayRun({
    journal,
    answers: placed(call.answers, journal),
    terms: world.terms,
    record: world.record(journal.callId),
    hears: (description, raw, afterMs) =>
      seenAnswer(description, heard(description, raw), afterMs, call.isBelieved ? 0 : world.unseenAfterMs),
    isGateway: call.isGateway,
    refuses: (description) => {
      const telling = told(description, call.modes, revision)
      return telling.ok ? undefined : telling.why
    },
  })
  const end = await run.end(handler(run))
  if (end.kind === 'finished') return end.value
  try {
    if (end.kind === 'failed') throw end.error
    return unfinished(end.asks, journal, call, bound, world)
  } catch (error) {
    await run.withdrawRaised()
    throw error
  }
}

/** The first round has no state. A state that does not open ends the call before anything runs. */
function journalOf(state: unknown, { principal, requestDigest }: Bound, world: World): Journal {
  if (state === undefined) return new Journal(world.newId('call'))
  const opened = unseal(world.ring, state, { principal, requestDigest, purpose, nowMs: world.nowMs() }, world.onRefused)
  if (!opened.ok) throw new AssentError(opened.code, opened.message)
  return decodeJournal(opened.payload)
}

/** Throws for a state that cannot be of any call of this principal; which call it is of is judged when it is served. */
export function verifyState(state: unknown, principal: string, world: World): void {
  if (!isSealedFor(world.ring, state, { principal, purpose, nowMs: world.nowMs() }, world.onRefused))
    throw new AssentError(stateRefused.code, stateRefused.message)
}

function placed(answers: Readonly<Record<string, unknown>>, journal: Journal): ReadonlyMap<number, unknown> {
  const places = new Map<number, unknown>()
  journal.asks.forEach(({ ended }, place) => {
    const key = keyOf(place)
    if (ended === undefined && Object.hasOwn(answers, key)) places.set(place, answers[key])
  })
  return places
}

function keyOf(place: number): string {
  return `ask-${place + 1}`
}

export interface Unfinished {
  readonly resultType: 'input_required'
  readonly inputRequests: Readonly<Record<string, unknown>>
  readonly requestState: string
}

/** For a gateway of ours: a chosen timeout counts from when it was asked first, a default from when it is put. */
function asked(params: Params, description: Description, { decideByMs }: AskEntry, world: World): Params {
  const { how } = description
  const waitMs = waitOf(how, world.waitMs)
  if (hasDefaultWait(how, world.isWaitDefault)) return withAskMeta(params, description, { waitMs, isDefault: true })
  const leftMs = decideByMs - sdkLimits.returnWithinMs - world.nowMs()
  return withAskMeta(params, description, { waitMs: Math.min(Math.max(0, Math.round(leftMs)), waitMs) })
}

function unfinished(
  asks: readonly OpenAsk[],
  journal: Journal,
  { modes, isGateway }: Call20260728,
  { principal, requestDigest }: Bound,
  world: World,
): Unfinished {
  const requests = asks.map(({ place, entry, description }) => {
    const telling = told(description, modes, revision)
    // Judged when it was asked; a question that can no longer be told was changed under our hands.
    if (!telling.ok) throw new AssentError('not_supported', telling.why)
    const params = isGateway ? asked(telling.params, description, entry, world) : telling.params
    return [keyOf(place), { method: 'elicitation/create', params }] as const
  })
  const nowMs = world.nowMs()
  const longestMs = Math.max(...asks.map(({ entry }) => entry.decideByMs - nowMs))
  const ttlMs = Math.min(Math.max(0, longestMs) + sdkLimits.stateGraceMs, world.stateMostMs)
  const binding = { principal, purpose, requestDigest, ttlMs }
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(requests),
    requestState: seal(world.ring, binding, encodeJournal(journal), { nowMs, random: world.random }),
  }
}
