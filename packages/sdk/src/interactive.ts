// `interactive(handler)`: an ordinary MCP handler made of one that asks.
//
// It recognises what called it by shape, not by class: SDK 2.x on either generation, SDK 1.x, or a surface of ours such
// as a terminal. So this package depends on none of them. The handler is written once; which way its questions travel is
// decided here, per call.

import { AssentError, isAssentError } from '@assent/core'
import type { ToolDefinition } from './gate/action.ts'
import { type Interaction, interactionOf } from './interaction.ts'
import { isRefusal, refusalOf } from './refusal.ts'
import { type CallKind, requestOf } from './request.ts'
import { type AnyServer, clientSurface, read20251125 } from './run/2025-11-25.ts'
import { read20260728, round20260728 } from './run/2026-07-28.ts'
import { watchRevision } from './run/agreed-revision.ts'
import { LiveRun } from './run/live.ts'
import type { Run } from './run/run.ts'
import { readSurfaceContext, type SurfaceContext } from './surface-context.ts'
import type { World } from './world.ts'

export interface InteractiveOptions {
  /**
   * The name this handler is registered under. State is bound to it, and approvals show it. Without a name the handler's
   * own source text stands for it, so two handlers made by one function need names.
   */
  readonly name?: string
  /** Needed with SDK 1.x, where only the server knows what its client can show. */
  readonly server?: AnyServer
  /** Unless said, a tool; SDK 2.x says it by itself, and a resource is known by its address. */
  readonly kind?: CallKind
  /**
   * The tool as `tools/list` gives it. An approval is bound to it: change the tool, and the approval is for another.
   * Without it an approval is bound to the name alone.
   */
  readonly definition?: ToolDefinition | (() => ToolDefinition)
}

export interface ToolText {
  content: { type: 'text'; text: string }[]
  [member: string]: unknown
}

/** A handler as the SDKs call it: the arguments it was declared with, then their context. */
export type Wrapped<Given extends unknown[], Context, Result> = (...received: [...Given, Context]) => Promise<Result>

type Answered<Result> = NoInfer<Result> | string | Promise<NoInfer<Result> | string>

/** What is inferred comes from where the handler is registered; on its own it is a tool without arguments. */
export type Interactive = <Given extends unknown[] = [], Context = unknown, Result = ToolText>(
  handler: (...given: [...Given, Interaction<Context>]) => Answered<Result>,
  options?: InteractiveOptions,
) => Wrapped<Given, Context, Result>

export function interactiveIn(world: World): Interactive {
  return (handler, options = {}) => {
    const named = { server: world.name, name: options.name, definition: options.definition }
    const target = options.name ?? textOf(handler)
    if (options.server !== undefined) watchRevision(options.server)
    return async (...received) => {
      const context = received.at(-1)
      const given = received.slice(0, -1)
      const kind = kindOf(options, given, context)
      try {
        const principal = world.principalOf(context)
        const value = await serve(world, options.server, { context, given, kind, target, principal }, (run, signal) =>
          handler(
            // The tuple that was received, with its last member replaced: more than the type checker can follow.
            ...([...given, interactionOf({ run, world, named, principal, signal, context })] as unknown as Parameters<
              typeof handler
            >),
          ),
        )
        return finished(value, kind, given) as never
      } catch (error) {
        if (kind !== 'tool' || !isAssentError(error) || !isRefusal(error)) throw error
        return refusalOf(error) as never
      }
    }
  }
}

/** An unnamed handler is known by its whole text, so that it never opens the state of another. */
function textOf(handler: unknown): string {
  const text = String(handler)
  // All bound functions have the same text.
  if (!/\{\s*\[native code\]\s*\}\s*$/.test(text)) return `source ${text}`
  throw new AssentError('misconfigured', 'A bound function needs a name of its own: interactive(handler, { name }).')
}

interface Call {
  readonly context: unknown
  readonly given: readonly unknown[]
  readonly kind: CallKind
  readonly target: string
  readonly principal: string
}

type Handler = (run: Run, signal: AbortSignal) => unknown

async function serve(world: World, server: AnyServer | undefined, call: Call, handler: Handler): Promise<unknown> {
  const { context, given, kind, target, principal } = call
  // Later, so that what the handler throws at once is an outcome like any other.
  const started = (run: Run, signal: AbortSignal) => Promise.resolve().then(() => handler(run, signal))
  const round = read20260728(context)
  if (round !== undefined) {
    const bound = { principal, requestDigest: requestOf(kind, target, given) }
    return round20260728(round, bound, world, (run) => started(run, signalOf(context)))
  }
  const { surface, signal } = surfaceOf(context, server, world)
  const callId = world.newId('call')
  const run = new LiveRun(callId, surface, world.terms, signal, world.record(callId))
  return run.end(started(run, signal))
}

function surfaceOf(context: unknown, server: AnyServer | undefined, world: World): SurfaceContext {
  const direct = readSurfaceContext(context)
  if (direct !== undefined) return direct
  const pushing = read20251125(context, server)
  if (pushing !== undefined) {
    return { surface: clientSurface(pushing, () => world.newId('ask'), world.unseenAfterMs), signal: signalOf(context) }
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

function memberOf(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined
  return (holder as Readonly<Record<string, unknown>>)[name]
}

/** A handler may answer with text; each kind of call has its own way of saying it. */
function finished(value: unknown, kind: CallKind, given: readonly unknown[]): unknown {
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
