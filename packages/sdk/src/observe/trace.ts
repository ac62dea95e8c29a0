// OpenTelemetry spans: one per run of a handler, in the trace that the caller sent in `_meta`, and one per step.
//
// The author passes the OpenTelemetry API, so that nothing has to be found or loaded here: an optional import breaks the
// bundles of edge runtimes. Without it nothing is recorded. A span contains names and outcomes, and nothing of questions or
// answers.

import { AsyncLocalStorage } from 'node:async_hooks'

/** What is used of `@opentelemetry/api`: `import * as openTelemetry from '@opentelemetry/api'`. */
export interface OpenTelemetryApi {
  readonly context: { active(): unknown; with(context: never, run: () => Promise<unknown>): Promise<unknown> }
  readonly propagation: { extract(context: never, carrier: unknown): unknown }
  readonly trace: {
    getTracer(name: string): { startSpan(name: string, options: object, context: never): unknown }
    setSpan(context: never, span: never): unknown
  }
  readonly SpanStatusCode: { readonly ERROR: number }
}

interface Span {
  setAttribute(name: string, value: string): unknown
  setStatus(status: { code: number }): unknown
  end(): void
}

/** The API of the call that is running, for its steps. */
const running = new AsyncLocalStorage<OpenTelemetryApi>()

export interface TracedCall {
  readonly method: string
  readonly handler: string | undefined
  /** The `_meta` of the request, which may contain a trace context. */
  readonly meta: unknown
}

/** Runs a handler in a span. `outcomeOf` names how it ended. */
export async function tracedRun<Value>(
  api: OpenTelemetryApi | undefined,
  { method, handler, meta }: TracedCall,
  run: () => Promise<Value>,
  outcomeOf: (value: Value) => string,
): Promise<Value> {
  if (api === undefined) return run()
  const carrier = typeof meta === 'object' && meta !== null ? meta : {}
  const parent = api.propagation.extract(api.context.active() as never, carrier)
  const attributes = { 'mcp.method.name': method, ...(handler === undefined ? {} : { 'assent.handler': handler }) }
  return inSpan(api, 'assent.handler', attributes, parent, async (span) => {
    const value = await running.run(api, run)
    span.setAttribute('assent.outcome', outcomeOf(value))
    return value
  })
}

export function tracedStep<Value>(step: string, run: () => Promise<Value>): Promise<Value> {
  const api = running.getStore()
  if (api === undefined) return run()
  return inSpan(api, 'assent.step', { 'assent.step': step }, api.context.active(), run)
}

async function inSpan<Value>(
  { context, SpanStatusCode, trace }: OpenTelemetryApi,
  name: string,
  attributes: Readonly<Record<string, string>>,
  parent: unknown,
  run: (span: Span) => Promise<Value>,
): Promise<Value> {
  const span = trace.getTracer('assent').startSpan(name, { attributes }, parent as never) as Span
  const traced = async () => {
    try {
      return await run(span)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined
      if (code !== undefined) span.setAttribute('assent.code', code)
      throw error
    } finally {
      span.end()
    }
  }
  return (await context.with(trace.setSpan(parent as never, span as never) as never, traced)) as Value
}
