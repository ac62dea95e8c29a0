// Serves revision 2026-07-28, in which every request is independent.
//
// There is no session and no state between requests. A call that needs input ends with `input_required`; the client
// holds the sealed state from which it continues.

import { compact, type JsonObject } from '@assent/core'
import type { CallState } from '../../call/call-state.ts'
import type { StartedCall } from '../../call/hold/held-calls.ts'
import { withdrawReasonOf } from '../../call/hold/leases.ts'
import { unavailable, unavailableRetryLater } from '../../call/hold/store-unavailable.ts'
import { agentOf, type CallerFacts } from '../../call/local-person.ts'
import { type Call, type ClientProfile, failed, mayAsk, type Outcome } from '../../call/model.ts'
import { digestOfRequest } from '../../call/request-digest.ts'
import { awaitedAsk, withAwaitTool } from '../../call/route/await-answer.ts'
import {
  errorCodes,
  type Message,
  type Notification,
  objectAt,
  type Reply,
  type Request,
  resultReply,
  stringAt,
} from '../../protocol/messages.ts'
import type { Serving } from '../context.ts'
import { described, onlyServerAway } from '../description.ts'
import { continuesRound, readEnvelope, supportedVersions } from './envelope.ts'
import { askedAgain, inputRequired, type RoundInput, readRound } from './rounds.ts'

/** The output for one request. */
export interface RequestOutput {
  send(message: Message): void
  end(reply: Reply, status?: number): void
  open(): void
  finish(): void
}

export interface Caller extends Partial<CallerFacts> {
  readonly principal: string
  readonly headers?: Readonly<Record<string, string>>
  /** The request headers that are forwarded to some server. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** Aborts when the caller cancelled, or its connection broke. */
  readonly signal: AbortSignal
  /** Whether the caller may lose its connection and retry with its state. */
  readonly mayReconnect: boolean
}

// Methods of the session-based revisions that this one does not have.
const removedMethods = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']
const cachedMethods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']

/** @param isServedElsewhere has another replica serve the call, if that one must; false when it is served here */
export async function serve20260728(
  serving: Serving,
  caller: Caller,
  request: Request,
  answering: RequestOutput,
  isServedElsewhere?: (call: Call) => Promise<boolean>,
): Promise<void> {
  const envelope = readEnvelope(request)
  if (!envelope.ok) return answering.end({ jsonrpc: '2.0', id: request.id, error: envelope.error }, 400)
  const client = serving.routing.profile(envelope.info, envelope.declared)
  const waiting = serving.waiting.of(serving.tenant, { kind: caller.mayReconnect ? 'none' : 'process' })
  const call = { ...callOf(serving, caller, request, client, answering), waiting }
  if ((await isServedElsewhere?.(call)) === true) return waiting.end()
  if (request.method === 'server/discover') return discover(serving, call, request, answering)
  if (request.method === 'subscriptions/listen') return listen(serving, call, request, answering)
  // Checked before anything runs: a call without a digest could not be continued.
  const digest = mayAsk(call.method) ? digestOfRequest(call) : undefined
  const below = digest === undefined ? undefined : serving.heldCalls.below(digest)
  const onStoreError = continuesRound(request) ? unavailableRetryLater : unavailable
  const outcome = removedMethods.includes(request.method)
    ? failed(errorCodes.methodNotFound, `This revision has no ${request.method}.`)
    : serving.shutdown.reported(await run(serving, call, digest, below, caller.mayReconnect).catch(onStoreError), call)
  const round = roundOf(serving, call, outcome, digest)
  // The reply has no state to continue from. A caller that retries still has an earlier one.
  if (outcome.kind === 'input-required' && !round.ok && !continuesRound(request)) {
    await serving.routing.abandon(call, outcome)
    below?.release('call-cancelled')
  }
  await (round.ok && !isDropped(serving, call) ? waiting.handOut() : waiting.withdraw('call-cancelled'))
  waiting.end()
  if (outcome.isStreamed === true) answering.open()
  finish(call, request, round, answering)
}

async function run(
  serving: Serving,
  call: Call,
  digest: string | undefined,
  below: StartedCall | undefined,
  runsOn: boolean,
): Promise<Outcome<CallState>> {
  const { relay, routing, deferredCalls } = serving
  const wait = { forMs: serving.holdMs, canRetry: true, goesAt: serving.shutdown.next }
  const retryWait = { ...wait, retry: { runsOn } }
  if (!mayAsk(call.method)) {
    const outcome = await relay.start(call)
    return routing.hasInbox ? withAwaitTool(call, outcome) : outcome
  }
  const awaited = routing.hasInbox ? awaitedAsk(call) : undefined
  if (awaited !== undefined) return deferredCalls.fetch(call, awaited, retryWait)
  if (digest === undefined || below === undefined) {
    const problem = 'The call names no target, or its arguments are ambiguous.'
    return { ...failed(errorCodes.invalidParams, problem), status: 400 }
  }
  const round = readRound(serving, call, digest)
  switch (round.kind) {
    case 'refused':
      return round.outcome
    case 'first': {
      try {
        const outcome = await deferredCalls.deferIfLong(call, await routing.through(below, wait).start(call), digest)
        if (outcome.kind !== 'input-required' || !isDropped(serving, call)) return outcome
        // The caller is gone, so the state in this outcome cannot be delivered.
        await routing.abandon(call, outcome)
        below.release('call-cancelled')
        return callerGone
      } catch (error) {
        below.release(withdrawReasonOf(error))
        throw error
      }
    }
    case 'retry': {
      const again = await askedAgain(serving, call, round)
      if (again !== undefined) return again
      const routed = routing.through(below, retryWait)
      return deferredCalls.deferIfLong(call, await routed.continue(call, round.state, round.came), digest)
    }
  }
}

const callerGone = failed(errorCodes.refused, 'The caller disconnected.')

/** Whether the caller dropped its request. A request aborted because this process ends still gets its reply. */
function isDropped({ shutdown }: Serving, { signal }: Call): boolean {
  return signal.aborted && !shutdown.has('closed')
}

/** The questions and the state for the caller, or the end of the call. */
function roundOf(serving: Serving, call: Call, outcome: Outcome<CallState>, digest: string | undefined): RoundInput {
  if (outcome.kind !== 'input-required') return { ok: false, outcome }
  return digest === undefined ? unaskable : inputRequired(serving, call, outcome, digest)
}

function finish(call: Call, request: Request, round: RoundInput, answering: RequestOutput): void {
  const { reply, status } = replyOf(call, request, round)
  answering.end(reply, status)
}

function replyOf(call: Call, { id }: Request, round: RoundInput): { reply: Reply; status: number } {
  if (round.ok) return { reply: resultReply(id, round.result), status: 200 }
  const { outcome } = round
  if (outcome.kind === 'finished')
    return { reply: resultReply(id, completed(call.method, outcome.result)), status: 200 }
  const error = { ...outcome.error, code: codeOf(outcome.error.code) }
  return { reply: { jsonrpc: '2.0', id, error }, status: outcome.status ?? statusOf(error.code) }
}

const unaskable = {
  ok: false,
  outcome: failed(errorCodes.internal, 'The server asked a question in a request that does not allow questions.'),
} as const

async function discover(serving: Serving, call: Call, request: Request, answering: RequestOutput): Promise<void> {
  const all = await serving.relay.describe(call)
  const away = onlyServerAway(all, serving.relay.size)
  if (away !== undefined)
    return finish(call, request, { ok: false, outcome: failed(errorCodes.refused, away) }, answering)
  const { capabilities, info, instructions, meta } = described(all, serving.relay.size)
  answering.end(
    resultReply(request.id, {
      resultType: 'complete',
      supportedVersions: [...supportedVersions],
      capabilities,
      ...(instructions === undefined ? {} : { instructions }),
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { ...meta, 'io.modelcontextprotocol/serverInfo': info },
    }),
  )
}

async function listen(serving: Serving, call: Call, request: Request, answering: RequestOutput): Promise<void> {
  const { taskIds: _unsupported, ...filter } = objectAt(call.params, 'notifications') ?? {}
  const subscriptionId = { 'io.modelcontextprotocol/subscriptionId': String(request.id) }
  answering.open()
  answering.send({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: filter, _meta: subscriptionId },
  })
  await serving.relay.listen({
    ...call,
    notify: (notification) => {
      if (!wants(filter, notification.method)) return
      const { _meta, ...params } = notification.params ?? {}
      answering.send({ ...notification, params: { ...params, _meta: { ...(_meta as JsonObject), ...subscriptionId } } })
    },
  })
  answering.finish()
}

const filters: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
  'notifications/resources/updated': 'resourceSubscriptions',
}

function wants(filter: JsonObject, method: string): boolean {
  const name = filters[method]
  return name !== undefined && Boolean(filter[name])
}

function callOf(
  serving: Serving,
  caller: Caller,
  request: Request,
  client: ClientProfile,
  answering: RequestOutput,
): Call {
  const wantedLevel = stringAt(objectAt(request.params, '_meta'), 'io.modelcontextprotocol/logLevel')
  return {
    tenant: serving.tenant,
    principal: caller.principal,
    ...compact({ groups: caller.groups, roles: caller.roles, address: caller.address }),
    scope: '',
    agent: agentOf(caller.client, client.info),
    method: request.method,
    params: request.params ?? {},
    client: caller.headers === undefined ? client : { ...client, headers: caller.headers },
    notify: (notification) => {
      // Forward a log message only if the call requested its level: older servers send log messages to every client.
      if (notification.method !== 'notifications/message' || isLogged(notification, wantedLevel))
        answering.send(notification)
    },
    signal: caller.signal,
    ...(caller.requestHeaders === undefined ? {} : { requestHeaders: caller.requestHeaders }),
  }
}

/** In ascending order. */
const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** A message with an unknown level is forwarded if any level was requested. */
function isLogged({ params }: Notification, wanted: string | undefined): boolean {
  if (wanted === undefined) return false
  const level = logLevels.indexOf(stringAt(params, 'level') ?? '')
  return level < 0 || level >= logLevels.indexOf(wanted)
}

/** Adds the members that this revision requires and older servers do not send. */
function completed(method: string, result: JsonObject): JsonObject {
  const hints = cachedMethods.includes(method) ? { ttlMs: 0, cacheScope: 'private' } : {}
  return { resultType: 'complete', ...hints, ...result }
}

/** Replaces two codes of older revisions that do not exist in this one. */
function codeOf(code: number): number {
  return code === -32_002 || code === errorCodes.urlNeeded ? errorCodes.invalidParams : code
}

function statusOf(code: number): number {
  if (code === errorCodes.methodNotFound) return 404
  return [errorCodes.headerMismatch, errorCodes.missingCapability, errorCodes.unsupportedVersion].some(
    (one) => one === code,
  )
    ? 400
    : 200
}
