// Serves a handler on revision 2026-07-28.
//
// The call comes in; if the handler reaches a question, the call ends unfinished, carrying the questions and our sealed
// journal. The client makes the same call again with the answers, to this process or another one, and the handler runs
// again from the top. Nothing is kept here between rounds, so waiting costs nothing.

import {
  AssentError,
  isAssentError,
  isPlainObject,
  isSealedFor,
  type JsonValue,
  type SealRefusal,
  seal,
  stateRefused,
  understandsAskMeta,
  unseal,
} from '@assent/core'
import type { Description } from '../ask/describe.ts'
import { hasDefaultWait, waitOf } from '../ask/options.ts'
import { decodeJournal, encodeJournal } from '../journal/encode.ts'
import { type AskEntry, Journal } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import { releasePages } from '../secrets/ask-for-secret.ts'
import { isFromProcessKey, type ServerContext } from '../server/server-context.ts'
import { isScripted, rejectFastApproval, scriptedRepeatMs } from './human-check.ts'
import { declaredModes, decodeAnswer, encodeQuestion, type Modes, type QuestionParams, withAskMeta } from './modes.ts'
import { type OpenAsk, ReplayRun } from './replay.ts'
import { withReceipts } from './step-room.ts'

const revision = '2026-07-28'
const purpose = 'journal'
const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

export interface Call20260728 {
  readonly modes: Modes
  /** An Assent gateway: it is sent our timeout, and it ends the question by that. */
  readonly isGateway: boolean
  /** Whether answers were checked before they came here: by our gateway, or in a test by its author. */
  readonly hasCheckedAnswers: boolean
  /** Of a test's client. */
  readonly repeatWithinMs: number | undefined
  readonly state: unknown
  readonly answers: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
}

/** Reads the context that SDK 2.x passes to a handler on this revision; undefined for another revision. */
export function read20260728(context: unknown): Call20260728 | undefined {
  if (!hasRequest(context)) return undefined
  const { envelope, inputResponses, requestState, signal } = context.mcpReq
  if (!isPlainObject(envelope)) return undefined
  const version = envelope[versionKey]
  // Revisions are dates, so later ones sort later; an unknown later one is handled as the latest known one.
  if (typeof version !== 'string' || version < revision) return undefined
  const isGateway = understandsAskMeta(envelope[capabilitiesKey])
  return {
    modes: declaredModes(envelope[capabilitiesKey]),
    isGateway,
    hasCheckedAnswers: isGateway || isScripted(context.mcpReq),
    repeatWithinMs: scriptedRepeatMs(context.mcpReq),
    state: typeof requestState === 'function' ? requestState() : undefined,
    answers: isPlainObject(inputResponses) ? inputResponses : {},
    signal: signal instanceof AbortSignal ? signal : undefined,
  }
}

interface Request {
  readonly envelope?: unknown
  readonly inputResponses?: unknown
  readonly requestState?: unknown
  readonly signal?: unknown
}

function hasRequest(context: unknown): context is { readonly mcpReq: Request } {
  if (typeof context !== 'object' || context === null || !('mcpReq' in context)) return false
  return typeof context.mcpReq === 'object' && context.mcpReq !== null
}

export interface StateBinding {
  readonly principal: string
  readonly requestDigest: string
  /** The parsed arguments of this round, if the digest is of the raw ones: the state then carries those of the first round. */
  readonly given?: JsonValue
  /** Called if the state is valid for another call of this person only. */
  readonly onOtherArguments?: () => void
}

/** Runs one round. Resolves with the handler's value, or with the result that lists the questions to answer first. */
export async function round20260728<Value>(
  call: Call20260728,
  binding: StateBinding,
  serverContext: ServerContext,
  handler: (run: ReplayRun, journal: Journal) => Promise<Value>,
): Promise<Value | InputRequiredResult> {
  const journal = openJournal(call.state, binding, serverContext)
  // Parsed again, a default of the schema could have another value in each round.
  journal.given ??= binding.given
  const run = new ReplayRun({
    journal,
    answers: answersByPlace(call.answers, journal),
    runSettings: serverContext.runSettingsFor(call.repeatWithinMs),
    record: serverContext.stepRecord(journal.callId),
    signal: call.signal,
    decodeAnswer: (description, raw, afterMs) =>
      rejectFastApproval(
        description,
        decodeAnswer(description, raw),
        afterMs,
        call.hasCheckedAnswers ? 0 : serverContext.unseenAfterMs,
      ),
    isGateway: call.isGateway,
    refuses: (description) => {
      const encoded = encodeQuestion(description, call.modes, revision)
      return encoded.ok ? undefined : encoded.why
    },
  })
  const end = await run.end(handler(run, journal))
  if (end.kind === 'finished') {
    // Requested beside the result, such as in a race.
    await run.withdrawRaised()
    await releasePages(journal, serverContext.secrets)
    return end.value
  }
  try {
    if (end.kind === 'failed') throw end.error
    return inputRequired(end.asks, journal, call, binding, serverContext)
  } catch (error) {
    await run.withdrawRaised()
    if (!mayRunElsewhere(error)) {
      await withdrawEarlier(journal, serverContext)
      await releasePages(journal, serverContext.secrets)
    }
    throw withReceipts(error, journal)
  }
}

/** The same round runs in another process, or ran there and died: only this one has failed, and that one may ask again. */
function mayRunElsewhere(error: unknown): boolean {
  return isAssentError(error, 'step_unclear')
}

/**
 * The call has failed, so nothing waits for the approvals of earlier rounds that are still open. What cannot be withdrawn now
 * ends by its deadline.
 */
async function withdrawEarlier(journal: Journal, { store, tenant }: ServerContext): Promise<void> {
  if (store === undefined) return
  const open = journal.asks.filter(({ ended, round }) => ended === undefined && round < journal.round)
  await Promise.allSettled(open.map(({ id }) => store.asks.withdraw(tenant, id, 'call-cancelled')))
}

/** The first round has no state. A state that does not open ends the call before anything runs. */
function openJournal(
  state: unknown,
  { principal, requestDigest, onOtherArguments }: StateBinding,
  serverContext: ServerContext,
): Journal {
  if (state === undefined) return new Journal(serverContext.newId('call'))
  let refusal: SealRefusal | undefined
  const opened = unseal(
    serverContext.ring,
    state,
    { principal, requestDigest, purpose, nowMs: serverContext.nowMs() },
    (reason) => {
      refusal = reason
      serverContext.onRefused(reason)
    },
  )
  if (refusal === 'other-request') onOtherArguments?.()
  if (!opened.ok) throw refusedState(state, refusal)
  return decodeJournal(opened.payload)
}

/** The caller learns the reason only if it is about the server: its id of the key is public. */
function refusedState(state: unknown, refusal: SealRefusal | undefined): AssentError {
  const why =
    refusal === 'unknown-key' && isFromProcessKey(state)
      ? 'It was sealed by another process: this server was restarted or has several replicas, and has no configured ' +
        '`keys`. Set them: createAssent({ keys }).'
      : 'The answers belong to another call, another user, or a time that has passed.'
  return new AssentError(stateRefused.code, `${stateRefused.message} ${why}`)
}

/**
 * Throws for a state that cannot belong to any call of this principal. Whether it belongs to this call is checked when
 * the call is served.
 */
export function verifyState(state: unknown, principal: string, serverContext: ServerContext): void {
  let refusal: SealRefusal | undefined
  const expected = { principal, purpose, nowMs: serverContext.nowMs() }
  const isValid = isSealedFor(serverContext.ring, state, expected, (reason) => {
    refusal = reason
    serverContext.onRefused(reason)
  })
  if (!isValid) throw refusedState(state, refusal)
}

function answersByPlace(answers: Readonly<Record<string, unknown>>, journal: Journal): ReadonlyMap<number, unknown> {
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

export interface InputRequiredResult {
  readonly resultType: 'input_required'
  readonly inputRequests: Readonly<Record<string, unknown>>
  readonly requestState: string
}

/** Whether a result asks questions instead of ending the call. */
export function isUnfinished(result: unknown): boolean {
  return isPlainObject(result) && result.resultType === 'input_required'
}

/** For an Assent gateway: a chosen timeout counts from the first time it was asked, a default one from now. */
function questionParams(
  params: QuestionParams,
  description: Description,
  { decideByMs }: AskEntry,
  serverContext: ServerContext,
): QuestionParams {
  const { options } = description
  const waitMs = waitOf(options, serverContext.waitMs)
  if (hasDefaultWait(options, serverContext.isWaitDefault))
    return withAskMeta(params, description, { waitMs, isDefault: true })
  const leftMs = decideByMs - sdkLimits.returnWithinMs - serverContext.nowMs()
  return withAskMeta(params, description, { waitMs: Math.min(Math.max(0, Math.round(leftMs)), waitMs) })
}

function inputRequired(
  asks: readonly OpenAsk[],
  journal: Journal,
  { modes, isGateway }: Call20260728,
  { principal, requestDigest }: StateBinding,
  serverContext: ServerContext,
): InputRequiredResult {
  const requests = asks.map(({ place, entry, description }) => {
    const encoded = encodeQuestion(description, modes, revision)
    // It was encoded when it was first asked; if that fails now, the handler changed the question.
    if (!encoded.ok) throw new AssentError('not_supported', encoded.why)
    const params = isGateway ? questionParams(encoded.params, description, entry, serverContext) : encoded.params
    return [keyOf(place), { method: 'elicitation/create', params }] as const
  })
  const nowMs = serverContext.nowMs()
  const longestMs = Math.max(...asks.map(({ entry }) => entry.decideByMs - nowMs))
  const ttlMs = Math.min(Math.max(0, longestMs) + sdkLimits.stateGraceMs, serverContext.stateMaxMs)
  const sealBinding = { principal, purpose, requestDigest, ttlMs }
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(requests),
    requestState: seal(serverContext.ring, sealBinding, encodeJournal(journal), {
      nowMs,
      random: serverContext.random,
    }),
  }
}
