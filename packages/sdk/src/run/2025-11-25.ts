// Puts questions to a client of revision 2025-11-25 or 2025-06-18: they are pushed in the middle of a live call.
//
// The SDK's own timeout is set beyond the run's. An Assent gateway gets our timeout, ends the question by it and reports it.
// While a person thinks, the caller gets progress on its own progress token. Aborting the signal withdraws
// the question at the client. The client's capabilities are read from the server, because a handler's context does not
// have them.

import {
  AssentError,
  isPlainObject,
  type JsonValue,
  oneLine,
  type Revision,
  type Revision2025,
  understandsAskMeta,
} from '@assent/core'
import type { Description } from '../ask/describe.ts'
import { sdkLimits } from '../limits.ts'
import type { PutOptions, Reply, Surface } from '../surface.ts'
import { isScripted, rejectFastApproval } from './human-check.ts'
import { declaredModes, decodeAnswer, encodeQuestion, type Modes, withAskMeta } from './modes.ts'
import { negotiatedRevision } from './negotiated-revision.ts'

/** A server of either SDK, or the `McpServer` around it. */
export type AnyServer = object

interface Call20251125 {
  readonly revision: Revision | Revision2025
  /** Undefined if only the SDK has the capabilities; it then refuses by itself, before it sends anything. */
  readonly modes: Modes | undefined
  /** An Assent gateway: it is sent our timeout, and it ends the question by that. */
  readonly isGateway: boolean
  /** Whether questions carry our `_meta`: for a gateway, and if only the SDK knows who the client is. */
  readonly hasMeta: boolean
  /** Whether answers were checked before they came here: by our gateway, or in a test by its author. */
  readonly hasCheckedAnswers: boolean
  /** The server has no session with its client, so it cannot receive answers: stateless HTTP. */
  readonly isStateless: boolean
  readonly signal: AbortSignal | undefined
  /** The id of its request. */
  readonly id: string | number | undefined
  readonly elicit: (params: object, options: object) => Promise<unknown>
  readonly progress: ((progress: number, message: string) => Promise<void>) | undefined
}

/** Reads the context that either SDK passes to a handler of these revisions; undefined for any other context. */
export function read20251125(context: unknown, server: AnyServer | undefined): Call20251125 | undefined {
  if (typeof context !== 'object' || context === null) return undefined
  if ('sendRequest' in context && typeof context.sendRequest === 'function') return fromSdk1(context, server)
  if ('mcpReq' in context && typeof context.mcpReq === 'object' && context.mcpReq !== null) {
    return fromSdk2(context, context.mcpReq, server)
  }
  if ('elicit' in context && typeof context.elicit === 'function') return fromFramework(context as FrameworkContext)
  return undefined
}

/** Frameworks on top of SDK 1.x, such as FastMCP and mcp-use, pass a function that sends the question of a 2025 call. */
function fromFramework({ elicit, signal, requestId }: FrameworkContext): Call20251125 {
  return {
    revision: 'either-2025',
    modes: undefined,
    isGateway: false,
    hasMeta: false,
    hasCheckedAnswers: false,
    isStateless: false,
    signal,
    id: requestId,
    elicit,
    progress: undefined,
  }
}

interface FrameworkContext {
  readonly elicit: (params: object, options: object) => Promise<unknown>
  readonly signal?: AbortSignal
  readonly requestId?: string | number
}

function fromSdk1(context: object, server: AnyServer | undefined): Call20251125 {
  const { sendRequest, sendNotification, signal, requestId, sessionId, _meta, requestInfo } = context as Sdk1Context
  if (server === undefined) {
    throw new AssentError(
      'misconfigured',
      'With @modelcontextprotocol/sdk 1.x, pass the server: interactive(handler, { server }). ' +
        'Only the server has the capabilities of its client.',
    )
  }
  const { capabilities, version } = clientInfoOf(server)
  const isGateway = understandsAskMeta(capabilities)
  return {
    revision: revisionOf(header(requestInfo?.headers) ?? version),
    modes: declaredModes(capabilities),
    isGateway,
    hasMeta: isGateway,
    hasCheckedAnswers: isGateway,
    isStateless: capabilities === undefined && requestInfo !== undefined && sessionId === undefined,
    signal,
    id: requestId,
    elicit: (params, options) => sendRequest({ method: 'elicitation/create', params }, anySchema, options),
    progress: progressOn(_meta?.progressToken, sendNotification),
  }
}

function fromSdk2(context: object, request: object, server: AnyServer | undefined): Call20251125 {
  const { id, send, elicitInput, notify, signal, _meta } = request as Sdk2Request
  const { http, sessionId } = context as { http?: { req?: { headers?: unknown } }; sessionId?: unknown }
  // The client of a test is not connected to the server; the test itself refuses what it did not declare.
  const known = server === undefined || isScripted(request) ? undefined : clientInfoOf(server)
  const isGateway = understandsAskMeta(known?.capabilities)
  return {
    revision: revisionOf(known?.version ?? header(http?.req?.headers)),
    modes: known === undefined ? undefined : declaredModes(known.capabilities),
    isGateway,
    hasMeta: isGateway || known === undefined,
    hasCheckedAnswers: isGateway || isScripted(request),
    isStateless: known?.capabilities === undefined && http?.req !== undefined && sessionId === undefined,
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
  readonly sessionId?: string
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

/** SDK 1.x requires a schema for the result. Core checks the answer, so this one accepts everything. */
const anySchema = { safeParse: (data: unknown) => ({ success: true, data }) }

function clientInfoOf(server: AnyServer): { capabilities: unknown; version: string | undefined } {
  const inner =
    'server' in server && typeof server.server === 'object' && server.server !== null ? server.server : server
  const { getClientCapabilities, getNegotiatedProtocolVersion } = inner as {
    getClientCapabilities?: () => unknown
    getNegotiatedProtocolVersion?: () => string | undefined
  }
  if (typeof getClientCapabilities !== 'function') {
    throw new AssentError(
      'misconfigured',
      'The option `server` is not an MCP server: it does not report the capabilities of its client.',
    )
  }
  return {
    capabilities: getClientCapabilities.call(inner),
    version: getNegotiatedProtocolVersion?.call(inner) ?? negotiatedRevision(inner),
  }
}

/** Over HTTP the client sends its revision with every request; otherwise it is read from the server, if one was passed. */
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
  let reports = 0
  const report = async () => {
    reports++
    await call.progress?.(reports, 'Waiting for a person to answer.')
  }
  const encode = (description: Description) => encodeQuestion(description, call.modes ?? unknownModes, call.revision)
  return {
    name: 'client',
    ...(call.isGateway ? { graceMs: sdkLimits.gatewayGraceMs } : {}),
    refuses: (description) => {
      if (call.isStateless) return stateless
      const encoded = encode(description)
      return encoded.ok ? undefined : encoded.why
    },
    put: async (description, options) => {
      const encoded = encode(description)
      if (!encoded.ok) return { kind: 'unsupported', why: encoded.why }
      const consent = description.question.kind === 'url' ? { elicitationId: newConsentId() } : {}
      const askedAt = performance.now()
      const reply = await withProgress(call.progress === undefined ? undefined : report, () =>
        sendQuestion(call, { ...questionParams(call, description, encoded.params, options), ...consent }, options),
      )
      if (reply.kind !== 'answered') return reply
      const answer = decodeAnswer(description, reply.answer)
      const leastMs = call.hasCheckedAnswers ? 0 : unseenAfterMs
      return { ...reply, answer: rejectFastApproval(description, answer, performance.now() - askedAt, leastMs) }
    },
  }
}

const stateless =
  'this server handles HTTP without sessions, and only a session can ask a client of a 2025 revision in the middle of a ' +
  'call. Serve 2025 clients with sessions.'

function questionParams(
  { hasMeta, id }: Call20251125,
  description: Description,
  params: Readonly<Record<string, JsonValue>>,
  { waitMs, isDefaultWait }: PutOptions,
) {
  if (!hasMeta) return params
  const call = id === undefined ? {} : { call: id }
  return withAskMeta(params, description, { waitMs, ...(isDefaultWait ? { isDefault: true } : {}), ...call })
}

async function sendQuestion(call: Call20251125, params: object, { signal, waitMs }: PutOptions): Promise<Reply> {
  // A little longer than our own timeout, so that ours ends the wait.
  const options = { signal, timeout: Math.min(waitMs + 60_000, 2 ** 31 - 1), resetTimeoutOnProgress: true }
  await responseStarted()
  try {
    return { kind: 'answered', answer: await call.elicit(params, options) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
    if (call.isGateway && isExpired(error)) return { kind: 'expired' }
    // The SDK refused before sending, the client does not have the method, or it refused this question.
    if (code === 'CAPABILITY_NOT_SUPPORTED' || code === methodNotFound) return { kind: 'unsupported', why }
    // SDK 1.x refuses without a code, before it sends anything.
    if (code === undefined && /^Client does not support .*elicitation/.test(why)) return { kind: 'unsupported', why }
    if (code === invalidParams && !why.includes('response')) return { kind: 'unsupported', why }
    if (code === invalidParams) return { kind: 'invalid', why: whyUnfit(why) }
    return { kind: 'gone', why }
  }
}

/**
 * Lets the response of the call start before the question is written to it. The SDK's HTTP server delays a response
 * whose first message is ready at once by a millisecond or more, to check whether it is complete.
 */
function responseStarted(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * Without the server, the SDK itself checks the answer against the schema, and reports what does not fit without the answer:
 * `… does not match requested schema: data/number must be <= 200`.
 */
function whyUnfit(message: string): string {
  const [, reason = message] = /does not match requested schema: (.*)/s.exec(message) ?? []
  const plain = reason.replace(
    /(^|, )data\/?(\S*)/g,
    (_, lead: string, path: string) => `${lead}${path || 'the answer'}`,
  )
  return oneLine(plain, 'terminal', { maxChars: sdkLimits.reasonChars })
}

/** What an Assent gateway replies when the timeout that it was sent has passed. */
function isExpired(error: unknown): boolean {
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined
  return isPlainObject(data) && data.reason === 'expired'
}

const methodNotFound = -32601
const invalidParams = -32602

/** Sends progress, so that a call that waits for a person does not time out at its caller. */
async function withProgress<Value>(
  report: (() => Promise<void>) | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  if (report === undefined) return work()
  const timer = setInterval(() => {
    // A disconnected caller is detected by the request itself.
    report().catch(() => clearInterval(timer))
  }, sdkLimits.progressEveryMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
