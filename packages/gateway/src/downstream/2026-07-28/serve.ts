// Serves revision 2026-07-28: every request stands for itself.
//
// No session, no memory between requests. A call that needs people ends with `input_required`, and what is needed to
// continue it travels, sealed, with the client.

import type { JsonObject } from '@assent/core'
import { relayLimits } from '../../limits.ts'
import { type Call, type ClientProfile, failed, mayAsk, type Outcome } from '../../relay/exchange.ts'
import { digestOfRequest } from '../../relay/request-digest.ts'
import { toldAsAway, toldToComeAgain } from '../../relay/store-away.ts'
import { awaitedAsk, withAwaitTool } from '../../surfaces/await-answer.ts'
import { readPlace } from '../../surfaces/place.ts'
import {
  errorCodes,
  type Message,
  type Notification,
  objectAt,
  type Reply,
  type Request,
  resultReply,
  stringAt,
} from '../../wire/messages.ts'
import type { Serving } from '../context.ts'
import { described, onlyServerAway } from '../description.ts'
import { continuesRound, readEnvelope, supportedVersions } from './envelope.ts'
import { askedAgain, inputRequired, readRound } from './rounds.ts'

/** Where the answer to one request goes. */
export interface Answering {
  say(message: Message): void
  end(reply: Reply, status?: number): void
  open(): void
  finish(): void
}

export interface Caller {
  readonly principal: string
  /** The OAuth client that it is, where callers say who they are. */
  readonly client?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Of the headers of its request, those that some server gets. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** Aborts when the caller cancelled, or its connection broke. */
  readonly signal: AbortSignal
  /** Whether the caller may have lost its connection and come back with its state. */
  readonly mayReconnect: boolean
}

// Of the sessionful revisions; this one does not have them.
const gone = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']
const cachedMethods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']

export async function serve20260728(
  serving: Serving,
  caller: Caller,
  request: Request,
  answering: Answering,
): Promise<void> {
  const envelope = readEnvelope(request)
  if (!envelope.ok) return answering.end({ jsonrpc: '2.0', id: request.id, error: envelope.error }, 400)
  const client = serving.routing.profile(envelope.info, envelope.declared)
  const waiting = serving.waiting.of(serving.tenant, { kind: caller.mayReconnect ? 'none' : 'process' })
  const call = { ...callOf(serving, caller, request, client, answering), waiting }
  if (request.method === 'server/discover') return discover(serving, call, request, answering)
  if (request.method === 'subscriptions/listen') return listen(serving, call, request, answering)
  // Before anything runs: what has no digest could not be continued.
  const digest = mayAsk(call.method) ? digestOfRequest(call) : undefined
  const away = continuesRound(request) ? toldToComeAgain : toldAsAway
  const outcome = gone.includes(request.method)
    ? failed(errorCodes.methodNotFound, `This revision has no ${request.method}.`)
    : serving.leaving.told(await run(serving, call, digest, caller.mayReconnect).catch(away), call)
  await (outcome.kind === 'needs-people' && !isDropped(serving, call)
    ? waiting.handOut()
    : waiting.withdraw('call-cancelled'))
  waiting.end()
  if (outcome.isStreamed === true) answering.open()
  finish(serving, call, request, outcome, answering, digest)
}

async function run(serving: Serving, call: Call, digest: string | undefined, runsOn: boolean): Promise<Outcome> {
  const { relay, routing, parking, deferral } = serving
  const hold = { forMs: serving.holdMs, comesBack: true, goesAt: serving.leaving.next }
  const again = { ...hold, retry: { runsOn } }
  if (!mayAsk(call.method)) {
    const outcome = await relay.start(call)
    return routing.hasInbox ? withAwaitTool(call, outcome) : outcome
  }
  const awaited = routing.hasInbox ? awaitedAsk(call) : undefined
  if (awaited !== undefined) return deferral.fetch(call, awaited, again)
  if (digest === undefined) {
    const problem = 'The call names nothing, or its arguments cannot be read in one way only.'
    return { ...failed(errorCodes.invalidParams, problem), status: 400 } as Outcome
  }
  const round = readRound(serving, call, digest)
  const putOff = async (outcome: Outcome) => {
    const place = outcome.kind === 'needs-people' ? readPlace(outcome.resume) : undefined
    const isLong = place !== undefined && place.waits > relayLimits.waitsMost && Object.keys(place.inInbox).length > 0
    return routing.hasInbox && outcome.kind === 'needs-people' && isLong
      ? deferral.putOff(call, outcome, digest)
      : outcome
  }
  switch (round.kind) {
    case 'refused':
      return round.outcome
    case 'first': {
      const below = parking.below(digest)
      try {
        const outcome = await putOff(await routing.start(call, below, hold))
        if (outcome.kind !== 'needs-people' || !isDropped(serving, call)) return outcome
        // The state in this outcome reaches nobody.
        await routing.abandon(call, outcome)
        below.letGo('call-cancelled')
        return callerGone
      } catch (error) {
        below.letGo('owner-lost')
        throw error
      }
    }
    case 'retry':
      return (
        (await askedAgain(serving, call, round)) ??
        putOff(await routing.continue(call, parking.below(digest), round.resume, round.came, again))
      )
  }
}

const callerGone = failed(errorCodes.refused, 'The caller went away.')

/** Whether the caller dropped its request. One that is aborted because this process ends still gets its reply. */
function isDropped({ leaving }: Serving, { signal }: Call): boolean {
  return signal.aborted && !leaving.has('over')
}

function finish(
  serving: Serving,
  call: Call,
  request: Request,
  outcome: Outcome,
  answering: Answering,
  digest?: string,
): void {
  const { reply, status } = replyOf(serving, call, request, outcome, digest)
  answering.end(reply, status)
}

function replyOf(
  serving: Serving,
  call: Call,
  request: Request,
  outcome: Outcome,
  digest: string | undefined,
): { reply: Reply; status: number } {
  const { id } = request
  switch (outcome.kind) {
    case 'finished':
      return { reply: resultReply(id, completed(call.method, outcome.result)), status: 200 }
    case 'failed': {
      const error = { ...outcome.error, code: codeOf(outcome.error.code) }
      return { reply: { jsonrpc: '2.0', id, error }, status: outcome.status ?? statusOf(error.code) }
    }
    case 'needs-people': {
      const unfinished = digest === undefined ? unaskable : inputRequired(serving, call, outcome, digest)
      if (unfinished.ok) return { reply: resultReply(id, unfinished.result), status: 200 }
      return replyOf(serving, call, request, unfinished.outcome, digest)
    }
  }
}

const unaskable = {
  ok: false,
  outcome: failed(errorCodes.internal, 'The server asked in a request in which nothing can be asked.'),
} as const

async function discover(serving: Serving, call: Call, request: Request, answering: Answering): Promise<void> {
  const all = await serving.relay.describe(call)
  const away = onlyServerAway(all, serving.relay.size)
  if (away !== undefined) return finish(serving, call, request, failed(errorCodes.refused, away), answering)
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

async function listen(serving: Serving, call: Call, request: Request, answering: Answering): Promise<void> {
  const { taskIds: _unsupported, ...filter } = objectAt(call.params, 'notifications') ?? {}
  const subscriptionId = { 'io.modelcontextprotocol/subscriptionId': String(request.id) }
  answering.open()
  answering.say({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: filter, _meta: subscriptionId },
  })
  await serving.relay.listen({
    ...call,
    notify: (notification) => {
      if (!wants(filter, notification.method)) return
      const { _meta, ...params } = notification.params ?? {}
      answering.say({ ...notification, params: { ...params, _meta: { ...(_meta as JsonObject), ...subscriptionId } } })
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

function callOf(serving: Serving, caller: Caller, request: Request, client: ClientProfile, answering: Answering): Call {
  const wantedLevel = stringAt(objectAt(request.params, '_meta'), 'io.modelcontextprotocol/logLevel')
  return {
    tenant: serving.tenant,
    principal: caller.principal,
    scope: '',
    agent: agentOf(caller, client),
    method: request.method,
    params: request.params ?? {},
    client: caller.headers === undefined ? client : { ...client, headers: caller.headers },
    notify: (notification) => {
      // A log message goes to the calls that asked for its level; older servers send theirs to everybody.
      if (notification.method !== 'notifications/message' || isLogged(notification, wantedLevel))
        answering.say(notification)
    },
    signal: caller.signal,
    ...(caller.requestHeaders === undefined ? {} : { requestHeaders: caller.requestHeaders }),
  }
}

/** A program gives its own name, so it only tells apart what one person runs. */
function agentOf(caller: Caller, { info }: ClientProfile): string {
  return caller.client === undefined ? `name ${stringAt(info, 'name') ?? ''}` : `client ${caller.client}`
}

/** From the lowest on. */
const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** One of a level that we do not know passes where any is wanted. */
function isLogged({ params }: Notification, wanted: string | undefined): boolean {
  if (wanted === undefined) return false
  const level = logLevels.indexOf(stringAt(params, 'level') ?? '')
  return level < 0 || level >= logLevels.indexOf(wanted)
}

/** Older servers say less than this revision wants to hear. */
function completed(method: string, result: JsonObject): JsonObject {
  const hints = cachedMethods.includes(method) ? { ttlMs: 0, cacheScope: 'private' } : {}
  return { resultType: 'complete', ...hints, ...result }
}

/** Two codes of older revisions do not exist in this one. */
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
