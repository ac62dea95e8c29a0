// Waits for answers from the inbox, for as long as the caller can wait.
//
// Owns: the wait of one request. Which questions are in the inbox is decided elsewhere (round-asks.ts).
// I1  The wait always ends: by an answer, by the deadline of the ask, by the caller's timeout, by the end of the call, or
//     by the shutdown of this process.
// I2  A question is withdrawn when its caller is gone and cannot retry; an answer that arrived just before counts.
// I3  The server gets "expired" when time ran out, never "dismissed".

import type { Ask, Surface } from '@assent/core'
import type { Store } from '@assent/store'
import { errorCodes } from '../../protocol/messages.ts'
import { own } from '../../protocol/own.ts'
import { inboxLeftMs, type RoutingState } from '../call-state.ts'
import type { CallerWait } from '../layers.ts'
import { type Answers, type Call, type InputResponse, type NeedsInput, type Outcome, ranElsewhere } from '../model.ts'
import { expired, noAnswer } from '../screen/screen-questions.ts'
import type { Shutdown, ShutdownPhase } from '../shutdown.ts'
import { neededIn } from './approvals-needed.ts'
import { askLink, type InboxUrl } from './ask-link.ts'
import { givenOf } from './inbox-asks.ts'
import type { RoundAsks } from './round-asks.ts'
import { SeenCallers } from './seen-callers.ts'
import { canShow, isInboxFirst } from './surfaces.ts'
import { waitForAsk } from './wait-for-ask.ts'
import { reportWaiting } from './waiting-progress.ts'

/** A routing state in this process, where the end of a held call can be observed. */
export type LiveRoutingState = RoutingState & { readonly over?: Promise<void> }

export interface AnswerWaitSettings {
  readonly askWaitMs: number
  /** How long the first surface may stay unanswered before the second one asks too. */
  readonly silentAfterMs?: number | undefined
  /** The address of the inbox, for the texts that a caller gets. */
  readonly inboxUrl?: InboxUrl
}

/** An ask expires by the database's clock, which may be slightly behind ours. */
const marginMs = 200

/** Abort reason, allocated once: without a reason each abort creates an exception with a stack trace. */
export const noCaller = 'No caller waits for it any more.'

export class AnswerWait {
  readonly #store: Store
  readonly #settings: AnswerWaitSettings
  readonly #shutdown: Shutdown
  readonly #asks: RoundAsks
  readonly #seen: SeenCallers
  readonly #onError: (error: unknown) => void

  constructor(
    store: Store,
    settings: AnswerWaitSettings,
    shutdown: Shutdown,
    asks: RoundAsks,
    onError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#settings = settings
    this.#shutdown = shutdown
    this.#asks = asks
    this.#seen = new SeenCallers(store, onError)
    this.#onError = onError
  }

  /** Waits for all answers from the inbox. Undefined when the caller must retry to get them. */
  async answers(call: Call, state: LiveRoutingState, wait: CallerWait): Promise<Answers | undefined> {
    const { inInbox, over } = state
    const { forMs, canRetry } = wait
    const asks = Object.entries(inInbox)
    if (asks.length === 0) return {}
    const stopWaiting = new AbortController()
    const signal = AbortSignal.any([call.signal, stopWaiting.signal])
    let isOver = false
    void over?.then(() => {
      isOver = true
      stopWaiting.abort(noCaller)
    })
    const goesAt = phaseToLeave(state, wait)
    const unsubscribe =
      goesAt === undefined ? () => undefined : this.#shutdown.onPhase(goesAt, () => stopWaiting.abort(noCaller))
    const [[, askId] = ['', '']] = asks
    const stopProgress = reportWaiting(call, () => askLink(this.#settings.inboxUrl, askId), neededIn(state))
    const recording = asks.map(([key, id]) => [key, this.#seen.waits(call.tenant, id, state.waits > 0)] as const)
    let stillOpen: readonly string[] = []
    const leftMs = inboxLeftMs(state, this.#store.nowMs()) ?? this.#settings.askWaitMs
    const timeoutMs = Math.min(forMs, leftMs + marginMs)
    try {
      const ended = await Promise.all(
        asks.map(async ([key, id]) => {
          const ask = { tenant: call.tenant, id }
          return [key, await waitForAsk(this.#store, ask, timeoutMs, signal, this.#onError)] as const
        }),
      )
      const open = ended.filter(([, ask]) => ask === 'unknown' || ask?.state.kind === 'open')
      stillOpen = open.map(([key]) => key)
      // Decided by the store, or by our clock while the store is unavailable: the wait must end either way.
      const isTimeUp = timeoutMs < forMs && (!canRetry || open.some(([, ask]) => ask === 'unknown'))
      if (open.length > 0 && !signal.aborted && !isTimeUp) return undefined
      if (open.length > 0 && call.signal.aborted && canRetry) return undefined
      if (open.length > 0 && !call.signal.aborted && !isOver && this.isSentOn(state, wait)) return undefined
      const gone = isOver ? 'asker-stopped' : 'caller-gone'
      const reason = this.#shutdown.has('closed') ? 'owner-lost' : call.signal.aborted ? 'call-cancelled' : gone
      const last = new Map<string, Ask | undefined>()
      for (const [key, ask] of open) {
        const id = inInbox[key] ?? ''
        // The store was unavailable for the whole wait, so withdraw in the background.
        if (ask === 'unknown') void this.#asks.discard(call, id, reason)
        else last.set(key, await this.#asks.withdraw(call, id, reason))
      }
      // An answer that arrived just before its ask could be withdrawn counts.
      const final = ended.map(([key, ask]) => [key, last.get(key) ?? ask] as const)
      // On a timeout the server gets "expired": the person did not dismiss the question.
      const otherwise = isTimeUp && !signal.aborted ? expired : noAnswer
      return Object.fromEntries(final.map(([key, ask]) => [key, recordedIn(call, state, key, endOf(ask) ?? otherwise)]))
    } finally {
      unsubscribe()
      stopProgress()
      for (const [key, stop] of recording) stop(stillOpen.includes(key))
      stopWaiting.abort(noCaller)
    }
  }

  /** Whether this process is shutting down and the caller can wait at another replica. */
  isSentOn(state: LiveRoutingState, wait: CallerWait): boolean {
    const goesAt = phaseToLeave(state, wait)
    return goesAt !== undefined && this.#shutdown.has(goesAt)
  }

  /** With the inbox as first choice: the time left before the client is asked too. */
  async quietMs(call: Call, state: RoutingState, surfaces: readonly Surface[]): Promise<number> {
    const { silentAfterMs } = this.#settings
    if (!isInboxFirst(surfaces) || silentAfterMs === undefined) return Number.POSITIVE_INFINITY
    const [id] = Object.values(shownByClient(call, state, surfaces))
    const ask = id === undefined ? undefined : await this.#store.asks.read(call.tenant, id)
    return ask === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, ask.raisedAtMs + silentAfterMs - this.#store.nowMs())
  }
}

/** From now on the client is asked too, where it can show the question. */
export function askClientToo<State extends RoutingState>(
  call: Call,
  state: State,
  surfaces: readonly Surface[],
): State {
  const moving = shownByClient(call, state, surfaces)
  const staying = Object.entries(state.inInbox).filter(([key]) => !Object.hasOwn(moving, key))
  return { ...state, copies: { ...state.copies, ...moving }, inInbox: Object.fromEntries(staying) }
}

function shownByClient(
  { client }: Call,
  { inInbox, wanted }: RoutingState,
  surfaces: readonly Surface[],
): Readonly<Record<string, string>> {
  const shown = Object.entries(inInbox).filter(([key]) => {
    const one = wanted[key]
    return one !== undefined && canShow(surfaces, client, one)
  })
  return Object.fromEntries(shown)
}

/** The answer of an ended ask; undefined for one that is open, unknown, or withdrawn because its caller is gone. */
function endOf(ask: Ask | 'unknown' | undefined): InputResponse | undefined {
  if (ask === undefined || ask === 'unknown' || ask.state.kind === 'open') return undefined
  return ask.state.kind === 'withdrawn' && ask.state.reason === 'caller-gone' ? undefined : givenOf(ask)
}

/** Marks the end of a question that only the inbox asked. */
function recordedIn({ client }: Call, { wanted, server }: RoutingState, key: string, given: InputResponse) {
  const asked = own(wanted, key)
  return asked !== undefined && client.isRecorded?.(asked, server) === true
    ? { ...given, isRecorded: true as const }
    : given
}

/**
 * The shutdown phase in which the caller leaves this process. Undefined for a caller that cannot retry while a server
 * waits in this process: a deferred result would be useless to it.
 */
function phaseToLeave({ over }: LiveRoutingState, { canRetry, goesAt }: CallerWait): ShutdownPhase | undefined {
  return canRetry || over === undefined ? goesAt : undefined
}

/** The outcome for a caller: these questions are for its client, and the others wait for the inbox. */
export function unfinished(
  { over, ...state }: LiveRoutingState,
  forClient: readonly string[],
): NeedsInput<RoutingState> {
  const wanted = Object.fromEntries(Object.entries(state.wanted).filter(([key]) => forClient.includes(key)))
  return { kind: 'input-required', wanted, state, ...(over === undefined ? {} : { over }) }
}

/** The outcome for a caller whose round another request runs: how it can get the result of that request later. */
export function stillRunning(state: LiveRoutingState, { canRetry }: CallerWait): Outcome<RoutingState> {
  // A result can be fetched by a state, or by the id of an ask.
  const isFetchable = canRetry || Object.keys(state.inInbox).length > 0
  return isFetchable ? unfinished({ ...state, waits: state.waits + 1 }, []) : runsElsewhere
}

const runsElsewhere = ranElsewhere(
  errorCodes.refused,
  'Another request of the same call runs it and has not finished yet. Only that request gets the outcome.',
)
