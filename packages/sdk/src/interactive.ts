// `interactive(handler)`: turns a handler that asks into an ordinary MCP handler.
//
// It recognises what called it by shape, not by class: SDK 2.x on either generation, SDK 1.x, or a surface such
// as a terminal. So this package depends on none of them. The handler is written once; how its questions are sent is
// decided here, per call.

import { AssentError, isAssentError } from '@assent/core'
import type { StandardSchema } from './ask/form-source.ts'
import type { Run } from './ask/run.ts'
import type { ToolDefinition } from './gate/action.ts'
import { createInteraction, type Interaction } from './interaction.ts'
import type { Journal } from './journal/journal.ts'
import { memberOf } from './member-of.ts'
import { observedRun } from './observe/observed-run.ts'
import { tracedRun } from './observe/trace.ts'
import { rawArgumentsOf } from './raw-arguments.ts'
import { isRefusal, refusalOf } from './refusal.ts'
import { type CallKind, callDigest, callMethods, decodeArguments, firstArguments } from './request.ts'
import { type AnyServer, clientSurface, read20251125 } from './run/2025-11-25.ts'
import { isUnfinished, read20260728, round20260728 } from './run/2026-07-28.ts'
import { LiveRun } from './run/live.ts'
import { recordRevision } from './run/negotiated-revision.ts'
import type { ServerContext } from './server/server-context.ts'
import { readSurfaceContext, type SurfaceContext } from './surface-context.ts'

export interface InteractiveOptions {
  /**
   * The name this handler is registered under. State is bound to it, and approvals show it. Without a name the handler's
   * source text is used, so two handlers made by one function need names.
   */
  readonly name?: string
  /** Needed with SDK 1.x, where only the server has the capabilities of its client. */
  readonly server?: AnyServer
  /** A tool by default; SDK 2.x reports the kind, and a resource is recognised by its address. */
  readonly kind?: CallKind
  /**
   * The tool as `tools/list` gives it. An approval is bound to it, and is not valid after the tool has changed.
   * Without it an approval is bound to the name only.
   */
  readonly definition?: ToolDefinition | (() => ToolDefinition)
  /** The schema of the arguments: those that a person edits before they approve them have to fit it. */
  readonly inputSchema?: StandardSchema | undefined
}

export interface ToolText {
  content: { type: 'text'; text: string }[]
  [member: string]: unknown
}

/** A handler as the SDKs call it: the arguments it was declared with, then their context. */
export type McpHandler<Given extends unknown[], Context, Result> = (...received: [...Given, Context]) => Promise<Result>

type HandlerResult<Result> = NoInfer<Result> | string | Promise<NoInfer<Result> | string>

/** Types are inferred from the registration. Without a registration, the tool has no arguments. */
export type Interactive = <Given extends unknown[] = [], Context = unknown, Result = ToolText>(
  handler: (...given: [...Given, Interaction<Context>]) => HandlerResult<Result>,
  options?: InteractiveOptions,
) => McpHandler<Given, Context, Result>

export function createInteractive(serverContext: ServerContext): Interactive {
  return <Given extends unknown[], Context, Result>(
    handler: (...given: [...Given, Interaction<Context>]) => HandlerResult<Result>,
    options: InteractiveOptions = {},
  ): McpHandler<Given, Context, Result> => {
    const identity = { server: serverContext.name, name: options.name, definition: options.definition }
    const target = options.name ?? sourceOf(handler)
    if (options.server !== undefined) recordRevision(options.server)
    const called: McpHandler<Given, Context, Result> = async (...received) => {
      // The last argument is the context of the SDK; the arguments before it are the handler's own.
      const context = received.at(-1) as Context
      const given = received.slice(0, -1) as Given
      const kind = kindOf(options, given, context)
      const { observer } = serverContext
      const traced = { method: callMethods[kind], handler: options.name, meta: metaOf(context) }
      const call = async () => {
        const principal = serverContext.principalOf(context)
        const raw = rawArgumentsOf(given)
        const value = await serve(
          serverContext,
          options.server,
          { context, given, raw, kind, target, principal, name: options.name },
          (run, signal, passed, journal) => {
            const observed = observedRun(run, observer, options.name, journal)
            const input = { schema: options.inputSchema, parsed: passed[0], raw: raw?.[0] }
            const parts = { run: observed, serverContext, identity, principal, input, signal, context }
            return handler(...(passed as Given), createInteraction(parts))
          },
        )
        return asResult(value, kind, given) as Result
      }
      try {
        return await tracedRun(serverContext.openTelemetry, traced, call, outcomeOf)
      } catch (error) {
        observer.failed(error, options.name)
        if (kind !== 'tool' || !isAssentError(error) || !isRefusal(error)) throw error
        return refusalOf(error) as Result
      }
    }
    // Some frameworks pass their context only to a function that declares as many parameters.
    return Object.defineProperties(called, { [mark]: { value: true }, length: { value: handler.length } })
  }
}

// A registered symbol, so that two copies of this package recognise each other's handlers.
const mark = Symbol.for('assent.interactive')

/** Whether a function was made by `interactive`. */
export function isInteractive(handler: unknown): boolean {
  return typeof handler === 'function' && mark in handler
}

/** An unnamed handler is identified by its whole source text, so that it never opens the state of another. */
function sourceOf(handler: unknown): string {
  const text = String(handler)
  // All bound functions have the same text.
  if (!/\{\s*\[native code\]\s*\}\s*$/.test(text)) return `source ${text}`
  throw new AssentError('misconfigured', 'A bound function needs a name: interactive(handler, { name }).')
}

interface Call {
  readonly context: unknown
  readonly given: readonly unknown[]
  readonly raw: readonly unknown[] | undefined
  readonly kind: CallKind
  readonly target: string
  readonly principal: string
  /** As it was registered, if it is known. */
  readonly name: string | undefined
}

type StartedHandler = (run: Run, signal: AbortSignal, given: readonly unknown[], journal?: Journal) => unknown

async function serve(
  serverContext: ServerContext,
  server: AnyServer | undefined,
  call: Call,
  handler: StartedHandler,
): Promise<unknown> {
  const { context, given, raw, kind, target, principal, name } = call
  // In a later turn, so that an error that the handler throws synchronously is an outcome like any other.
  const started = (run: Run, signal: AbortSignal, passed = given, journal?: Journal) =>
    Promise.resolve().then(() => handler(run, signal, passed, journal))
  const round = read20260728(context)
  if (round !== undefined) {
    const binding = {
      principal,
      requestDigest: callDigest(kind, target, raw ?? given),
      ...(raw === undefined ? {} : firstArguments(given, raw)),
      onOtherArguments: () => {
        if (raw === undefined && given.length > 0) serverContext.adviseOtherArguments(name)
      },
    }
    return round20260728(round, binding, serverContext, (run, journal) => {
      const first = journal.given
      return started(
        run,
        signalOf(context),
        first === undefined ? given : decodeArguments(first, raw ?? given),
        journal,
      )
    })
  }
  const { surface, signal } = surfaceOf(context, server, serverContext)
  const callId = serverContext.newId('call')
  const run = new LiveRun(callId, surface, serverContext.runSettings, signal)
  return run.end(started(run, signal))
}

function surfaceOf(context: unknown, server: AnyServer | undefined, serverContext: ServerContext): SurfaceContext {
  const direct = readSurfaceContext(context)
  if (direct !== undefined) return direct
  const pushing = read20251125(context, server)
  if (pushing !== undefined) {
    return {
      surface: clientSurface(pushing, () => serverContext.newId('ask'), serverContext.unseenAfterMs),
      signal: signalOf(context),
    }
  }
  throw new AssentError('misconfigured', 'An interactive handler is called by an MCP server, or with onSurface(…).')
}

function kindOf({ kind }: InteractiveOptions, given: readonly unknown[], context: unknown): CallKind {
  if (kind !== undefined) return kind
  if (given[0] instanceof URL) return 'resource'
  return methodOf(context) === 'prompts/get' ? 'prompt' : 'tool'
}

function methodOf(context: unknown): unknown {
  const request = memberOf(context, 'mcpReq')
  return memberOf(request, 'method')
}

/** SDK 1.x has it on the context, SDK 2.x on the request inside it. */
function signalOf(context: unknown): AbortSignal {
  const signal = memberOf(context, 'signal') ?? memberOf(memberOf(context, 'mcpReq'), 'signal')
  return signal instanceof AbortSignal ? signal : new AbortController().signal
}

/** SDK 1.x has it on the context, SDK 2.x on the request inside it. */
function metaOf(context: unknown): unknown {
  return memberOf(context, '_meta') ?? memberOf(memberOf(context, 'mcpReq'), '_meta')
}

function outcomeOf(result: unknown): string {
  return isUnfinished(result) ? 'input-required' : 'finished'
}

/** A handler may return text; each kind of call has its own result shape for it. */
function asResult(value: unknown, kind: CallKind, given: readonly unknown[]): unknown {
  if (typeof value !== 'string') return value
  switch (kind) {
    case 'tool':
      return { content: [{ type: 'text', text: value }] }
    case 'prompt':
      return { messages: [{ role: 'user', content: { type: 'text', text: value } }] }
    case 'resource':
      return { contents: [{ uri: String(given[0]), text: value }] }
  }
}
