// Puts questions to a client of revision 2025-11-25 or 2025-06-18: they are pushed in the middle of a live call.
//
// The SDK's own timeout is set beyond the run's. A gateway of ours gets our timeout, ends the question by it and says so.
// While a person thinks, the caller gets reports on its own progress token that the call is alive. Aborting the signal takes
// the question back at the client. What this client declared is asked of the server, because a handler's context does not
// say it.

import {
  AssentError,
  isPlainObject,
  type JsonValue,
  type Revision,
  type Revision2025,
  understandsAskMeta,
} from '@assent/core'
import type { Description } from '../ask/describe.ts'
import { sdkLimits } from '../limits.ts'
import type { Putting, Reply, Surface } from '../surface.ts'
import { agreedWith } from './agreed-revision.ts'
import { heard, type Modes, modesOf, told, withAskMeta } from './modes.ts'
import { isScripted, seenAnswer } from './seen.ts'

/** A server of either SDK, or the `McpServer` around it. */
export type AnyServer = object

interface Call20251125 {
  readonly revision: Revision | Revision2025
  /** Undefined where only the SDK knows; it then refuses by itself, before it sends anything. */
  readonly modes: Modes | undefined
  /** A gateway of ours: it is sent our timeout, and it ends the question by that. */
  readonly isGateway: boolean
  /** Whether answers were checked before they came here: by our gateway, or in a test by its author. */
  readonly isBelieved: boolean
  readonly signal: AbortSignal | undefined
  /** The id of its request. */
  readonly id: string | number | undefined
  readonly elicit: (params: object, options: object) => Promise<unknown>
  readonly progress: ((progress: number, message: string) => Promise<void>) | undefined
}

/** What either SDK hands to a handler of these revisions; nothing when it is no such context. */
export function read20251125(context: unknown, server: AnyServer | undefined): Call20251125 | undefined {
  if (typeof context !== 'object' || context === null) return undefined
  if ('sendRequest' in context && typeof context.sendRequest === 'function') return fromSdk1(context, server)
  if ('mcpReq' in context && typeof context.mcpReq === 'object' && context.mcpReq !== null) {
    return fromSdk2(context, context.mcpReq, server)
  }
  return undefined
}

function fromSdk1(context: object, server: AnyServer | undefined): Call20251125 {
  const { sendRequest, sendNotification, signal, requestId, _meta, requestInfo } = context as Sdk1Context
  if (server === undefined) {
    throw new AssentError(
      'misconfigured',
      'With @modelcontextprotocol/sdk 1.x, say which server this is: interactive(handler, { server }). ' +
        'Only the server knows whether its client can ask a person.',
    )
  }
  const { capabilities, version } = knownOf(server)
  const isGateway = understandsAskMeta(capabilities)
  return {
    revision: revisionOf(header(requestInfo?.headers) ?? version),
    modes: modesOf(capabilities),
    isGateway,
    isBelieved: isGateway,
    signal,
    id: requestId,
    elicit: (params, options) => sendRequest({ method: 'elicitation/create', params }, anything, options),
    progress: progressOn(_meta?.progressToken, sendNotification),
  }
}

function fromSdk2(context: object, request: object, server: AnyServer | undefined): Call20251125 {
  const { id, send, elicitInput, notify, signal, _meta } = request as Sdk2Request
  const { http } = context as { http?: { req?: { headers?: unknown } } }
  const known = server === undefined ? undefined : knownOf(server)
  const isGateway = understandsAskMeta(known?.capabilities)
  return {
    revision: revisionOf(known?.version ?? header(http?.req?.headers)),
    modes: known === undefined ? undefined : modesOf(known.capabilities),
    isGateway,
    isBelieved: isGateway || isScripted(request),
    signal,
    id,
    elicit:
      known === undefined
        ? (params, options) => elicitInput(params, { ...options, relatedRequestId: id })
        : (params, options) => send({ method: 'elicitation/create', params }, options),
    progress: progressOn(_meta?.progressToken, notify),
  }
}

interface Sdk1Context {
  readonly sendRequest: (request: object, schema: object, options: object) => Promise<unknown>
  readonly sendNotification: Notify
  readonly signal?: AbortSignal
  readonly requestId?: string | number
  readonly _meta?: { readonly progressToken?: string | number }
  readonly requestInfo?: { readonly headers?: unknown }
}

interface Sdk2Request {
  readonly id: string | number
  readonly send: (request: object, options: object) => Promise<unknown>
  readonly elicitInput: (params: object, options: object) => Promise<unknown>
  readonly notify: Notify
  readonly signal?: AbortSignal
  readonly _meta?: { readonly progressToken?: string | number }
}

type Notify = (notification: { method: string; params: Record<string, unknown> }) => Promise<void>

/** SDK 1.x wants a schema for the result; core is the judge, so this one lets everything through to it. */
const anything = { safeParse: (data: unknown) => ({ success: true, data }) }

function knownOf(server: AnyServer): { capabilities: unknown; version: string | undefined } {
  const inner =
    'server' in server && typeof server.server === 'object' && server.server !== null ? server.server : server
  const { getClientCapabilities, getNegotiatedProtocolVersion } = inner as {
    getClientCapabilities?: () => unknown
    getNegotiatedProtocolVersion?: () => string | undefined
  }
  if (typeof getClientCapabilities !== 'function') {
    throw new AssentError(
      'misconfigured',
      'What was given as the server is no MCP server: it cannot say what its client can do.',
    )
  }
  return {
    capabilities: getClientCapabilities.call(inner),
    version: getNegotiatedProtocolVersion?.call(inner) ?? agreedWith(inner),
  }
}

/** Over HTTP the client says its revision with every request; elsewhere the server knows it, where it was given. */
function revisionOf(version: unknown): Revision | Revision2025 {
  if (version === undefined || version === null) return 'either-2025'
  return version === '2025-06-18' ? version : '2025-11-25'
}

function header(headers: unknown): unknown {
  const name = 'mcp-protocol-version'
  if (headers instanceof Headers) return headers.get(name)
  return isPlainObject(headers) ? headers[name] : undefined
}

function progressOn(token: string | number | undefined, notify: Notify): Call20251125['progress'] {
  if (token === undefined) return undefined
  return (progress, message) =>
    notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } })
}

export function clientSurface(call: Call20251125, newConsentId: () => string, unseenAfterMs: number): Surface {
  const unknownModes: Modes = { form: true, url: true }
  let beats = 0
  const beat = async () => {
    beats++
    await call.progress?.(beats, 'Waiting for a person to answer.')
  }
  const telling = (description: Description) => told(description, call.modes ?? unknownModes, call.revision)
  return {
    name: 'client',
    ...(call.isGateway ? { graceMs: sdkLimits.gatewayGraceMs } : {}),
    refuses: (description) => {
      const telled = telling(description)
      return telled.ok ? undefined : telled.why
    },
    put: async (description, putting) => {
      const telled = telling(description)
      if (!telled.ok) return { kind: 'unsupported', why: telled.why }
      const consent = description.question.kind === 'url' ? { elicitationId: newConsentId() } : {}
      const askedAt = performance.now()
      const reply = await whileBeating(call.progress === undefined ? undefined : beat, () =>
        elicited(call, { ...asked(call, description, telled.params, putting), ...consent }, putting),
      )
      if (reply.kind !== 'answered') return reply
      const answer = heard(description, reply.answer)
      const leastMs = call.isBelieved ? 0 : unseenAfterMs
      return { ...reply, answer: seenAnswer(description, answer, performance.now() - askedAt, leastMs) }
    },
  }
}

function asked(
  { isGateway, id }: Call20251125,
  description: Description,
  params: Readonly<Record<string, JsonValue>>,
  { waitMs, isDefaultWait }: Putting,
) {
  if (!isGateway) return params
  const call = id === undefined ? {} : { call: id }
  return withAskMeta(params, description, { waitMs, ...(isDefaultWait ? { isDefault: true } : {}), ...call })
}

async function elicited(call: Call20251125, params: object, { signal, waitMs }: Putting): Promise<Reply> {
  // A little beyond our own wait, so that it is ours that ends.
  const options = { signal, timeout: Math.min(waitMs + 60_000, 2 ** 31 - 1), resetTimeoutOnProgress: true }
  await answerBegun()
  try {
    return { kind: 'answered', answer: await call.elicit(params, options) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
    if (call.isGateway && isExpired(error)) return { kind: 'expired' }
    // The SDK's own refusal before sending, a client that knows no such method, and one that refused this question.
    if (code === 'CAPABILITY_NOT_SUPPORTED' || code === methodNotFound) return { kind: 'unsupported', why }
    if (code === invalidParams && !why.includes('response')) return { kind: 'unsupported', why }
    // SDK 2.x judges content too, and says so in this way; core says it in its own words.
    if (code === invalidParams) return { kind: 'answered', answer: { action: 'accept', content: why } }
    return { kind: 'gone', why }
  }
}

/**
 * Lets the call's own answer begin before the question goes into it. The SDK's HTTP server holds an answer whose first
 * message is there at once back for a timer's length, a millisecond or more, to see whether that is all of it.
 */
function answerBegun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** What a gateway of ours replies when the timeout that it was sent has passed. */
function isExpired(error: unknown): boolean {
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined
  return isPlainObject(data) && data.reason === 'expired'
}

const methodNotFound = -32601
const invalidParams = -32602

/** A call that waits for a person must not look dead to its caller. */
async function whileBeating<Value>(
  beat: (() => Promise<void>) | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  if (beat === undefined) return work()
  const timer = setInterval(() => {
    // A caller that is gone is noticed by the request itself.
    beat().catch(() => clearInterval(timer))
  }, sdkLimits.progressEveryMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
